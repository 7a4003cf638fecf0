import { shorten } from "./shorten.ts";

export interface QuoteLimits {
  readonly tokensOf: (text: string) => number;
  /** Most tokens of all quotes together. */
  readonly most: number;
}

/** One quote may take this part of all, so that a pasted page does not crowd out the rest. */
const LARGEST_PART = 0.5;

/**
 * The newest of what the person said that fits, the oldest first; each to the letter, but for what is longer than half of the
 * space. What older summaries quote goes first, so what is left out has been in a summary at least once.
 */
export const newestQuotes = (said: readonly string[], { tokensOf, most }: QuoteLimits): readonly string[] => {
  const kept: string[] = [];
  let left = most;
  for (const text of said.toReversed()) {
    const quote = withinTokens(text, Math.floor(most * LARGEST_PART), tokensOf);
    left -= tokensOf(quote);
    if (left < 0) break;
    kept.push(quote);
  }
  return kept.reverse();
};

/** A text of no more than so many tokens, with its beginning and end. */
const withinTokens = (text: string, most: number, tokensOf: (text: string) => number): string => {
  // No tokenizer makes more tokens than three a character; most make far fewer, so what is longer than this is cut before it is counted.
  let cut = shorten(text, most * 8);
  for (let tries = 0; tries < 4; tries += 1) {
    const tokens = tokensOf(cut);
    if (tokens <= most) return cut;
    cut = shorten(text, Math.floor((Math.min(cut.length, text.length) * most * 0.9) / tokens));
  }
  return shorten(text, Math.floor(most / 3));
};
