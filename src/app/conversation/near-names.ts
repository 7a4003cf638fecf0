import { editDistance } from "../../config/nearest-key.ts";

const MOST_NEAR = 3;

/** The names that were most likely meant: those that hold what was typed, then those with few letters changed. */
export const nearNames = (typed: string, names: readonly string[]): readonly string[] => {
  const wanted = typed.toLowerCase().slice(0, 100);
  const scored = names.map((name) => {
    const plain = name.toLowerCase();
    return { name, distance: plain.includes(wanted) ? 0 : editDistance(wanted, plain.slice(0, 100)) };
  });
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return scored
    .filter(({ distance }) => distance <= limit)
    .toSorted((left, right) => left.distance - right.distance || left.name.length - right.name.length)
    .slice(0, MOST_NEAR)
    .map(({ name }) => name);
};
