import type { FileStateLedger } from "../file-state.ts";

/** Sizes from the settings `file_read_max_chars` and `tool_output.*`. */
export interface FileLimits {
  /** Characters that one read hands to the model. */
  readonly readMaxChars: number;
  /** Lines that one read may ask for. */
  readonly maxLines: number;
  /** Characters shown of one line. */
  readonly maxLineLength: number;
}

/** The defaults of the settings. */
export const DEFAULT_FILE_LIMITS: FileLimits = { readMaxChars: 100_000, maxLines: 2000, maxLineLength: 2000 };

/** What tools that read files need. */
export interface FileReadDeps {
  /** The person's home directory, for `~`. */
  readonly home: string;
  readonly limits: FileLimits;
  /** Masks secrets; the identity function where masking is off. */
  readonly redact: (text: string) => string;
  /** The session's. */
  readonly files: FileStateLedger;
}

/** Whether a path may be written without asking. `protected.why` names the rule. */
type PathGuardOutcome =
  | { readonly kind: "ok"; readonly real: string }
  | { readonly kind: "protected"; readonly why: string };

/** The text with its masks replaced by what the file holds, or the first mask that the file does not hold. */
export type RestoredMasks =
  | { readonly kind: "restored"; readonly text: string }
  | { readonly kind: "unknown_mask"; readonly mask: string; readonly line: number };

/** What tools that write files need. */
export interface FileWriteDeps {
  readonly home: string;
  /** Takes an absolute path and resolves links itself. */
  readonly guard: (path: string) => PathGuardOutcome | Promise<PathGuardOutcome>;
  /** Puts the originals of masks back into `text`, from the file's `current` content. */
  readonly restoreMasks: (text: string, current: string) => RestoredMasks;
  /** The profile whose home holds this real path, if that is another than the session's own. */
  readonly otherProfileOf: (realPath: string) => string | undefined;
  readonly files: FileStateLedger;
}
