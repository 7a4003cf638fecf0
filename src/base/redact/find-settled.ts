import type { FindSecrets } from "./find-secrets.ts";
import type { SecretSpan } from "./secret-span.ts";

// Stands for any found secret; as every mask it is passed over and ends what it touches.
const STAND_IN = "«secret:x:0000»";
const MOST_ROUNDS = 4;

/** The text with a stand-in for each span, and the way back from its offsets. */
const standIns = (
  text: string,
  spans: readonly SecretSpan[],
): { text: string; original: (offset: number) => number } => {
  const pieces: string[] = [];
  const shifts: { readonly from: number; readonly by: number }[] = [];
  let at = 0;
  let by = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(at, start), STAND_IN);
    by += end - start - STAND_IN.length;
    shifts.push({ from: end - by, by });
    at = end;
  }
  const shiftAt = (offset: number): number => shifts.findLast(({ from }) => from <= offset)?.by ?? 0;
  return { text: `${pieces.join("")}${text.slice(at)}`, original: (offset) => offset + shiftAt(offset) };
};

/**
 * Repeats the search on the masked text until it finds nothing more: a secret may come to light only when what it is glued to has
 * become a mask. So masking masked text changes nothing. Text in which nothing is found is searched once.
 */
export const createFindSettled =
  (find: FindSecrets): FindSecrets =>
  (text, from = 0) => {
    let spans = find(text, from);
    for (let round = 1; round < MOST_ROUNDS && spans.length > 0; round += 1) {
      const masked = standIns(text, spans);
      const more = find(masked.text, from);
      if (more.length === 0) return spans;
      const mapped = more.map(({ start, end, kind }) => ({
        start: masked.original(start),
        end: masked.original(end),
        kind,
      }));
      spans = [...spans, ...mapped].sort((a, b) => a.start - b.start);
    }
    return spans;
  };
