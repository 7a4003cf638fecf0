import { findLines, TOLERANCES } from "./match-lines.ts";
import type { IndentShift, Tolerance } from "./match-lines.ts";
import { nearestRegion } from "./nearest-region.ts";
import type { Hunk } from "./patch-format.ts";

/** How a hunk found its place. `context_dropped` = only after leaving out context lines at its ends. */
export type HunkFit = Tolerance | "context_dropped";

/** Where a hunk goes: `count` file lines from index `at` are replaced by what `hunk` makes of them. */
export interface Place {
  readonly at: number;
  readonly count: number;
  readonly shift: IndentShift;
  readonly fit: HunkFit;
  readonly hunk: Hunk;
}

/** A hunk's place, or one sentence on why it has none. */
export type Placement =
  | { readonly kind: "ok"; readonly place: Place }
  | { readonly kind: "failed"; readonly why: string };

/** What the hunks before have shown. */
export interface PlacingProgress {
  readonly placed: readonly Place[];
  /** By how many lines the last hunk was off its stated line. */
  readonly drift: number;
}

/**
 * Finds where a hunk belongs in the lines of a file: exactly, then with tolerated white space, then without up to two context
 * lines at either end. The stated line decides between equal places, then the end of the file, then hints, then (in patches
 * without numbers) the order of hunks; what is still ambiguous fails.
 */
export const placeHunk = (texts: readonly string[], hunk: Hunk, progress: PlacingProgress): Placement => {
  const wanted = oldLinesOf(hunk);
  if (wanted.length === 0) return placeInsertion(texts, hunk, progress);
  for (const { trimmed, tolerance, fit } of attempts(hunk)) {
    const old = oldLinesOf(trimmed);
    const candidates = findLines(texts, old, tolerance)
      .map(({ at, shift }): Place => ({ at, shift, count: old.length, fit, hunk: trimmed }))
      .filter((place) => !progress.placed.some((other) => overlaps(place, other)));
    if (candidates.length === 0) continue;
    return choose(texts, candidates, { hunk, progress, skipped: leadingDropped(hunk, trimmed) });
  }
  const nearest = nearestRegion(texts, wanted);
  const shown = nearest === undefined ? "" : ` The nearest part of the file is:\n${nearest}`;
  return { kind: "failed", why: `its lines are not in the file.${shown}` };
};

const oldLinesOf = (hunk: Hunk): readonly string[] =>
  hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);

const overlaps = (a: Place, b: Place): boolean => a.at < b.at + b.count && b.at < a.at + a.count;

interface Attempt {
  readonly trimmed: Hunk;
  readonly tolerance: Tolerance;
  readonly fit: HunkFit;
}

const MAX_DROPPED_CONTEXT = 2;

const attempts = (hunk: Hunk): readonly Attempt[] => {
  const tolerant = TOLERANCES.filter((tolerance) => tolerance !== "first_line_unindented");
  const whole = tolerant.map((tolerance): Attempt => ({ trimmed: hunk, tolerance, fit: tolerance }));
  const dropped: Attempt[] = [];
  for (let count = 1; count <= MAX_DROPPED_CONTEXT; count++) {
    const trimmed = withoutOuterContext(hunk, count);
    if (trimmed === undefined) break;
    dropped.push(...tolerant.map((tolerance): Attempt => ({ trimmed, tolerance, fit: "context_dropped" })));
  }
  return [...whole, ...dropped];
};

/** The hunk without up to `count` context lines at either end; undefined where nothing that tells the place would be left. */
const withoutOuterContext = (hunk: Hunk, count: number): Hunk | undefined => {
  const leading = Math.min(count, leadingContext(hunk));
  const trailing = Math.min(count, hunk.lines.length - 1 - hunk.lines.findLastIndex(({ sign }) => sign !== " "));
  if (Math.max(leading, trailing) < count) return undefined;
  const lines = hunk.lines.slice(leading, hunk.lines.length - trailing);
  const isTelling = lines.some(({ sign, text }) => sign !== "+" && text.trim() !== "");
  return isTelling ? { ...hunk, lines, isAtEnd: hunk.isAtEnd && trailing === 0 } : undefined;
};

const leadingContext = (hunk: Hunk): number => hunk.lines.findIndex(({ sign }) => sign !== " ");

const leadingDropped = (hunk: Hunk, trimmed: Hunk): number => leadingContext(hunk) - leadingContext(trimmed);

interface Choice {
  readonly hunk: Hunk;
  readonly progress: PlacingProgress;
  /** Context lines that were dropped before the first one. */
  readonly skipped: number;
}

const choose = (
  texts: readonly string[],
  candidates: readonly Place[],
  { hunk, progress, skipped }: Choice,
): Placement => {
  const [only] = candidates;
  if (candidates.length === 1 && only !== undefined) return { kind: "ok", place: only };
  const stated = hunk.statedLine === undefined ? undefined : statedIndex(hunk) + progress.drift + skipped;
  const decided =
    candidates.find(({ at }) => at === stated) ??
    (hunk.isAtEnd ? candidates.find(({ at, count }) => at + count === texts.length) : undefined) ??
    afterHints(texts, candidates, hunk) ??
    (hunk.statedLine === undefined ? onlyAfter(candidates, progress) : undefined);
  if (decided !== undefined) return { kind: "ok", place: decided };
  const places = candidates
    .slice(0, 20)
    .map(({ at }) => at + 1)
    .join(", ");
  return {
    kind: "failed",
    why: `its lines stand at ${candidates.length} places (lines ${places}). Add context lines that tell which is meant.`,
  };
};

/** The index of the first old line as the diff states it; for an insertion, the index to insert at. */
export const statedIndex = (hunk: Hunk): number => {
  const line = hunk.statedLine ?? 1;
  return hunk.statedCount === 0 ? line : Math.max(0, line - 1);
};

/** The first candidate after the hinted lines, if every reading of the hints leads to the same one. */
const afterHints = (texts: readonly string[], candidates: readonly Place[], hunk: Hunk): Place | undefined => {
  if (hunk.hints.length === 0) return undefined;
  const chosen = new Set(hintedStarts(texts, hunk.hints).map((start) => candidates.find(({ at }) => at >= start)));
  chosen.delete(undefined);
  return chosen.size === 1 ? [...chosen][0] : undefined;
};

/** The lines on or after which a hunk stands, for each place of its outermost hint. The last hint may itself be a hunk's line. */
const hintedStarts = (texts: readonly string[], hints: readonly string[]): readonly number[] => {
  const find = (hint: string, from: number): readonly number[] => {
    const all = texts.map((text, index) => ({ text, index })).slice(from);
    const equal = all.filter(({ text }) => text.trim() === hint.trim());
    const hits = equal.length > 0 ? equal : all.filter(({ text }) => text.includes(hint.trim()));
    return hits.map(({ index }) => index);
  };
  const [outermost, ...inner] = hints;
  if (outermost === undefined) return [];
  return find(outermost, 0).flatMap((start) => {
    let at = start;
    for (const hint of inner) {
      const next = find(hint, at + 1)[0];
      if (next === undefined) return [];
      at = next;
    }
    return [at];
  });
};

/** Hunks come in the order of the file: of several equal places the only one after the last hunk is meant. */
const onlyAfter = (candidates: readonly Place[], { placed }: PlacingProgress): Place | undefined => {
  const end = Math.max(0, ...placed.map(({ at, count }) => at + count));
  const after = candidates.filter(({ at }) => at >= end);
  return end > 0 && after.length === 1 ? after[0] : undefined;
};

const placeInsertion = (texts: readonly string[], hunk: Hunk, progress: PlacingProgress): Placement => {
  const insertAt = (at: number): Placement => ({
    kind: "ok",
    place: { at, count: 0, shift: { kind: "none" }, fit: "exact", hunk },
  });
  if (hunk.statedLine !== undefined) {
    const at = statedIndex(hunk) + progress.drift;
    return at >= 0 && at <= texts.length
      ? insertAt(at)
      : { kind: "failed", why: `the file has only ${texts.length} lines.` };
  }
  if (hunk.hints.length === 0) return insertAt(texts.length);
  const starts = hintedStarts(texts, hunk.hints);
  const [start] = starts;
  if (start === undefined)
    return { kind: "failed", why: `the line ${JSON.stringify(hunk.hints.at(-1))} is not in the file.` };
  return starts.length === 1
    ? insertAt(start + 1)
    : {
        kind: "failed",
        why: `the hint stands at lines ${starts.map((line) => line + 1).join(", ")}. Add context lines.`,
      };
};
