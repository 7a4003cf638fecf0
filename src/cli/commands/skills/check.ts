import type { ExitCode } from "../../../base/app-error.ts";
import { findSkills } from "../../../knowledge/skills/find-skills.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { plural } from "../../format.ts";
import { inSkills, printJson } from "./context.ts";

/** `hermes skills check`: all that is wrong with skills, with file and line. Exit code 1 = some cannot be used. */
export const runCheck = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    const { skills, shadowed, problems } = await findSkills(deps.library);
    const code = problems.some(({ severity }) => severity === "error") ? 1 : 0;
    if (json) {
      printJson(output, {
        skills: skills.length,
        problems,
        shadowed: shadowed.map(({ skill, by }) => ({ name: skill.name, directory: skill.directory, by: by.directory })),
      });
      return code;
    }
    for (const { severity, file, line, message } of problems) {
      const mark = severity === "error" ? "✗" : "!";
      output.stdout(cleanText(`${mark} ${file}${line === undefined ? "" : `:${line}`}: ${message}\n`));
    }
    for (const { skill, by } of shadowed) {
      output.stdout(cleanText(`  ${skill.directory} is not used: ${by.directory} has the same name.\n`));
    }
    output.stdout(`${plural(skills.length, "skill")}, ${plural(problems.length, "problem")}.\n`);
    return code;
  });
