/** The two columns of the search index. */
export interface IndexedText {
  /** Everything but CJK, for FTS5's own tokeniser. */
  readonly words: string;
  /** CJK as overlapping pairs, written as tokens of our own. */
  readonly cjk: string;
}

// Letters of scripts that are written without spaces between words. `v` gives the intersection with letters and numbers.
const CJK = String.raw`[[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}ーｰ]&&[\p{L}\p{N}]]`;
const CJK_RUN = new RegExp(`${CJK}+`, "gv");
const HAS_CJK = new RegExp(CJK, "v");

/** Text as the index and queries see it: composed, so that a letter with its marks is one character. */
export const normalizeText = (text: string): string => text.normalize("NFC");

/** Splits a message's text into the index's columns. */
export const indexText = (text: string): IndexedText => {
  const normalized = normalizeText(text);
  if (!HAS_CJK.test(normalized)) return { words: normalized, cjk: "" };
  const runs = normalized.match(CJK_RUN) ?? [];
  return {
    words: normalized.replace(CJK_RUN, " "),
    cjk: runs.flatMap(pairsOf).join(" "),
  };
};

/** A piece of a query word: a run of CJK, or what stands between such runs. */
export interface ScriptPiece {
  readonly kind: "cjk" | "words";
  readonly text: string;
}

/** Cuts normalised text where CJK begins and ends. */
export const splitByScript = (text: string): readonly ScriptPiece[] => {
  const pieces: ScriptPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(CJK_RUN)) {
    if (match.index > end) pieces.push({ kind: "words", text: text.slice(end, match.index) });
    pieces.push({ kind: "cjk", text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ kind: "words", text: text.slice(end) });
  return pieces;
};

/**
 * The tokens that a run of the text leaves in the index: each character with the next one, and the last one alone, which also
 * keeps the pairs of this run apart from those of the next. The tokens are code points in hexadecimal, because FTS5's tokeniser
 * does not know the letters of newer Unicode versions.
 */
const pairsOf = (run: string): readonly string[] => {
  const points = codesOf(run);
  return points.map((point, index) => point + (points[index + 1] ?? ""));
};

/** The tokens whose sequence finds `run` wherever it stands in a text; `isPrefix` = the last is the beginning of one. */
export const tokensToFind = (run: string): { readonly tokens: readonly string[]; readonly isPrefix: boolean } => {
  const points = codesOf(run);
  if (points.length === 1) return { tokens: points, isPrefix: true };
  return { tokens: points.slice(0, -1).map((point, index) => point + (points[index + 1] ?? "")), isPrefix: false };
};

const codesOf = (run: string): readonly string[] =>
  Array.from(run, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(5, "0"));
