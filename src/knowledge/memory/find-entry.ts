import type { MemoryRefusal } from "./memory-change.ts";
import { foldEntry } from "./memory-format.ts";

/** Which entry a text means. */
export type EntryMatch =
  | { readonly kind: "found"; readonly place: number }
  | Extract<MemoryRefusal, { kind: "not_found" | "ambiguous" | "empty" }>;

/**
 * The one entry that holds a text. A whole entry beats a part of another; where nothing holds it exactly, blanks and case are passed over.
 * Of entries that are the same text twice, the first is meant.
 */
export const findEntry = (entries: readonly string[], oldText: string): EntryMatch => {
  const wanted = oldText.trim();
  if (wanted === "") return { kind: "empty" };
  const whole = entries.indexOf(wanted);
  if (whole >= 0) return { kind: "found", place: whole };
  const exact = placesOf(entries, (entry) => entry.includes(wanted));
  const folded = foldEntry(wanted);
  const places =
    exact.length > 0 || folded === "" ? exact : placesOf(entries, (entry) => foldEntry(entry).includes(folded));
  const [first] = places;
  if (first === undefined) return { kind: "not_found", oldText: wanted, entries };
  const candidates = places.map((place) => entries[place] ?? "");
  if (new Set(candidates).size > 1) return { kind: "ambiguous", oldText: wanted, candidates };
  return { kind: "found", place: first };
};

const placesOf = (entries: readonly string[], test: (entry: string) => boolean): readonly number[] =>
  entries.flatMap((entry, place) => (test(entry) ? [place] : []));
