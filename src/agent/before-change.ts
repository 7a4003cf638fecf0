import type { SessionId, TurnId } from "../base/ids.ts";

/** Something on disk is about to be changed by a call that was allowed. */
export interface UpcomingChange {
  readonly session: SessionId;
  readonly turn: TurnId;
  /** Absolute paths that will be written, moved or removed, as far as they are known; a folder stands for all in it. */
  readonly paths: readonly string[];
  /** One masked line for people: what will be done. */
  readonly summary: string;
}

/** What the person should know of it; becomes a `notice` event. */
export interface ChangeNotice {
  readonly code: string;
  readonly message: string;
}

/**
 * Called before each change, and awaited. Must not throw: a change does not fail because what precedes it did. Must return soon
 * after `signal` aborts, and within seconds in any case.
 */
export type BeforeChange = (
  change: UpcomingChange,
  options: { readonly signal: AbortSignal },
) => Promise<readonly ChangeNotice[]>;
