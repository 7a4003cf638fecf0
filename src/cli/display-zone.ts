import { place } from "../config/errors.ts";
import type { App } from "../app/app.ts";
import type { Output } from "./output.ts";

/**
 * The zone that stored times are shown in; undefined = the machine's. For commands that only show what is there: where config.yaml
 * cannot be read, or its zone is wrong, they go on with the default and say so in one line on stderr.
 */
export const displayZone = (app: App, output: Output): string | undefined => {
  const wrong = app.config.problems.find(
    ({ severity, code, key }) => severity === "error" && (code === "config.broken_file" || key === "timezone"),
  );
  if (wrong !== undefined) {
    const where = wrong.file === undefined ? "" : `${place(wrong.file, wrong.line)}: `;
    output.stderr(`! ${where}${wrong.message}; going on with defaults (\`hermes config check\` says more)\n`);
  }
  return app.config.sectionOrDefaults("timezone");
};
