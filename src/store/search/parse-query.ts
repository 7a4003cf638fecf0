import { normalizeText, splitByScript } from "./index-text.ts";
import type { ScriptPiece } from "./index-text.ts";

/** A word or phrase to find: pieces that must all stand in the text, each as it is written. */
export interface Term {
  readonly pieces: readonly ScriptPiece[];
  /** The last word may go on: `night*`. */
  readonly isPrefix: boolean;
}

/** What one side of OR asks for: every included term and none of the excluded. `include` is never empty. */
export interface Arm {
  readonly include: readonly Term[];
  readonly exclude: readonly Term[];
}

/** A query as it was understood. `empty` finds nothing, whatever is stored. */
export type ParsedQuery =
  | { readonly kind: "arms"; readonly arms: readonly Arm[] }
  | { readonly kind: "empty"; readonly reason: "noWord" | "onlyExclusions" };

const LONGEST_QUERY = 4_000;
const MOST_TERMS = 64;

/**
 * Reads what a person typed: words, "phrases", AND, OR, NOT in capitals, and `prefix*` of two letters or more; everything
 * else is text to find. There is no wrong query: an operator with nothing beside it counts for nothing, an unmatched quote is text.
 */
export const parseQuery = (text: string): ParsedQuery => {
  const arms: { include: Term[]; exclude: Term[] }[] = [{ include: [], exclude: [] }];
  let isNegated = false;
  let startsArm = false;
  for (const token of tokensOf(normalizeText(text.slice(0, LONGEST_QUERY))).slice(0, 2 * MOST_TERMS)) {
    if (token.kind === "operator") {
      isNegated ||= token.name === "NOT";
      startsArm ||= token.name === "OR";
      continue;
    }
    const term = termOf(token);
    if (term === undefined) continue;
    if (startsArm) arms.push({ include: [], exclude: [] });
    arms.at(-1)?.[isNegated ? "exclude" : "include"].push(term);
    isNegated = false;
    startsArm = false;
  }
  const asking = arms.filter((arm) => arm.include.length > 0);
  if (asking.length > 0) return { kind: "arms", arms: asking };
  return { kind: "empty", reason: arms.some((arm) => arm.exclude.length > 0) ? "onlyExclusions" : "noWord" };
};

type Token =
  | { readonly kind: "operator"; readonly name: string }
  | { readonly kind: "phrase" | "word"; readonly text: string };

// A quote opens a phrase only at the beginning of a word and only if it is closed; curly quotes are quotes too.
const TOKEN = /["“”„]([^"“”„]*)["“”„](?=\s|$|\))|\S+/g;
const OPERATOR = /^(?:AND|OR|NOT)$/;

const tokensOf = (text: string): readonly Token[] =>
  Array.from(text.matchAll(TOKEN), ([whole, phrase]): Token => {
    if (phrase !== undefined) return { kind: "phrase", text: phrase };
    return OPERATOR.test(whole) ? { kind: "operator", name: whole } : { kind: "word", text: whole };
  });

// What FTS5's unicode61 makes tokens of; marks only follow letters.
const HAS_TOKEN = /[\p{L}\p{N}\p{Co}]/u;
// One letter alone is no prefix: nearly every message would have it.
const PREFIX = /[\p{L}\p{N}\p{Co}\p{M}]{2}\*+$/u;

/** Undefined for text without a letter or digit: punctuation is not in the index. */
const termOf = (token: { readonly kind: "phrase" | "word"; readonly text: string }): Term | undefined => {
  const pieces = splitByScript(token.text).filter((piece) => HAS_TOKEN.test(piece.text));
  if (pieces.length === 0) return undefined;
  return { pieces, isPrefix: token.kind === "word" && PREFIX.test(token.text) && pieces.at(-1)?.kind === "words" };
};
