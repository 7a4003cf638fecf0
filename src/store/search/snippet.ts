import type { Haystack } from "./needles.ts";

const OPEN = ">>>";
const CLOSE = "<<<";
const CUT = "…";
/** Most UTF-16 units of a snippet, marks and all. */
const LONGEST = 240;
/** Text shown around the first hit; the rest of `LONGEST` is for the marks. */
const WINDOW = 204;
const BEFORE_HIT = 60;
const MOST_MARKS = Math.floor((LONGEST - WINDOW - 2 * CUT.length) / (OPEN.length + CLOSE.length));

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The text around the first hit, hits between `>>>` and `<<<`, on one line, with at most 240 characters. */
export const createSnippet = ({ shown, folded }: Haystack, needles: readonly RegExp[]): string => {
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

const firstHit = (folded: string, needles: readonly RegExp[]): Span | undefined => {
  const hits = needles.flatMap((needle) => {
    needle.lastIndex = 0;
    const match = needle.exec(folded);
    return match === null ? [] : [{ from: match.index, to: match.index + match[0].length }];
  });
  return hits.sort((a, b) => a.from - b.from)[0];
};

/** Hits that begin in the window, in order, without overlaps, cut at its end. */
const spansWithin = (folded: string, needles: readonly RegExp[], window: Span): readonly Span[] => {
  const found = needles.flatMap((needle) => {
    const spans: Span[] = [];
    needle.lastIndex = window.from;
    for (let match = needle.exec(folded); match !== null && match.index < window.to; match = needle.exec(folded)) {
      spans.push({ from: match.index, to: Math.min(match.index + match[0].length, window.to) });
      if (spans.length === MOST_MARKS) break;
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
