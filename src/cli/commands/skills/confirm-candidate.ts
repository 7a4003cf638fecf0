import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import type { Candidate } from "../../../knowledge/skills/hub/prepare-skill.ts";
import { describeReview } from "../../../knowledge/skills/hub/review-skill.ts";
import { askLine } from "../../ask-line.ts";
import { confirm } from "../../confirm.ts";
import type { Output } from "../../output.ts";

/** How much the person said beforehand. */
export interface Consent {
  /** `--yes`: an ordinary yes. Never stands for a dangerous one. */
  readonly yes: boolean;
  readonly force: boolean;
}

/** A question, and what is being done, for the refusal where nobody can be asked. */
interface Question {
  readonly question: string;
  readonly what: string;
}

/**
 * Whether the person wants this skill, after it was shown to them. What looks dangerous needs `--force`, a terminal, and its name
 * typed. Throws `skills.dangerous`, `skills.dangerous_needs_terminal`, `cli.not_confirmed`.
 */
export const wantsCandidate = async (
  output: Output,
  candidate: Candidate,
  { yes, force, question, what }: Consent & Question,
): Promise<boolean> => {
  if (candidate.review.verdict !== "dangerous") return yes || (await confirm(output, question, what));
  const { name, review } = candidate;
  const findings = describeReview(review.findings.filter(({ severity }) => severity === "danger"));
  if (!force) throw hubErrors.dangerous({ name, findings });
  if (!output.isTerminal.stdin || !output.isTerminal.stderr) throw hubErrors.dangerousNeedsTerminal({ name });
  const typed = await askLine(`${question} Type its name to go on: `, { input: process.stdin, output: process.stderr });
  return typed === name;
};
