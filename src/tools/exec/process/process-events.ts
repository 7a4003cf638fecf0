import type { ProcessId, SessionId } from "../../../base/ids.ts";

/** Something that happened to a background process whose starter wanted to hear of it. */
export type ProcessEvent = {
  readonly id: ProcessId;
  readonly session: SessionId;
  readonly command: string;
} & (
  | {
      readonly type: "exited";
      readonly code: number | null;
      readonly signal: string | null;
      /** Its last lines, clean. */
      readonly tail: string;
    }
  | {
      readonly type: "matched";
      readonly pattern: string;
      readonly line: string;
      /** Hits before this one that were not reported because there were too many. */
      readonly suppressed: number;
    }
  /** The pattern takes too long and is not looked for any more. */
  | { readonly type: "pattern_too_slow"; readonly pattern: string }
);

/** What surfaces read with `for await`: one reader, bounded (pattern hits are dropped before exits). */
export type ProcessEvents = AsyncIterable<ProcessEvent>;
