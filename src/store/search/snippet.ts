import { findHit } from "./needles.ts";
import type { Haystack, Needle, Span } from "./needles.ts";

const OPEN = ">>>";
const CLOSE = "<<<";
const CUT = "…";
/** Most UTF-16 units of a snippet, marks and all. */
const LONGEST = 240;
/** Text shown around the first hit; the rest of `LONGEST` is for the marks. */
const WINDOW = 204;
const BEFORE_HIT = 60;
const MOST_MARKS = Math.floor((LONGEST - WINDOW - 2 * CUT.length) / (OPEN.length + CLOSE.length));

/** The text around the first hit, hits between `>>>` and `<<<`, on one line, with at most 240 characters. */
export const createSnippet = ({ shown, folded }: Haystack, needles: readonly Needle[]): string => {
  const first = firstHit(folded, needles);
  const start = whole(shown, Math.max(0, Math.min((first?.from ?? 0) - BEFORE_HIT, shown.length - WINDOW)));
  const end = whole(shown, Math.min(shown.length, start + WINDOW));
  const spans = first === undefined ? [] : spansWithin(folded, needles, { from: start, to: end });
  const pieces: string[] = [];
  let at = start;
  for (const span of spans) {
    pieces.push(shown.slice(at, span.from), OPEN, shown.slice(span.from, span.to), CLOSE);
    at = span.to;
  }
  pieces.push(shown.slice(at, end));
  const text = pieces.join("").replace(BLANK, " ").trim();
  return `${start > 0 ? CUT : ""}${text}${end < shown.length ? CUT : ""}`;
};

// Line ends, tabs and control characters: a snippet is one line, and must not move a terminal's cursor.
const BLANK = /[\s\p{Cc}]+/gu;

const firstHit = (folded: string, needles: readonly Needle[]): Span | undefined =>
  needles
    .map((needle) => findHit(folded, needle, 0))
    .filter((hit) => hit !== undefined)
    .sort((a, b) => a.from - b.from)[0];

/** Hits that begin in the window, in order, without overlaps, cut at its end. */
const spansWithin = (folded: string, needles: readonly Needle[], window: Span): readonly Span[] => {
  const found = needles.flatMap((needle) => {
    const spans: Span[] = [];
    for (
      let hit = findHit(folded, needle, window.from);
      hit !== undefined && hit.from < window.to && spans.length < MOST_MARKS;
      hit = findHit(folded, needle, hit.to)
    ) {
      spans.push({ from: hit.from, to: Math.min(hit.to, window.to) });
    }
    return spans;
  });
  const apart: Span[] = [];
  for (const span of found.sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (span.from >= (apart.at(-1)?.to ?? 0) && apart.length < MOST_MARKS) apart.push(span);
  }
  return apart;
};

/** Moves a place out of the middle of a surrogate pair. */
const whole = (text: string, at: number): number => {
  const isInside = /^[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]$/.test(text.charAt(at - 1));
  return isInside ? at - 1 : at;
};
