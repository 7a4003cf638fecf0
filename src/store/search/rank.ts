import { createHaystack, findHit } from "./needles.ts";
import type { Needle } from "./needles.ts";

/** A candidate for ranking; candidates come newest first. */
export interface Candidate {
  readonly n: number;
  readonly text: string;
}

// The usual weights of BM25: how soon more of the same word stops counting, and how much length matters.
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * Orders candidates by how well they fit, the newer first among equals. BM25 as known, but all numbers are taken from the
 * candidates: FTS5's own function counts every row that has a word, which for a common word takes longer than the search.
 */
export const rankCandidates = (candidates: readonly Candidate[], needles: readonly Needle[]): readonly number[] => {
  const counted = candidates.map(({ n, text }) => {
    const { folded } = createHaystack(text);
    return { n, length: folded.length, counts: needles.map((needle) => countOf(folded, needle)) };
  });
  const averageLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const weights = needles.map((_, index) => {
    const having = counted.filter(({ counts }) => (counts[index] ?? 0) > 0).length;
    return Math.log(1 + (counted.length - having + 0.5) / (having + 0.5));
  });
  const scored = counted.map(({ n, length, counts }, place) => {
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, averageLength));
    const score = counts.reduce((sum, count, index) => sum + ((weights[index] ?? 0) * count) / (count + norm), 0);
    return { n, place, score };
  });
  return scored.sort((a, b) => b.score - a.score || a.place - b.place).map(({ n }) => n);
};

/** More of the same word than this changes no order worth having. */
const MOST_COUNTED = 20;

const countOf = (folded: string, needle: Needle): number => {
  let count = 0;
  for (let hit = findHit(folded, needle, 0); hit !== undefined && count < MOST_COUNTED; count += 1) {
    hit = findHit(folded, needle, hit.to);
  }
  return count;
};
