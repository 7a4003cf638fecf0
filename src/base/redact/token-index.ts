import { alphabetTable, inTable, WORD } from "./alphabet.ts";
import type { CharTable } from "./alphabet.ts";
import { showsEvidence } from "./evidence.ts";
import type { PivotPattern, Segment, TokenPattern } from "./redact-pattern.ts";
import { matchAt } from "./match-at.ts";
import type { SecretSpan } from "./secret-span.ts";
import { isTokenStart, LOOK_BACK } from "./token-start.ts";

const LONGEST_RUN = 300;

type Part = { readonly literal: string } | { readonly table: CharTable; readonly min: number; readonly max: number };

interface Token {
  readonly row: TokenPattern;
  readonly prefix: string;
  readonly body: readonly Part[];
  readonly rest: readonly Part[];
}

interface Pivot {
  readonly row: PivotPattern;
  readonly before: readonly Part[];
  readonly after: readonly Part[];
}

/** The token and pivot rows, compiled for look-up by their first two characters. */
export interface TokenIndex {
  /** The characters other than word characters with which a pivot begins. */
  readonly pivotCharacters: string;
  /** The secret that begins at `index`, by prefix or, reaching back no further than `floor`, by pivot. */
  match(text: string, index: number, floor: number): SecretSpan | undefined;
}

const partOf = (segment: Segment): Part =>
  typeof segment === "string"
    ? { literal: segment }
    : { table: alphabetTable(segment.chars), min: segment.min, max: segment.max ?? LONGEST_RUN };

/** The end of the parts from `index` on, each taking as much as it can; -1 if they do not stand there. */
const forward = (text: string, index: number, parts: readonly Part[]): number => {
  let at = index;
  for (const part of parts) {
    if ("literal" in part) {
      if (!text.startsWith(part.literal, at)) return -1;
      at += part.literal.length;
      continue;
    }
    const { table, min, max } = part;
    const limit = Math.min(text.length, at + max);
    const least = at + min;
    while (at < limit && inTable(table, text.charCodeAt(at))) at += 1;
    if (at < least) return -1;
  }
  return at;
};

/** The start of the parts that end at `index`; -1 if they do not. */
const backward = (text: string, index: number, parts: readonly Part[]): number => {
  let at = index;
  for (const part of parts.toReversed()) {
    if ("literal" in part) {
      if (!text.endsWith(part.literal, at)) return -1;
      at -= part.literal.length;
      continue;
    }
    const { table, min, max } = part;
    const limit = Math.max(0, at - max);
    const most = at - min;
    while (at > limit && inTable(table, text.charCodeAt(at - 1))) at -= 1;
    if (at > most) return -1;
  }
  return at;
};

// A name such as `icon.4f2b….png` is a file's, not a token.
const FILE_EXTENSION = /\.(?:png|jpe?g|gif|svg|ico|webp|woff2?|ttf|eot|css|m?js|map|json|html?|txt|md|zip|t?gz)\b/y;

// A run that goes on past its longest length is something else.
const endsThere = (text: string, end: number, last: Part | undefined): boolean => {
  const code = text.charCodeAt(end);
  if (text.charAt(end) === "." && matchAt(FILE_EXTENSION, text, end) !== undefined) return false;
  return !inTable(WORD, code) && !(last !== undefined && "table" in last && inTable(last.table, code));
};

const startsThere = (text: string, start: number, first: Part | undefined): boolean =>
  !(first !== undefined && "table" in first && inTable(first.table, text.charCodeAt(start - 1)));

const withoutFinalDots = (text: string, start: number, end: number): number => {
  let at = end;
  while (at > start && text.charAt(at - 1) === ".") at -= 1;
  return at;
};

const SHORTEST_GLUED_PREFIX = 3;

/** `my_ghp_…`, `KEY_sk-…`: an underscore joins a name to a token. Names are full of underscores, so more is asked of what follows. */
const mayBeGlued = (text: string, index: number, { row, prefix }: Token): boolean =>
  text.charAt(index - 1) === "_" && prefix.length >= SHORTEST_GLUED_PREFIX && row.keepPrefix !== true;

const matchToken = (text: string, index: number, token: Token): SecretSpan | undefined => {
  const { row, prefix } = token;
  if (!text.startsWith(prefix, index)) return undefined;
  const isFree = isTokenStart(text, index);
  if (!isFree && !mayBeGlued(text, index, token)) return undefined;
  if (index > 0 && row.notAfter?.includes(text.charAt(index - 1)) === true) return undefined;
  const bodyStart = index + prefix.length;
  const bodyEnd = forward(text, bodyStart, token.body);
  if (bodyEnd < 0) return undefined;
  const restEnd = token.rest.length > 0 ? forward(text, bodyEnd, token.rest) : -1;
  if (!endsThere(text, Math.max(bodyEnd, restEnd), (restEnd < 0 ? token.body : token.rest).at(-1))) return undefined;
  const end = withoutFinalDots(text, bodyStart, Math.max(bodyEnd, restEnd));
  const start = row.keepPrefix === true ? bodyStart : index;
  const proof = text.slice(row.evidence === "jwt" || row.keepPrefix === true ? start : bodyStart, end);
  if (row.near !== undefined && !text.slice(Math.max(0, index - LOOK_BACK), index).includes(row.near)) return undefined;
  return showsEvidence(proof, isFree ? row.evidence : "random") ? { start, end, kind: row.kind } : undefined;
};

const matchPivot = (text: string, index: number, { row, before, after }: Pivot): SecretSpan | undefined => {
  if (!text.startsWith(row.pivot, index)) return undefined;
  const start = backward(text, index, before);
  if (
    start < 0 ||
    !startsThere(text, start, before[0]) ||
    !(isTokenStart(text, start) || /(?:^|\W)bot$/.test(text.slice(Math.max(0, start - 4), start)))
  )
    return undefined;
  const end = forward(text, index + row.pivot.length, after);
  if (end < 0 || !endsThere(text, end, after.at(-1))) return undefined;
  return showsEvidence(text.slice(start, end), row.evidence) ? { start, end, kind: row.kind } : undefined;
};

const CODES = 128;

/** One row, ready to be asked at a position whose first two characters fit. */
type Candidate = (text: string, index: number) => SecretSpan | undefined;

/** The candidates by the codes of the first two characters; one list may serve many pairs. */
type PairTable = readonly (readonly Candidate[] | undefined)[];

/** The pairs that begin `literal`; a literal of one character may be followed by any. */
const pairsOf = (literal: string): readonly number[] => {
  const first = literal.charCodeAt(0) * CODES;
  return literal.length > 1
    ? [first + literal.charCodeAt(1)]
    : Array.from({ length: CODES }, (_, second) => first + second);
};

const tokensOf = (rows: readonly (TokenPattern | PivotPattern)[]): readonly Token[] =>
  rows
    .filter((row) => row.type === "token")
    .flatMap((row) =>
      row.prefixes.map((prefix) => ({ row, prefix, body: row.body.map(partOf), rest: (row.rest ?? []).map(partOf) })),
    )
    .sort((a, b) => b.prefix.length - a.prefix.length);

const pivotsOf = (rows: readonly (TokenPattern | PivotPattern)[]): readonly Pivot[] =>
  rows
    .filter((row) => row.type === "pivot")
    .map((row) => ({ row, before: row.before.map(partOf), after: row.after.map(partOf) }));

const pairTable = (tokens: readonly Token[], pivots: readonly Pivot[]): PairTable => {
  // Filled at once: to make it one by one costs milliseconds of every start.
  const table = Array<Candidate[] | undefined>(CODES * CODES).fill(undefined);
  const add = (literal: string, candidate: Candidate): void => {
    for (const pair of pairsOf(literal)) (table[pair] ??= []).push(candidate);
  };
  for (const token of tokens) add(token.prefix, (text, index) => matchToken(text, index, token));
  for (const pivot of pivots) add(pivot.row.pivot, (text, index) => matchPivot(text, index, pivot));
  return table;
};

/** Compiles the rows. Of two prefixes that fit, the longer is asked first, then the earlier row. */
export const createTokenIndex = (rows: readonly (TokenPattern | PivotPattern)[]): TokenIndex => {
  const pivots = pivotsOf(rows);
  const table = pairTable(tokensOf(rows), pivots);

  const match = (text: string, index: number, floor: number): SecretSpan | undefined => {
    const first = text.charCodeAt(index);
    const second = text.charCodeAt(index + 1);
    if (!(first < CODES && second < CODES)) return undefined;
    const candidates = table[first * CODES + second];
    if (candidates === undefined) return undefined;
    for (const candidate of candidates) {
      const span = candidate(text, index);
      if (span !== undefined && span.start >= floor) return span;
    }
    return undefined;
  };
  const openings = pivots.map(({ row }) => row.pivot.charAt(0));
  return { pivotCharacters: openings.filter((opening) => !inTable(WORD, opening.charCodeAt(0))).join(""), match };
};
