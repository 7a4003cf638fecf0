/**
 * How alike two short texts are, from 0 (nothing in common) to 1 (equal but for letter case): the share of common
 * pairs of neighbouring characters (Dice's coefficient).
 */
export const similarity = (left: string, right: string): number => {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const counts = new Map<string, number>();
  for (let at = 0; at < a.length - 1; at++) {
    const pair = a.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at < b.length - 1; at++) {
    const pair = b.slice(at, at + 2);
    const left = counts.get(pair) ?? 0;
    if (left === 0) continue;
    counts.set(pair, left - 1);
    common += 1;
  }
  return (2 * common) / (a.length + b.length - 2);
};

const LEAST_ALIKE = 0.4;

/** The candidates most like `name`, best first; those with little in common are left out. */
export const nearestNames = (name: string, candidates: readonly string[], most: number): readonly string[] =>
  candidates
    .map((candidate) => ({ candidate, score: similarity(name, candidate) }))
    .filter(({ score }) => score >= LEAST_ALIKE)
    .sort((a, b) => b.score - a.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate);
