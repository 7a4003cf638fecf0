import type { MemoryStore } from "../../store/memory-store.ts";
import type { MemoryBook } from "./memory-book.ts";
import { MEMORY_TARGETS, type MemoryTarget } from "./memory-format.ts";

/** An entry that fits a search: in its file now, or in the archive. */
export interface MemoryHit {
  readonly target: MemoryTarget;
  readonly text: string;
  /** ms UTC; undefined = put into the file by hand, and not seen before. */
  readonly addedAt: number | undefined;
  /** Undefined = it is in the file now. */
  readonly archived: { readonly id: number; readonly at: number; readonly reason: string } | undefined;
}

export interface MemoryQuery {
  readonly text: string;
  /** Absent = both files. */
  readonly target?: MemoryTarget;
  readonly limit: number;
}

/** More than anybody's memory has lost; the archive is read as a whole and searched here. */
const MOST_ARCHIVED = 50_000;

/**
 * Entries with all words of a query, wherever they stand in words, whatever their case and accents; where there are none, those with most of
 * the words. The files first, then the archive from the newest on; a text that went several times once.
 */
export const searchMemory = async (
  deps: { readonly book: MemoryBook; readonly store: MemoryStore },
  query: MemoryQuery,
): Promise<readonly MemoryHit[]> => {
  const words = fold(query.text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const entries = await everything(deps, query.target);
  const scored = entries
    .map((hit) => ({ hit, score: countOf(words, fold(hit.text)) }))
    .filter(({ score }) => score > 0);
  const full = scored.filter(({ score }) => score === words.length);
  const chosen = full.length > 0 ? full : scored.toSorted((a, b) => b.score - a.score);
  return chosen.slice(0, query.limit).map(({ hit }) => hit);
};

const everything = async (
  { book, store }: { readonly book: MemoryBook; readonly store: MemoryStore },
  target: MemoryTarget | undefined,
): Promise<readonly MemoryHit[]> => {
  const targets = target === undefined ? MEMORY_TARGETS : [target];
  const listings = await Promise.all(targets.map((each) => book.list(each)));
  const live = listings.flatMap(({ entries }) =>
    entries.map((entry) => ({
      target: entry.target,
      text: entry.text,
      addedAt: entry.known?.addedAt,
      archived: undefined,
    })),
  );
  const archived = await store.archive({ limit: MOST_ARCHIVED, ...(target === undefined ? {} : { target }) });
  const seen = new Set(live.map((hit) => `${hit.target} ${hit.text}`));
  const gone = archived.flatMap(({ id, target: place, text, addedAt, archivedAt, reason }) => {
    const key = `${place} ${text}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ target: place, text, addedAt, archived: { id, at: archivedAt, reason } }];
  });
  return [...live, ...gone];
};

const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase();

const countOf = (words: readonly string[], text: string): number =>
  words.reduce((count, word) => count + (text.includes(word) ? 1 : 0), 0);
