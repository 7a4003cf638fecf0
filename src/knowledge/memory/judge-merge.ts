import { countCharacters, joinEntries } from "./memory-format.ts";

/** Entries that a model would write as one. */
export interface ProposedMerge {
  /** Places in the list of entries, from 0. */
  readonly places: readonly number[];
  readonly text: string;
}

/** A proposal that counts. */
export interface JudgedMerges {
  readonly replaced: readonly string[];
  readonly content: readonly string[];
}

/** What a model may touch. */
export interface MergeInput {
  readonly entries: readonly string[];
  readonly isFixed: (entry: string) => boolean;
}

/**
 * What of a proposal can be trusted; undefined = nothing. A merge may only say shorter what its entries say: it is made of their words,
 * keeps every number, name and negation, and takes less room. Fixed entries are not touched, and no entry twice.
 */
export const judgeMerges = (proposed: readonly ProposedMerge[], input: MergeInput): JudgedMerges | undefined => {
  const taken = new Set<number>();
  const kept = proposed.filter(({ places, text }) => {
    const own = new Set(places);
    const sources = places.flatMap((place) => input.entries[place] ?? []);
    const isSound =
      own.size === places.length &&
      own.size >= 2 &&
      sources.length === places.length &&
      !places.some((place) => taken.has(place)) &&
      !sources.some(input.isFixed) &&
      saysTheSame(text.trim(), sources);
    if (isSound) for (const place of places) taken.add(place);
    return isSound;
  });
  if (kept.length === 0) return undefined;
  return {
    replaced: kept.flatMap(({ places }) => places.flatMap((place) => input.entries[place] ?? [])),
    content: kept.map(({ text }) => text.trim()),
  };
};

const saysTheSame = (text: string, sources: readonly string[]): boolean => {
  if (text === "" || countCharacters(text) >= countCharacters(joinEntries(sources))) return false;
  const whole = sources.join(" ");
  const before = new Set(wordsOf(whole));
  const after = new Set(wordsOf(text));
  const isInvented = [...after].some((word) => !SMALL_WORDS.has(word) && !before.has(word));
  const isLost = [...essentials(whole)].some((word) => !after.has(word));
  return !isInvented && !isLost;
};

/** Words that only join others; a merge may need one that was not there. */
const SMALL_WORDS: ReadonlySet<string> = new Set(
  "a an the and or of in on at to for with by from as is are was were be it its that which also both und oder der die das ein eine mit von für in auf et ou le la les des un une de du y o el los las con por e il lo gli i".split(
    " ",
  ),
);

const NEGATIONS =
  /^(?:not|no|never|none|without|don't|doesn't|isn't|can't|cannot|won't|except|nicht|kein\p{L}*|nie|ohne|pas|jamais|sans|nunca|sin|non|mai|senza|не|нет|никогда|без)$/u;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’._/:@#+-]*/gu;

const wordsOf = (text: string): readonly string[] => [...text.matchAll(WORD)].map(([word]) => fold(word));

/** What must not get lost: whatever has a digit, a sign or a capital letter in it, and every "not". */
const essentials = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(WORD)].flatMap(([word]) => {
      const folded = fold(word);
      return /[\p{N}\p{Lu}_/@#+]/u.test(word) || NEGATIONS.test(folded) ? [folded] : [];
    }),
  );

const fold = (word: string): string =>
  word
    .normalize("NFKC")
    .replaceAll("’", "'")
    .replace(/[.':_-]+$/u, "")
    .toLowerCase();
