import { messageOf } from "../../../base/app-error.ts";
import { DeadlineError, type Clock } from "../../../base/clock.ts";
import { untilAborted } from "../../../base/until-aborted.ts";
import { loadAwsCredentials, type AwsLookup } from "./aws-credentials.ts";
import type { AwsPlaces } from "./aws-settings.ts";

/** Answers keys of AWS, those of before as long as they are good. Throws the signal's reason alone. */
export type AwsSource = (signal: AbortSignal) => Promise<AwsLookup>;

/** What keys are looked up with. */
export interface AwsSourceDeps extends AwsPlaces {
  readonly clock: Clock;
}

/** Keys are looked up anew so long before their end: a call may take minutes, and Amazon's own libraries do the same. */
const BEFORE_END_MS = 5 * 60_000;
/** Keys without an end, and the want of any: other programs write those files. */
const KEPT_MS = 60_000;
/** A profile's program may wait for somebody who is not there. */
const LONGEST_LOOKUP_MS = 30_000;

/** When a lookup is to be made anew; wall time for an end that was stated, monotonic time for our own bound. */
interface Until {
  readonly monotonic: number;
  readonly wall: number;
}

const WHILE_LOOKING: Until = { monotonic: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY };

/** Makes a source that looks once for all who ask at a time. Nothing is read before the first question. */
export const createAwsSource = (deps: AwsSourceDeps): AwsSource => {
  const { clock } = deps;
  let lookup: Promise<AwsLookup> | undefined;
  let until = WHILE_LOOKING;
  const look = async (): Promise<AwsLookup> => {
    const found = await lookUp(deps);
    until = freshUntil(found, clock);
    return found;
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (lookup === undefined || clock.monotonic() >= until.monotonic || clock.now() >= until.wall) {
      until = WHILE_LOOKING;
      lookup = look();
    }
    return await untilAborted(lookup, signal);
  };
};

const freshUntil = (found: AwsLookup, clock: Clock): Until =>
  found.kind === "found" && found.expiresAt !== undefined
    ? { monotonic: Number.POSITIVE_INFINITY, wall: found.expiresAt - BEFORE_END_MS }
    : { monotonic: clock.monotonic() + KEPT_MS, wall: Number.POSITIVE_INFINITY };

const lookUp = async (deps: AwsSourceDeps): Promise<AwsLookup> => {
  using deadline = deps.clock.deadline(LONGEST_LOOKUP_MS);
  try {
    return await untilAborted(loadAwsCredentials(deps), deadline.signal);
  } catch (thrown) {
    if (!(thrown instanceof DeadlineError)) return { kind: "none", why: messageOf(thrown) };
    return { kind: "none", why: `looking for keys of AWS took longer than ${LONGEST_LOOKUP_MS / 1_000} s` };
  }
};
