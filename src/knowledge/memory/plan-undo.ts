import type { MemoryChangeRecord } from "../../store/memory-store.ts";
import { scanText } from "../scan/scan-text.ts";
import { entryHash } from "./entry-hash.ts";
import type { MemoryPlan, MemoryRefusal } from "./memory-change.ts";
import { usedCharacters } from "./memory-format.ts";

/** What of a file an undo looks at. */
interface UndoInput {
  readonly entries: readonly string[];
  readonly limit: number;
}

/** Takes a change back: what it put in goes, what it took out comes back to its place. Refuses where a later change stands on it. */
export const planUndo = (record: MemoryChangeRecord, { entries, limit }: UndoInput): MemoryPlan => {
  if (record.undoneBy !== null) return stale(`#${record.id} was undone already, by #${record.undoneBy}`);
  const here = new Set(entries.map(entryHash));
  if (record.added.some(({ hash }) => !here.has(hash))) {
    return stale(`what #${record.id} wrote was changed since; undo the later change first`);
  }
  // Only masked text is kept: it is the entry's own unless that held a secret.
  if (record.removed.some(({ hash, text }) => entryHash(text) !== hash)) {
    return stale(`#${record.id} took out a secret, and the history keeps none`);
  }
  const findings = record.removed.flatMap(({ text }) => scanText(text));
  if (findings.length > 0) return refused({ kind: "suspicious", findings });
  const added = new Set(record.added.map(({ hash }) => hash));
  const next = entries.filter((entry) => !added.has(entryHash(entry)));
  for (const { hash, text, place } of record.removed.toSorted((a, b) => a.place - b.place)) {
    if (!here.has(hash)) next.splice(Math.min(place, next.length), 0, text);
  }
  const used = usedCharacters(next);
  if (used > limit && used > usedCharacters(entries)) return refused({ kind: "full", used, limit, entries });
  return { kind: "planned", plan: { entries: next, reasons: new Map(), moved: [] } };
};

const refused = (refusal: MemoryRefusal): MemoryPlan => ({ kind: "refused", refusal });
const stale = (why: string): MemoryPlan => refused({ kind: "stale", why });
