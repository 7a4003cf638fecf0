import type { FileLimits } from "../files/file-tool-deps.ts";

/** What searching needs. */
export interface SearchDeps {
  readonly home: string;
  readonly limits: FileLimits;
  /** Masks secrets; the identity function where masking is off. */
  readonly redact: (text: string) => string;
  /** The absolute path of ripgrep; undefined = not installed, then our own engine searches. Asked for each search. */
  readonly ripgrep: () => Promise<string | undefined>;
}

/** Results counted beyond those shown, so that a total can be told; then the search ends. */
export const COUNTED_BEYOND = 1000;

/** The arguments of `search_files`. */
export type SearchArgs = {
  pattern: string;
  target: "content" | "files";
  path: string;
  file_glob?: string | undefined;
  limit: number;
  offset: number;
  output_mode: "content" | "files_only" | "count";
  context: number;
};
