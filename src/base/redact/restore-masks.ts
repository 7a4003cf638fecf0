import { maskOf, MASKS } from "./mask.ts";
import { maskSpans } from "./redact-text.ts";
import type { Redactor } from "./redact-text.ts";

/** What became of a text that may hold masks. `line` counts from 1. */
export type RestoredMasks =
  | { readonly kind: "restored"; readonly text: string }
  | { readonly kind: "unknown_mask"; readonly mask: string; readonly line: number };

interface Occurrence {
  readonly mask: string;
  readonly index: number;
  /** The whole line in which it stands, masked. */
  readonly line: string;
  /** The how-manieth mask of this line it is. */
  readonly place: number;
}

interface Source extends Occurrence {
  readonly secret: string;
}

const lineAt = (text: string, index: number): { text: string; start: number } => {
  const start = text.lastIndexOf("\n", index - 1) + 1;
  const end = text.indexOf("\n", index);
  return { text: text.slice(start, end < 0 ? text.length : end), start };
};

const occurrencesOf = (text: string): readonly Occurrence[] => {
  const found: Occurrence[] = [];
  let place = 0;
  let lineStart = -1;
  for (const { 0: mask, index } of text.matchAll(MASKS)) {
    const line = lineAt(text, index);
    place = line.start === lineStart ? place + 1 : 0;
    lineStart = line.start;
    found.push({ mask, index, line: line.text, place });
  }
  return found;
};

/** What the file holds under each mask, in order. A mask that stands in the file as text stands for itself. */
const sourcesOf = (current: string, redactor: Redactor): readonly Source[] => {
  const spans = redactor.find(current);
  const hidden = spans.map(({ start, end, kind }) => ({ start, secret: current.slice(start, end), kind }));
  const literal = Array.from(current.matchAll(MASKS), ({ 0: mask, index }) => ({
    start: index,
    secret: mask,
    kind: "",
  }));
  const secrets = [...hidden, ...literal].sort((a, b) => a.start - b.start);
  const masked = occurrencesOf(maskSpans(current, spans));
  return secrets.flatMap(({ secret, kind }, index) => {
    const occurrence = masked[index];
    return occurrence === undefined || (kind !== "" && occurrence.mask !== maskOf(kind, secret))
      ? []
      : [{ ...occurrence, secret }];
  });
};

const onlySecret = (sources: readonly Source[]): string | undefined => {
  const secrets = new Set(sources.map(({ secret }) => secret));
  return secrets.size === 1 ? sources[0]?.secret : undefined;
};

/** The secret for one occurrence: the only one under its mask, else that of the same line, else the one in the same order. */
const secretFor = (wanted: Occurrence, all: readonly Occurrence[], sources: readonly Source[]): string | undefined => {
  const candidates = sources.filter(({ mask }) => mask === wanted.mask);
  const sameLine = candidates.filter(({ line, place }) => line === wanted.line && place === wanted.place);
  const known = onlySecret(candidates) ?? onlySecret(sameLine);
  if (known !== undefined) return known;
  const equals = all.filter(({ mask }) => mask === wanted.mask);
  return equals.length === candidates.length ? candidates[equals.indexOf(wanted)]?.secret : undefined;
};

const lineNumber = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/**
 * Puts the original secrets back into text that was written by someone who read `current` masked. Each mask becomes what `current`
 * holds under it; a mask that `current` does not hold, or holds for several secrets that cannot be told apart, is refused.
 * With a disabled redactor the text stays as it is.
 */
export const restoreMasks = (text: string, current: string, redactor: Redactor): RestoredMasks => {
  const wanted = redactor.enabled ? occurrencesOf(text) : [];
  if (wanted.length === 0) return { kind: "restored", text };
  const sources = sourcesOf(current, redactor);
  const pieces: string[] = [];
  let at = 0;
  for (const occurrence of wanted) {
    const secret = secretFor(occurrence, wanted, sources);
    if (secret === undefined)
      return { kind: "unknown_mask", mask: occurrence.mask, line: lineNumber(text, occurrence.index) };
    pieces.push(text.slice(at, occurrence.index), secret);
    at = occurrence.index + occurrence.mask.length;
  }
  return { kind: "restored", text: `${pieces.join("")}${text.slice(at)}` };
};
