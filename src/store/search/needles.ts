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
  const shown = normalizeText(text);
  return { shown, folded: fold(shown) };
};

// İ is the only letter whose small form has two characters, which would shift every place after it.
const fold = (text: string): string => text.replaceAll("İ", "I").toLowerCase().replace(ACCENTED, baseLetter);

const ACCENTED = /[\u00c0-\u024f\u0370-\u04ff\u1e00-\u1fff]/g;

const baseLetter = (letter: string): string => letter.normalize("NFD").charAt(0);

const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
const NO_LETTER_BEFORE = String.raw`(?<![\p{L}\p{N}\p{Co}])`;
const NO_LETTER_AFTER = String.raw`(?![\p{L}\p{N}\p{Co}\p{M}])`;
const BETWEEN_WORDS = String.raw`[^\p{L}\p{N}\p{Co}]+`;
const REST_OF_WORD = String.raw`[\p{L}\p{N}\p{Co}\p{M}]*`;

/** One pattern for each piece that the query asks for, to be run over `Haystack.folded`. */
export const createNeedles = (arms: readonly Arm[]): readonly RegExp[] => {
  const sources = arms.flatMap(({ include }) =>
    include.flatMap(({ pieces, isPrefix }) =>
      pieces.map((piece, index) => sourceOf(piece, isPrefix && index === pieces.length - 1)),
    ),
  );
  return [...new Set(sources)].map((source) => new RegExp(source, "gu"));
};

const sourceOf = (piece: ScriptPiece, isPrefix: boolean): string => {
  const folded = fold(piece.text);
  if (piece.kind === "cjk") return folded;
  const words = folded.match(WORD) ?? [];
  return NO_LETTER_BEFORE + words.join(BETWEEN_WORDS) + (isPrefix ? REST_OF_WORD : NO_LETTER_AFTER);
};
