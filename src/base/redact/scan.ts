import type { NameIndex } from "./name-verdict.ts";
import type { TokenIndex } from "./token-index.ts";

/** The compiled patterns of one redactor. */
export interface Rules {
  readonly tokens: TokenIndex;
  readonly names: NameIndex;
}

/** One pass over one text. */
export interface Scan {
  readonly text: string;
  readonly rules: Rules;
  /** Where the unquoted run begins and ends that was measured last: overlapping ones end at the same place, so each is walked once. */
  readonly run: { from: number; to: number };
  /** The next `-----END` from the place where it was looked for last; `undefined` before the first look. */
  pemEnd: number | undefined;
}
