import type { ExitCode } from "../../../base/app-error.ts";
import {
  readInstalled,
  type InstalledSkill,
  type InstalledState,
} from "../../../knowledge/skills/hub/installed-skills.ts";
import { reviewSkill, type SkillReview } from "../../../knowledge/skills/hub/review-skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { inSkills, printJson } from "./context.ts";
import { describeFinding } from "./review-words.ts";

const STATES: Readonly<Record<InstalledState, string>> = {
  intact: "as it was installed",
  edited: "changed since it was installed",
  missing: "not there any more",
  unreadable: "cannot be read",
  unknown: "installed by another version, which counts its hash otherwise",
};

/** `hermes skills verify [NAME]`: whether what was installed is still that. Exit code 1 = something is not. */
export const runVerify = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }) => {
    const found = await readInstalled(deps.places, nameOf(call));
    if (json) printJson(output, found.map(verifyJson));
    else {
      for (const { name, state, why, added, removed } of found) {
        output.stdout(`${name}: ${STATES[state]}${why === undefined ? "" : ` (${cleanText(why)})`}\n`);
        for (const path of added) output.stdout(cleanText(`  new: ${path}\n`));
        for (const path of state === "missing" ? [] : removed) output.stdout(cleanText(`  gone: ${path}\n`));
      }
      if (found.length === 0) output.stdout("Nothing was installed from anywhere yet.\n");
    }
    return found.every(({ state }) => state === "intact" || state === "unknown") ? 0 : 1;
  });

const verifyJson = ({ name, state, why, added, removed, entry, directory }: InstalledSkill) => ({
  name,
  state,
  why: why ?? null,
  directory,
  source: entry.identifier,
  commit: entry.metadata.commit ?? null,
  hash: entry.content_hash,
  added,
  removed,
});

/** `hermes skills audit [NAME]`: the review of installed skills once more, as they are now. Exit code 1 = one looks dangerous. */
export const runAudit = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }) => {
    const found = await readInstalled(deps.places, nameOf(call));
    const reviews = found.map((skill): { readonly skill: InstalledSkill; readonly review: SkillReview } => ({
      skill,
      review: reviewSkill(skill.files),
    }));
    if (json) {
      printJson(
        output,
        reviews.map(({ skill: { name, state, entry }, review }) => ({
          name,
          state,
          verdict_then: entry.scan_verdict,
          verdict: review.verdict,
          findings: review.findings.map((finding) => ({ ...finding, line: finding.line ?? null })),
        })),
      );
    } else {
      for (const { skill, review } of reviews) {
        output.stdout(`${skill.name}: ${review.verdict}, ${STATES[skill.state]}\n`);
        for (const finding of review.findings) output.stdout(cleanText(`  ${describeFinding(finding)}\n`));
      }
      if (reviews.length === 0) output.stdout("Nothing was installed from anywhere yet.\n");
    }
    return reviews.some(({ review }) => review.verdict === "dangerous") ? 1 : 0;
  });

const nameOf = (call: CommandCall): string | undefined => (typeof call.args[0] === "string" ? call.args[0] : undefined);
