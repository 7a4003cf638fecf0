/** The distance up to which a word is "the same with a slip": a third of its length, at least 1, but never all of its letters. */
const tolerance = (word: string): number => Math.min(word.length - 1, Math.max(1, Math.floor(word.length / 3)));

/** The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
export const editDistance = (a: string, b: string): number => {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + cost,
          swapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
};

/**
 * The known key that was most likely meant, or undefined if none is near. Case, `-` and `_` don't count;
 * a key whose last part alone was typed (`max_turns` for `agent.max_turns`) is near when it is the only one.
 */
export const nearestKey = (typed: string, known: readonly string[]): string | undefined => {
  const plain = (key: string): string => key.toLowerCase().replaceAll(/[-_]/g, "");
  const wanted = plain(typed.slice(0, 200));
  let best: { key: string; distance: number } | undefined;
  for (const key of known) {
    const distance = editDistance(wanted, plain(key));
    if (distance <= tolerance(wanted) && (best === undefined || distance < best.distance)) best = { key, distance };
  }
  if (best !== undefined) return best.key;
  const tails = known.filter((key) => plain(key.slice(key.lastIndexOf(".") + 1)) === wanted);
  return tails.length === 1 ? tails[0] : undefined;
};
