import { createHash } from "node:crypto";

/** What tells one state of a file from another. `hash` is present when the whole file was seen. */
export interface FileFingerprint {
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly hash?: string;
}

/** What the session knows about a file that is about to be written. */
type FileFreshness = "never_seen" | "as_seen" | "changed";

/**
 * Which files this session has seen, and in which state: so that the agent does not overwrite what somebody else changed
 * after it looked. One value per session; keys are real paths.
 */
export interface FileStateLedger {
  /** The agent has read or written the file in this state. */
  readonly remember: (realPath: string, state: FileFingerprint) => void;
  /** The agent has removed the file. */
  readonly forget: (realPath: string) => void;
  /** Compares the file as it is now with what the agent saw last. By content where that is known, else by size and time. */
  readonly freshness: (realPath: string, now: FileFingerprint) => FileFreshness;
  /** Everything that is remembered. */
  readonly seen: () => readonly (readonly [string, FileFingerprint])[];
}

/** A ledger that has seen nothing yet. */
export const createFileStateLedger = (): FileStateLedger => {
  const seen = new Map<string, FileFingerprint>();
  return {
    remember: (realPath, state) => void seen.set(realPath, state),
    forget: (realPath) => void seen.delete(realPath),
    seen: () => [...seen],
    freshness: (realPath, now) => {
      const before = seen.get(realPath);
      if (before === undefined) return "never_seen";
      if (before.hash !== undefined && now.hash !== undefined) return before.hash === now.hash ? "as_seen" : "changed";
      return before.size === now.size && before.modified === now.modified ? "as_seen" : "changed";
    },
  };
};

/** The content hash that a fingerprint carries. */
export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64url");
