import { AppError, type ExitCode } from "../../../base/app-error.ts";
import { describeChanges } from "../../../knowledge/skills/hub/describe-changes.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { readInstalled, type InstalledSkill } from "../../../knowledge/skills/hub/installed-skills.ts";
import type { Candidate } from "../../../knowledge/skills/hub/prepare-skill.ts";
import { adoptCurrent, planUpdate, sourceOf, updateSkill } from "../../../knowledge/skills/hub/update-skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { cliErrors } from "../../errors.ts";
import { inSkills, printJson, type SkillsContext } from "./context.ts";
import { wantsCandidate, type Consent } from "./confirm-candidate.ts";
import { describeCandidate } from "./review-words.ts";

/** What became of one skill. */
interface UpdateOutcome {
  readonly name: string;
  readonly outcome: "updated" | "current" | "edited" | "skipped" | "failed";
  readonly detail: string;
}

/** `hermes skills update NAME` or `--all`: fetch anew, show what differs, ask, exchange. */
export const runUpdate = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context) => {
    const name = typeof call.args[0] === "string" ? call.args[0] : undefined;
    if ((name === undefined) !== (call.flags["all"] === true)) {
      throw cliErrors.usage({ message: "Name one skill, or give --all." });
    }
    const consent = { yes: call.flags["yes"] === true, force: call.flags["force"] === true };
    const outcomes: UpdateOutcome[] = [];
    for (const installed of await readInstalled(context.deps.places, name)) {
      outcomes.push(await updateOne(context, installed, consent));
    }
    if (context.json) printJson(context.output, outcomes);
    else for (const { name: each, detail } of outcomes) context.output.stdout(`${each}: ${cleanText(detail)}\n`);
    if (!context.json && outcomes.length === 0) context.output.stdout("Nothing was installed from anywhere yet.\n");
    return outcomes.some(({ outcome }) => outcome === "failed") ? 1 : 0;
  });

/** One skill that cannot be updated must not keep the others from it. */
const updateOne = async (
  context: SkillsContext,
  installed: InstalledSkill,
  consent: Consent,
): Promise<UpdateOutcome> => {
  try {
    return await tryUpdate(context, installed, consent);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (!(thrown instanceof AppError) || thrown.exitCode === 2) throw thrown;
    return { name: installed.name, outcome: "failed", detail: thrown.message };
  }
};

const tryUpdate = async (
  context: SkillsContext,
  installed: InstalledSkill,
  consent: Consent,
): Promise<UpdateOutcome> => {
  const { deps, sources, signal } = context;
  const { name, entry } = installed;
  const source = sourceOf(entry, sources);
  if (!source.ok) return { name, outcome: "failed", detail: source.error };
  const plan = await planUpdate(deps, { installed, source: source.value }, signal);
  switch (plan.kind) {
    case "current":
      return plan.isEdited
        ? { name, outcome: "edited", detail: "nothing new; your changes stay" }
        : { name, outcome: "current", detail: "up to date" };
    case "same": {
      await using candidate = plan.candidate;
      await adoptCurrent(deps, candidate, installed);
      return { name, outcome: "current", detail: "up to date" };
    }
    case "newer": {
      await using candidate = plan.candidate;
      return await replace(context, { installed, candidate, isEdited: plan.isEdited }, consent);
    }
  }
};

interface Replacing {
  readonly installed: InstalledSkill;
  readonly candidate: Candidate;
  readonly isEdited: boolean;
}

const replace = async (
  { deps, output }: SkillsContext,
  { installed, candidate, isEdited }: Replacing,
  { yes, force }: Consent,
): Promise<UpdateOutcome> => {
  const { name } = installed;
  output.stderr(describeCandidate(candidate));
  for (const change of describeChanges(installed.files, candidate.files)) {
    output.stderr(change.diff === undefined ? `${change.kind}: ${cleanText(change.path)}\n` : cleanText(change.diff));
  }
  // A yes that was given beforehand was not given for losing changes from sight.
  if (isEdited && yes && !force) throw hubErrors.editedHere({ name });
  const isWanted = await wantsCandidate(output, candidate, {
    yes: yes || (force && isEdited),
    force,
    question: isEdited ? `Replace ${name}? Your changes go to the archive.` : `Update ${name}?`,
    what: `Updating ${name}`,
  });
  if (!isWanted) return { name, outcome: "skipped", detail: "left as it is" };
  const updated = await updateSkill(deps, candidate, installed);
  if (!updated.ok) return { name, outcome: "failed", detail: "it changed while you decided; try again" };
  const { archived } = updated.value;
  return {
    name,
    outcome: "updated",
    detail: `updated${archived === undefined ? "" : `; the one before is ${archived} in the archive`}`,
  };
};
