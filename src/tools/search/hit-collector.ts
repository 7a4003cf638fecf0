import { clipLine } from "./search-engine.ts";
import type { FileHits, FoundLine } from "./search-engine.ts";

/** Gathers the lines of one file: matches with the lines around them. */
export interface HitCollector {
  /** Takes the next line; `column` is the index of its first match. */
  add(number: number, text: string, column: number | undefined): void;
  readonly matches: number;
  hits(path: string): FileHits;
}

/** Lines must come in order and without gaps; context is kept only where it is wanted. */
export const createHitCollector = (context: number, keepsLines: boolean): HitCollector => {
  const lines: FoundLine[] = [];
  let before: FoundLine[] = [];
  let contextUntil = 0;
  let matches = 0;
  return {
    add: (number, text, column) => {
      const isMatch = column !== undefined;
      if (isMatch) matches += 1;
      if (!keepsLines) return;
      if (!isMatch && context === 0) return;
      const line: FoundLine = { number, ...clipLine(text, column ?? 0), ...(isMatch ? {} : { column: undefined }) };
      if (isMatch) {
        lines.push(...before, line);
        before = [];
        contextUntil = number + context;
      } else if (number <= contextUntil) lines.push(line);
      else before = [...before, line].slice(-context);
    },
    get matches() {
      return matches;
    },
    hits: (path) => ({ path, matches, lines }),
  };
};
