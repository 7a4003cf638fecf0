/** What is looked for, and where. Both engines (ripgrep and our own) take this and give the same answers. */
export interface SearchRequest {
  readonly pattern: string;
  /** Absolute; a folder, or one file. */
  readonly root: string;
  readonly isFile: boolean;
  /** Whether a file below the folder is wanted; the path is relative to `root`, with slashes. */
  readonly isWanted: (relativePath: string) => boolean;
  /** A glob over base names that wanted files match too, where there is one: an engine may use it to skip early. */
  readonly nameGlob: string | undefined;
  readonly includesHidden: boolean;
  /** Honour `.gitignore` files. */
  readonly honoursIgnores: boolean;
  /** `lines` = matching lines with context; `files` = which files; `counts` = matching lines per file. */
  readonly mode: "lines" | "files" | "counts";
  /** Lines shown before and after a match. */
  readonly context: number;
  /** The search ends once it has so many matching lines (`lines`) or files. */
  readonly enough: number;
  readonly signal: AbortSignal;
}

/** One line of a file with matches. `column` is the index of the first match, absent for context lines. */
export interface FoundLine {
  readonly number: number;
  readonly text: string;
  readonly column: number | undefined;
}

/** A file with at least one match. */
export interface FileHits {
  readonly path: string;
  /** Matching lines seen; in mode `files` this is 1. */
  readonly matches: number;
  /** Empty unless mode is `lines`. */
  readonly lines: readonly FoundLine[];
}

/** What a search gives. `unsupported` = this engine cannot take the pattern. Files come in the order of their paths. */
export type SearchOutcome =
  | {
      readonly kind: "found";
      readonly files: readonly FileHits[];
      readonly isComplete: boolean;
      readonly notes: readonly string[];
    }
  | { readonly kind: "unsupported"; readonly why: string };

/** Files larger than this are left out of searches through folders. */
export const MAX_SEARCHED_BYTES = 10 * 1024 * 1024;

/** Characters kept around the match of a very long line. */
const KEPT_AROUND_MATCH = 4096;

/** Bounds a line to what could be shown and what a mask needs around it. */
export const clipLine = (text: string, column: number): { readonly text: string; readonly column: number } => {
  if (text.length <= 2 * KEPT_AROUND_MATCH) return { text, column };
  const start = Math.max(0, column - KEPT_AROUND_MATCH);
  return { text: text.slice(start, column + KEPT_AROUND_MATCH), column: column - start };
};
