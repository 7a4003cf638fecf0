import { similarity } from "../files/similarity.ts";

const MAX_SHOWN_LINES = 10;
const MAX_COMPARED_LINES = 20_000;
const LEAST_ALIKE = 0.5;
/** Of a line that stands in many places the last ones count. */
const MOST_PLACES = 21;

/**
 * The part of a file that is most like what was not found, as numbered lines (at most 10), or undefined if nothing is.
 * Each wanted line that stands in the file votes for the place where the whole would begin; without a vote the line most
 * like the first wanted one decides.
 */
export const nearestRegion = (lines: readonly string[], wanted: readonly string[]): string | undefined => {
  const start = votedStart(lines, wanted) ?? likeliestStart(lines, wanted);
  if (start === undefined) return undefined;
  const first = Math.max(0, start);
  const last = Math.min(lines.length, first + Math.min(MAX_SHOWN_LINES, Math.max(3, wanted.length + 1)));
  return lines
    .slice(first, last)
    .map((line, index) => `${first + index + 1}\t${line}`)
    .join("\n");
};

const votedStart = (lines: readonly string[], wanted: readonly string[]): number | undefined => {
  // Only the wanted lines are kept in mind: a file may have millions.
  const places = new Map(wanted.map((line): [string, number[]] => [line.trim(), []]));
  for (const [index, line] of lines.entries()) {
    const key = line.trim();
    const found = isTelling(key) ? places.get(key) : undefined;
    if (found === undefined) continue;
    found.push(index);
    if (found.length > MOST_PLACES) found.shift();
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.entries()) {
    for (const place of places.get(line.trim()) ?? []) votes.set(place - index, (votes.get(place - index) ?? 0) + 1);
  }
  let best: { start: number; count: number } | undefined;
  for (const [start, count] of votes) if (best === undefined || count > best.count) best = { start, count };
  return best?.start;
};

/** Brackets and blank lines stand everywhere and tell nothing. */
const isTelling = (trimmed: string): boolean => /\w{2}/u.test(trimmed);

const likeliestStart = (lines: readonly string[], wanted: readonly string[]): number | undefined => {
  const offset = wanted.findIndex((line) => isTelling(line.trim()));
  if (offset === -1) return undefined;
  const target = (wanted[offset] ?? "").trim().slice(0, 200);
  let best = { score: LEAST_ALIKE, index: -1 };
  for (const [index, line] of lines.slice(0, MAX_COMPARED_LINES).entries()) {
    const score = similarity(line.trim().slice(0, 200), target);
    if (score > best.score) best = { score, index };
  }
  return best.index === -1 ? undefined : best.index - offset;
};
