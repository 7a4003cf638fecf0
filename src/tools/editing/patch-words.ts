import { describeTolerance } from "./match-lines.ts";
import type { HunkFit } from "./place-hunk.ts";

const MAX_LISTED_LINES = 20;

/** "line 3", "lines 3, 9", with a bound. */
export const listLines = (lines: readonly number[]): string => {
  const listed = lines.slice(0, MAX_LISTED_LINES).join(", ");
  const rest = lines.length - MAX_LISTED_LINES;
  return `${lines.length === 1 ? "line" : "lines"} ${listed}${rest > 0 ? ` and ${rest} more` : ""}`;
};

/** Where hunks went, and which of them only fitted with tolerance. */
export const describePlaces = (places: readonly { readonly line: number; readonly fit: HunkFit }[]): string => {
  const notes = places.flatMap(({ line, fit }) => {
    const how = fit === "context_dropped" ? "its outermost context lines differ" : describeTolerance(fit);
    return how === "" ? [] : [`line ${line}: ${how}`];
  });
  const where = listLines(places.map(({ line }) => line));
  return notes.length === 0 ? where : `${where} (${notes.join("; ")})`;
};

/** Sentences that both ways of patching use. */
export const patchErrors = {
  missing: (path: string): string => `${path} does not exist.`,
  notText: (path: string, type: string | undefined): string =>
    type === undefined
      ? `${path} is not UTF-8 text: writing it back would damage it. Convert it first, for example with iconv.`
      : `${path} is not text (${type}).`,
  staleNote: " (somebody else had changed it since you read it)",
  staleHint: "\nSomebody else changed the file since you read it: read it again.",
} as const;
