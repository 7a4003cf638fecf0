import type { ExitCode } from "../../../base/app-error.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { installSkill } from "../../../knowledge/skills/hub/install-skill.ts";
import { parseSource, type PackageSource } from "../../../knowledge/skills/hub/package-source.ts";
import { prepareSkill } from "../../../knowledge/skills/hub/prepare-skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { inSkills, printJson, textFlag, type SkillsContext } from "./context.ts";
import { wantsCandidate } from "./confirm-candidate.ts";
import { candidateJson, describeCandidate } from "./review-words.ts";

/** `hermes skills install SOURCE`: fetch, show, ask, move into place. */
export const runInstall = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context) => {
    const { deps, output, json, signal } = context;
    const source = sourceOf(context, call);
    await using candidate = await prepareSkill(deps, { source, name: textFlag(call, "name") }, signal);
    output.stderr(describeCandidate(candidate));
    const force = call.flags["force"] === true;
    const isWanted = await wantsCandidate(output, candidate, {
      yes: call.flags["yes"] === true,
      force,
      question: `Install ${candidate.name}?`,
      what: `Installing ${candidate.name}`,
    });
    if (!isWanted) {
      output.stderr("Nothing was installed.\n");
      return 1;
    }
    const installed = await installSkill(deps, candidate, { category: textFlag(call, "category"), replace: force });
    if (json) {
      printJson(output, {
        ...candidateJson(candidate),
        directory: installed.directory,
        archived: installed.archived ?? null,
      });
      return 0;
    }
    output.stdout(`Installed ${installed.name} in ${installed.directory}\n`);
    if (installed.archived !== undefined) {
      output.stdout(
        `The one before is in the archive: \`hermes skills restore ${installed.archived}\` after \`hermes skills archive ${installed.name}\`.\n`,
      );
    }
    return 0;
  });

/** `hermes skills inspect SOURCE`: the same without installing anything. Exit code 1 = it looks dangerous. */
export const runInspect = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context) => {
    const { deps, output, json, signal } = context;
    await using candidate = await prepareSkill(deps, { source: sourceOf(context, call) }, signal);
    if (json) printJson(output, candidateJson(candidate));
    else output.stdout(describeCandidate(candidate));
    return candidate.review.verdict === "dangerous" ? 1 : 0;
  });

const sourceOf = ({ sources }: SkillsContext, call: CommandCall): PackageSource => {
  const given = String(call.args[0] ?? "");
  const source = parseSource(given, textFlag(call, "ref"), sources);
  if (!source.ok) throw hubErrors.badSource({ source: given, why: source.error });
  return source.value;
};
