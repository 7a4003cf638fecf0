import type { Redacted } from "../../base/redact/redacted.ts";
import type {
  ArchiveReason,
  ChangedEntry,
  MemoryChangeKind,
  MemoryEntryRecord,
  NewMemoryChange,
} from "../../store/memory-store.ts";
import { entryHash } from "./entry-hash.ts";
import type { MemoryChange, MemoryWriter } from "./memory-change.ts";
import type { MemoryTarget } from "./memory-format.ts";

/** A file before and after, and what was known of it before that. */
export interface Between {
  readonly target: MemoryTarget;
  /** Absent = nothing was done, the file was only looked at. */
  readonly job: { readonly change: MemoryChange; readonly by: MemoryWriter } | undefined;
  readonly known: readonly MemoryEntryRecord[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Why entries of `before` go, by their text. */
  readonly reasons: ReadonlyMap<string, ArchiveReason>;
  readonly mask: (text: string) => Redacted<string>;
}

/** What is to be written down: first what somebody did to the file by hand, then what was done now. */
export const changesBetween = (between: Between): readonly NewMemoryChange[] => {
  const { target, job, known, before, after, mask } = between;
  const old = placed(before, mask);
  const next = placed(after, mask);
  const knownHashes = new Set(known.map(({ hash }) => hash));
  const found = without(old, knownHashes);
  const gone = known.filter(({ hash }) => !old.has(hash)).map(({ hash, text }) => ({ hash, text, place: 0 }));
  const removed = without(old, new Set(next.keys()));
  const added = without(next, new Set(old.keys()));
  const byHand: NewMemoryChange = {
    target,
    kind: "found",
    source: "file",
    session: null,
    removed: gone,
    added: found,
    reasons: new Map(gone.map(({ hash }) => [hash, "by_hand"])),
  };
  const hasHandWork = gone.length > 0 || found.length > 0;
  if (job === undefined) return hasHandWork ? [byHand] : [];
  const own: NewMemoryChange = {
    target,
    kind: KINDS[job.change.action],
    source: job.by.source,
    session: job.by.session,
    removed,
    added,
    reasons: new Map([...between.reasons].map(([entry, reason]) => [entryHash(entry), reason])),
    ...(job.change.action === "undo" ? { undoes: job.change.record.id } : {}),
  };
  return hasHandWork ? [byHand, own] : [own];
};

const KINDS: Readonly<Record<MemoryChange["action"], MemoryChangeKind>> = {
  add: "add",
  replace: "replace",
  remove: "remove",
  reset: "reset",
  edit: "edit",
  merge: "merge",
  undo: "undo",
};

/** Entries by hash, with their places. Of the same text twice, the first. */
const placed = (
  entries: readonly string[],
  mask: (text: string) => Redacted<string>,
): ReadonlyMap<string, ChangedEntry> => {
  const byHash = new Map<string, ChangedEntry>();
  for (const [place, entry] of entries.entries()) {
    const hash = entryHash(entry);
    if (!byHash.has(hash)) byHash.set(hash, { hash, text: mask(entry), place });
  }
  return byHash;
};

const without = (entries: ReadonlyMap<string, ChangedEntry>, hashes: ReadonlySet<string>): readonly ChangedEntry[] =>
  [...entries.values()].filter(({ hash }) => !hashes.has(hash));
