import { matchAt } from "./match-at.ts";
import type { Scan } from "./scan.ts";
import { colourEnd } from "./terminal-colour.ts";

/** What stands behind a separator. Offsets without quotes and without a scheme word such as `Bearer`. */
export interface ValueAfter {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  /** A scheme word stood before it: `Authorization: Token abc`. */
  readonly schemed: boolean;
}

const LONGEST_QUOTED = 1024;
const LONGEST_PLAIN = 4096;
const MOST_BLANKS = 40;

const SCHEME = /(?:bearer|basic|token|api-?token|api-?key|bot|jwt|oauth|apikey)[ \t]{1,4}/iy;
const OPENING = /[rfbuRFBU]{0,2}(\\{0,3})(["'`])/y;

/** Skips blanks and terminal colours, not line ends. */
export const skipBlanks = (text: string, index: number): number => {
  let at = index;
  while (at - index < MOST_BLANKS && (text.charAt(at) === " " || text.charAt(at) === "\t")) at += 1;
  return colourEnd(text, at);
};

// Where an unquoted value ends. Brackets end it too; what opened there decides whether it was a value at all.
const PLAIN_END = new Set(" \t\r\n\u001b\"'`<>\\|;,()[]{}«»");

/** The end of the unquoted run at `start`. Each run is walked once, however many separators stand in it. */
export const plainEnd = (scan: Scan, start: number): number => {
  const { text, run } = scan;
  if (start >= run.from && start < run.to) return run.to;
  let at = start;
  while (at < text.length && !PLAIN_END.has(text.charAt(at))) at += 1;
  run.from = start;
  run.to = at;
  return at;
};

const closingQuote = (text: string, start: number, quote: string): number => {
  const limit = Math.min(text.length, start + LONGEST_QUOTED);
  for (let at = start; at < limit; at += 1) {
    const character = text.charAt(at);
    if (character === "\n" || character === "\r") return -1;
    if (text.startsWith(quote, at)) return at;
    if (character === "\\" && quote.length === 1) at += 1;
  }
  return -1;
};

const readQuoted = (text: string, start: number, quote: string): ValueAfter | undefined => {
  const scheme = matchAt(SCHEME, text, start)?.[0].length ?? 0;
  const end = closingQuote(text, start + scheme, quote);
  return end < 0 ? undefined : { start: start + scheme, end, quoted: true, schemed: scheme > 0 };
};

/** The value at `index`, behind blanks, quote and scheme word; undefined where the line ends or a quote is not closed on it. */
export const readValueAfter = (scan: Scan, index: number): ValueAfter | undefined => {
  const { text } = scan;
  const at = skipBlanks(text, index);
  const opening = matchAt(OPENING, text, at);
  if (opening !== undefined) return readQuoted(text, at + opening[0].length, `${opening[1] ?? ""}${opening[2] ?? ""}`);
  const scheme = matchAt(SCHEME, text, at)?.[0].length ?? 0;
  const start = at + scheme;
  const end = plainEnd(scan, start);
  return end === start || end - start > LONGEST_PLAIN ? undefined : { start, end, quoted: false, schemed: scheme > 0 };
};
