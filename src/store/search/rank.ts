import { createHaystack, findHit } from "./needles.ts";
import type { Needle } from "./needles.ts";

/** A candidate for ranking; candidates come newest first. */
export interface Candidate {
  readonly text: string;
}

// The usual weights of BM25: how soon more of the same word stops counting, and how much length matters.
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * Orders candidates by how well they fit, the newer first among equals. BM25 as known, but all numbers are taken from the
 * candidates: FTS5's own function counts every row that has a word, which for a common word takes longer than the search.
 */
export const rankCandidates = <C extends Candidate>(
  candidates: readonly C[],
  needles: readonly Needle[],
): readonly C[] => {
  const counted = candidates.map((candidate) => {
    const { folded } = createHaystack(candidate.text);
    return { candidate, length: folded.length, counts: needles.map((needle) => countOf(folded, needle)) };
  });
  const averageLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const weights = needles.map((_, index) => {
    const having = counted.filter(({ counts }) => (counts[index] ?? 0) > 0).length;
    return Math.log(1 + (counted.length - having + 0.5) / (having + 0.5));
  });
  const scored = counted.map(({ candidate, length, counts }, place) => {
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, averageLength));
    const score = counts.reduce((sum, count, index) => sum + ((weights[index] ?? 0) * count) / (count + norm), 0);
    return { candidate, place, score };
  });
  return scored.sort((a, b) => b.score - a.score || a.place - b.place).map(({ candidate }) => candidate);
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
