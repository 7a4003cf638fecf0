import type { ArchiveReason } from "../../store/memory-store.ts";
import { scanText } from "../scan/scan-text.ts";
import { findEntry } from "./find-entry.ts";
import type { MemoryChange, MemoryPlan, MemoryRefusal } from "./memory-change.ts";
import { countCharacters, hasSeparatorLine, sameEntry, usedCharacters } from "./memory-format.ts";
import { planUndo } from "./plan-undo.ts";

/** A file's content, and what is known of its entries. */
export interface PlanInput {
  readonly entries: readonly string[];
  readonly limit: number;
  /** When an entry came, ms UTC. */
  readonly addedAt: (entry: string) => number;
  /** Whether an entry must stay where it is. */
  readonly isPinned: (entry: string) => boolean;
  readonly holdsSecret: (text: string) => boolean;
}

/** What a change makes of a file's entries; pure. Every entry that the change does not name stays, unless room is needed. */
export const planChange = (change: MemoryChange, input: PlanInput): MemoryPlan => {
  switch (change.action) {
    case "add":
      return planAdd(change.content.trim(), input);
    case "replace":
      return planReplace(change, input);
    case "remove":
      return planRemove(change.oldText, input);
    case "reset":
      return planned([]);
    case "edit":
      return planEdit(change, input);
    case "merge":
      return planMerge(change, input);
    case "undo":
      return planUndo(change.record, input);
  }
};

const planned = (
  entries: readonly string[],
  reasons: ReadonlyMap<string, ArchiveReason> = new Map(),
  moved: readonly string[] = [],
): MemoryPlan => ({ kind: "planned", plan: { entries, reasons, moved } });

const refused = (refusal: MemoryRefusal): MemoryPlan => ({ kind: "refused", refusal });

const planAdd = (content: string, input: PlanInput): MemoryPlan => {
  const refusal = judgeContent(content, input) ?? findDuplicate(content, input.entries);
  if (refusal !== undefined) return refused(refusal);
  const { entries, limit } = input;
  const used = usedCharacters(entries);
  // What a person wrote beyond the limit is not for us to sort out.
  if (used > limit) return refused({ kind: "full", used, limit, entries });
  return withRoom([...entries, content], input, { fresh: content, reasons: new Map() });
};

const planReplace = (change: Extract<MemoryChange, { action: "replace" }>, input: PlanInput): MemoryPlan => {
  const { entries, limit } = input;
  const content = change.content.trim();
  const found = findEntry(entries, change.oldText);
  if (found.kind !== "found") return refused(found);
  const others = entries.filter((_, place) => place !== found.place);
  const refusal = judgeContent(content, input) ?? findDuplicate(content, others);
  if (refusal !== undefined) return refused(refusal);
  const old = entries[found.place] ?? "";
  const next = entries.with(found.place, content);
  const used = usedCharacters(next);
  const isTighter = used <= usedCharacters(entries);
  if (used > limit && usedCharacters(entries) > limit && !isTighter) {
    return refused({ kind: "full", used: usedCharacters(entries), limit, entries });
  }
  const reasons = new Map([[old, "replaced" as const]]);
  return isTighter ? planned(next, reasons) : withRoom(next, input, { fresh: content, reasons });
};

const planRemove = (oldText: string, { entries }: PlanInput): MemoryPlan => {
  const found = findEntry(entries, oldText);
  if (found.kind !== "found") return refused(found);
  return planned(entries.filter((_, place) => place !== found.place));
};

/** The person's list, with what came meanwhile behind it; what went meanwhile stays away, unless the person wrote it anew. */
const planEdit = (change: Extract<MemoryChange, { action: "edit" }>, input: PlanInput): MemoryPlan => {
  const before = new Set(change.before);
  const now = new Set(input.entries);
  const after = change.after.filter((entry) => now.has(entry) || !before.has(entry));
  const came = input.entries.filter((entry) => !before.has(entry) && !after.includes(entry));
  const next = [...after, ...came];
  for (const entry of next) {
    if (now.has(entry)) continue;
    const refusal = judgeContent(entry, input);
    if (refusal !== undefined) return refused(refusal);
  }
  const used = usedCharacters(next);
  if (used > input.limit && used > usedCharacters(input.entries)) {
    return refused({ kind: "full", used, limit: input.limit, entries: next });
  }
  return planned(next);
};

const planMerge = (change: Extract<MemoryChange, { action: "merge" }>, input: PlanInput): MemoryPlan => {
  const { entries } = input;
  const isSeen = entries.length === change.seen.length && entries.every((entry, place) => entry === change.seen[place]);
  if (!isSeen || change.replaced.some((entry) => !entries.includes(entry))) {
    return refused({ kind: "stale", why: "the entries have changed meanwhile" });
  }
  const others = entries.filter((entry) => !change.replaced.includes(entry));
  for (const content of change.content) {
    const refusal = judgeContent(content, input) ?? findDuplicate(content, others);
    if (refusal !== undefined) return refused(refusal);
  }
  const first = entries.findIndex((entry) => change.replaced.includes(entry));
  const ahead = entries.slice(0, first);
  const behind = entries.slice(first).filter((entry) => !change.replaced.includes(entry));
  return planned(
    [...ahead, ...change.content, ...behind],
    new Map(change.replaced.map((entry) => [entry, "merged" as const])),
  );
};

/** What keeps a text from being an entry. */
const judgeContent = (content: string, input: PlanInput): MemoryRefusal | undefined => {
  if (content === "") return { kind: "empty" };
  if (hasSeparatorLine(content)) return { kind: "separator" };
  const length = countCharacters(content);
  if (length > input.limit) return { kind: "too_long", length, limit: input.limit };
  const findings = scanText(content);
  if (findings.length > 0) return { kind: "suspicious", findings };
  return input.holdsSecret(content) ? { kind: "secret" } : undefined;
};

const findDuplicate = (content: string, entries: readonly string[]): MemoryRefusal | undefined => {
  const entry = entries.find((each) => sameEntry(each, content));
  return entry === undefined ? undefined : { kind: "duplicate", entry };
};

/** Moves the entries that are there for longest out until the rest fits. Pinned ones stay, and those whose secret the archive could not keep. */
const withRoom = (
  next: readonly string[],
  input: PlanInput,
  { fresh, reasons }: { readonly fresh: string; readonly reasons: ReadonlyMap<string, ArchiveReason> },
): MemoryPlan => {
  const movable = next
    .filter((entry) => entry !== fresh && !input.isPinned(entry) && !input.holdsSecret(entry))
    .toSorted((a, b) => input.addedAt(a) - input.addedAt(b));
  const moved: string[] = [];
  const staying = (): readonly string[] => next.filter((entry) => !moved.includes(entry));
  while (usedCharacters(staying()) > input.limit) {
    const oldest = movable[moved.length];
    if (oldest === undefined) {
      return refused({
        kind: "full",
        used: usedCharacters(input.entries),
        limit: input.limit,
        entries: input.entries,
      });
    }
    moved.push(oldest);
  }
  return planned(staying(), new Map([...reasons, ...moved.map((entry) => [entry, "overflow"] as const)]), moved);
};
