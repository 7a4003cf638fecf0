import { readFile } from "node:fs/promises";
import type { ExitCode } from "../../../base/app-error.ts";
import { nearestKey } from "../../../config/nearest-key.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { readInner } from "../../../knowledge/skills/inner-path.ts";
import { describeInnerFault } from "../../../knowledge/skills/describe-fault.ts";
import { readSkillFolder } from "../../../knowledge/skills/hub/tree-hash.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { cliErrors } from "../../errors.ts";
import { inSkills, printJson } from "./context.ts";
import { listSkills } from "./list.ts";

/** `hermes skills view NAME [FILE]`: a skill's SKILL.md, or a file of it, as it stands. */
export const runView = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const { output, json } = context;
    const name = String(call.args[0] ?? "").toLowerCase();
    const { listed } = await listSkills(context);
    const found = listed.find(({ skill }) => skill.name === name);
    if (found === undefined) {
      throw hubErrors.unknownSkill({
        name,
        nearest: nearestKey(
          name,
          listed.map(({ skill }) => skill.name),
        ),
      });
    }
    const { skill, source, isDisabled } = found;
    const [, path] = call.args;
    if (typeof path === "string") {
      const read = await readInner(skill.directory, path);
      if (!read.ok) throw cliErrors.usage({ message: describeInnerFault(path, read.error) });
      output.stdout(cleanText(Buffer.from(read.value).toString("utf8")));
      return 0;
    }
    const text = await readFile(skill.file, "utf8");
    const files = await readSkillFolder(skill.directory);
    const others = (files?.ok === true ? files.value : [])
      .map((file) => file.path)
      .filter((each) => each !== "SKILL.md");
    if (json) {
      printJson(output, { name, source, enabled: !isDisabled, directory: skill.directory, files: others, text });
      return 0;
    }
    output.stdout(cleanText(text.endsWith("\n") ? text : `${text}\n`));
    if (others.length > 0)
      output.stderr(cleanText(`Files: ${others.join(", ")} (\`hermes skills view ${name} FILE\`)\n`));
    return 0;
  });
