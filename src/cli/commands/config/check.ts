import type { ExitCode } from "../../../base/app-error.ts";
import { homePaths } from "../../../config/home.ts";
import { loadConfig } from "../../../config/load.ts";
import type { ConfigContext } from "./context.ts";
import { showProblem } from "./words.ts";

/** `hermes config check`: every problem of the settings with its file and line. 1 if one of them stops something. */
export const configCheck = (context: ConfigContext, options: { readonly json: boolean }): ExitCode => {
  const { home, environment, stdout } = context;
  const { problems } = loadConfig({ home, environment });
  const hasErrors = problems.some((problem) => problem.severity === "error");
  if (options.json) stdout(`${JSON.stringify({ ok: !hasErrors, problems })}\n`);
  else if (problems.length === 0) stdout(`No problems in ${homePaths(home).config} and ${homePaths(home).env}\n`);
  else for (const problem of problems) stdout(showProblem(problem));
  return hasErrors ? 1 : 0;
};
