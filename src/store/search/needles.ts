import { normalizeText } from "./index-text.ts";
import type { ScriptPiece } from "./index-text.ts";
import type { Arm } from "./parse-query.ts";

/** A text prepared for finding hits in it. `folded` has a character for each one of `shown`, at the same place. */
export interface Haystack {
  readonly shown: string;
  readonly folded: string;
}

/** Prepares a text: composed, and folded in case and accents as the index folds it. */
export const createHaystack = (text: string): Haystack => {
  if (!NOT_ASCII.test(text)) return { shown: text, folded: text.toLowerCase() };
  const shown = normalizeText(text);
  return { shown, folded: fold(shown) };
};

// Most texts have nothing to fold but case, and a search reads a thousand of them.
const NOT_ASCII = /[^\p{ASCII}]/u;

// İ is the only letter whose small form has two characters, which would shift every place after it.
const fold = (text: string): string => text.replaceAll("İ", "I").toLowerCase().replace(ACCENTED, baseLetter);

const ACCENTED = /[\u00c0-\u024f\u0370-\u04ff\u1e00-\u1fff]/g;

const baseLetter = (letter: string): string => letter.normalize("NFD").charAt(0);

/** One piece that the query asks for. */
export interface Needle {
  /** How every hit begins; found fast, then `pattern` decides at that place. */
  readonly beginning: string;
  /** Sticky. */
  readonly pattern: RegExp;
}

/** Where a hit stands, in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const LETTER = String.raw`\p{L}\p{N}\p{Co}`;
const WORD = new RegExp(String.raw`[${LETTER}\p{M}]+`, "gu");
const NO_LETTER_BEFORE = `(?<![${LETTER}])`;
const NO_LETTER_AFTER = String.raw`(?![${LETTER}\p{M}])`;
const BETWEEN_WORDS = `[^${LETTER}]+`;
const REST_OF_WORD = String.raw`[${LETTER}\p{M}]*`;

/** The needles of a query, each once. */
export const createNeedles = (arms: readonly Arm[]): readonly Needle[] => {
  const needles = arms.flatMap(({ include }) =>
    include.flatMap(({ pieces, isPrefix }) =>
      pieces.map((piece, index) => createNeedle(piece, isPrefix && index === pieces.length - 1)),
    ),
  );
  return [...new Map(needles.map((needle) => [needle.pattern.source, needle])).values()];
};

const createNeedle = (piece: ScriptPiece, isPrefix: boolean): Needle => {
  const folded = fold(piece.text);
  if (piece.kind === "cjk") return { beginning: folded, pattern: new RegExp(folded, "uy") };
  const words = folded.match(WORD) ?? [];
  const source = NO_LETTER_BEFORE + words.join(BETWEEN_WORDS) + (isPrefix ? REST_OF_WORD : NO_LETTER_AFTER);
  return { beginning: words[0] ?? "", pattern: new RegExp(source, "uy") };
};

/** The first hit of a needle at or after `from`. */
export const findHit = (folded: string, { beginning, pattern }: Needle, from: number): Span | undefined => {
  for (let at = folded.indexOf(beginning, from); at >= 0; at = folded.indexOf(beginning, at + 1)) {
    pattern.lastIndex = at;
    if (pattern.test(folded)) return { from: at, to: Math.max(pattern.lastIndex, at + 1) };
  }
  return undefined;
};
