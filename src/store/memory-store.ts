import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";

/** Which of the two files. */
type MemoryTarget = "memory" | "user";

/** Who made a change: the agent's tool, a command of the owner, somebody in the file itself, or a model that merged entries. */
export type MemorySource = "tool" | "command" | "file" | "model";

/** An entry of a file as it was seen last. */
export interface MemoryEntryRecord {
  readonly target: MemoryTarget;
  /** SHA-256 (hex) of the entry as it stands in the file. */
  readonly hash: string;
  readonly text: Redacted<string>;
  /** ms UTC; for one that was found in the file, when it was found. */
  readonly addedAt: number;
  readonly source: MemorySource;
  readonly session: SessionId | null;
  /** Never moved out to make room. */
  readonly pinned: boolean;
}

/** Why an entry is no longer in its file. */
export type ArchiveReason = "overflow" | "removed" | "replaced" | "merged" | "by_hand";

/** An entry that was taken out. */
export interface ArchivedEntry extends Omit<MemoryEntryRecord, "pinned"> {
  readonly id: number;
  readonly archivedAt: number;
  readonly reason: ArchiveReason;
  /** The change that took it out. */
  readonly change: number;
}

/** An entry that a change put in or took out. */
export interface ChangedEntry {
  readonly hash: string;
  readonly text: Redacted<string>;
  /** Where it stood or stands among the file's entries, from 0. */
  readonly place: number;
}

export type MemoryChangeKind = "add" | "replace" | "remove" | "reset" | "edit" | "found" | "merge" | "undo";

/** One change of one file. */
export interface MemoryChangeRecord {
  /** Grows with time; people name a change by it. */
  readonly id: number;
  readonly at: number;
  readonly target: MemoryTarget;
  readonly kind: MemoryChangeKind;
  readonly source: MemorySource;
  readonly session: SessionId | null;
  readonly removed: readonly ChangedEntry[];
  readonly added: readonly ChangedEntry[];
  readonly undoes: number | null;
  readonly undoneBy: number | null;
}

export interface NewMemoryChange extends Pick<
  MemoryChangeRecord,
  "target" | "kind" | "source" | "session" | "removed" | "added"
> {
  /** Why each removed entry goes, by its hash. */
  readonly reasons: ReadonlyMap<string, ArchiveReason>;
  /** The change that is taken back: what comes back leaves the archive, with its old time and source. */
  readonly undoes?: number;
}

/** What stands in the database beside the memory files. It never says what is in them: they are the truth. */
export interface MemoryStore {
  /** The known entries of a file, in no order. */
  entries(target: MemoryTarget): Promise<readonly MemoryEntryRecord[]>;
  /** Writes changes down, in order and in one transaction; their ids. */
  record(changes: readonly NewMemoryChange[]): Promise<readonly number[]>;
  /** False = no such entry is known. */
  pin(target: MemoryTarget, hash: string, pinned: boolean): Promise<boolean>;
  change(id: number): Promise<MemoryChangeRecord | undefined>;
  /** Newest first. */
  changes(filter: { readonly limit: number; readonly target?: MemoryTarget }): Promise<readonly MemoryChangeRecord[]>;
  /** Newest first. */
  archive(filter: { readonly limit: number; readonly target?: MemoryTarget }): Promise<readonly ArchivedEntry[]>;
  /** Removes the archive and the history for good: nothing of it can be found or undone any more. How many entries. */
  clearArchive(): Promise<number>;
}
