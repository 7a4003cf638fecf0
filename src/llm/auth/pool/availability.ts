import type { AppError } from "../../../base/app-error.ts";
import { secretTextsOf } from "../../credential.ts";
import type { NoCredential } from "../credential-pool.ts";
import { authErrors } from "../errors.ts";
import { isEnding } from "../renew/renew-login.ts";
import type { Candidate } from "./candidate.ts";

/** How far the clocks of two looks at one rest may be apart. */
const CLOCK_SLACK_MS = 300_000;

/** Whether a candidate rests at `now`. A rest that begins in the future was written by a clock that was wrong: it binds nobody. */
export const isResting = ({ status }: Candidate, now: number): boolean =>
  status.kind === "resting" && status.until > now && status.since <= now + CLOCK_SLACK_MS;

/** Whether its secret has ended and nobody here can renew it. */
export const hasEnded = ({ expiresAt, renewal }: Candidate, now: number): boolean =>
  (renewal === "adopt" || renewal === "none") && expiresAt !== undefined && expiresAt <= now;

/** Whether it must be renewed before a call. */
export const needsRenewal = ({ secret, expiresAt, renewal }: Candidate, now: number): boolean =>
  (renewal === "login" || renewal === "file" || renewal === "exchange") &&
  (secret.kind === "none" || isEnding(expiresAt, now));

/** Whether a call could have it now; renewing it first is no hindrance. */
export const isUsable = (candidate: Candidate, now: number): boolean =>
  candidate.status.kind !== "lost" && !isResting(candidate, now) && !hasEnded(candidate, now);

/** The candidates that are not excluded; one with the secret of an excluded one is excluded with it. */
export const notExcluded = (candidates: readonly Candidate[], exclude: ReadonlySet<string>): readonly Candidate[] => {
  if (exclude.size === 0) return candidates;
  const secrets = new Set(candidates.filter(({ id }) => exclude.has(id)).map(textOf));
  secrets.delete("");
  return candidates.filter((candidate) => !exclude.has(candidate.id) && !secrets.has(textOf(candidate)));
};

/** The secret as one text; compared, never kept: a fingerprint of each of a thousand would cost a call 2 ms. */
const textOf = ({ base }: Candidate): string => secretTextsOf(base).join("\0");

/** What a call could have now. */
export const usable = (candidates: readonly Candidate[], now: number): readonly Candidate[] =>
  candidates.filter((candidate) => isUsable(candidate, now));

/** The resting one whose rest ends first. */
export const firstToWake = (candidates: readonly Candidate[], now: number): Candidate | undefined =>
  candidates
    .filter((candidate) => isResting(candidate, now))
    .reduce<Candidate | undefined>(
      (first, each) => (first === undefined || wakeTime(each) < wakeTime(first) ? each : first),
      undefined,
    );

const wakeTime = ({ status }: Candidate): number => (status.kind === "resting" ? status.until : 0);

/** Why nothing can be leased: what passes soonest is told first. */
export const whyNone = (facts: {
  readonly pool: string;
  readonly candidates: readonly Candidate[];
  readonly now: number;
  /** Why a renewal failed, or a source has nothing. */
  readonly why: string | undefined;
  readonly broken: AppError | undefined;
}): NoCredential => {
  const { pool, candidates, now, why, broken } = facts;
  if (why !== undefined) return { kind: "try_later", why };
  const resting = firstToWake(candidates, now);
  if (resting?.status.kind === "resting") {
    return { kind: "resting", until: resting.status.until, last: resting.status.error };
  }
  const ended = candidates.find((candidate) => hasEnded(candidate, now));
  if (ended !== undefined) return { kind: "try_later", why: endedText(ended) };
  const lost = candidates.find(({ status }) => status.kind === "lost");
  if (lost?.status.kind === "lost") {
    const error = authErrors.loginLost({ provider: pool, label: lost.label, why: lost.status.why });
    return { kind: "no_credential", error };
  }
  return broken === undefined ? { kind: "no_credential" } : { kind: "no_credential", error: broken };
};

const endedText = ({ label, renewal }: Candidate): string =>
  renewal === "adopt"
    ? "the login of Claude Code has ended, and only Claude Code renews it: start `claude` once"
    : `${label} has ended and cannot be renewed`;
