import { MASKS } from "../../base/redact/mask.ts";

/**
 * Masks secrets in a run of lines, and keeps the lines' places: a secret over several lines (a private key) becomes one
 * masked line followed by `undefined` for each line that the mask swallowed. Line numbers must be added after this:
 * a number inside a key would keep the key from being known, and its mask from being put back on writing.
 */
export const maskLines = (
  lines: readonly string[],
  redact: (text: string) => string,
): readonly (string | undefined)[] => {
  const raw = lines.join("\n");
  const masked = redact(raw);
  if (masked === raw) return lines;
  const maskedLines = masked.split("\n");
  if (maskedLines.length === lines.length) return maskedLines;
  const counts = rawLineCounts(lines, maskedLines);
  // No reading of the masks explains the lines: then nothing is told about places, and nothing is lost.
  if (counts === undefined) return [masked, ...lines.slice(1).map(() => undefined)];
  return maskedLines.flatMap((line, index) => [line, ...Array<undefined>((counts[index] ?? 1) - 1).fill(undefined)]);
};

/** How many raw lines each masked line stands for, or undefined if no division explains the text. */
const rawLineCounts = (raw: readonly string[], masked: readonly string[]): readonly number[] | undefined => {
  const extra = raw.length - masked.length;
  if (extra < 0) return undefined;
  // choice[k][e]: for how many raw lines masked line k stands when the lines before it have swallowed e; 0 = a dead end.
  const choices: (readonly number[])[] = [];
  let after: readonly number[] = Array.from({ length: extra + 1 }, (_, used) => (used === extra ? 1 : 0));
  for (let index = masked.length - 1; index >= 0; index--) {
    const explains = matcherOf(masked[index] ?? "");
    const next = after;
    after = Array.from({ length: extra + 1 }, (_, used) => {
      for (let more = 0; used + more <= extra; more++) {
        if ((next[used + more] ?? 0) === 0) continue;
        if (explains(raw[index + used] ?? "", raw[index + used + more] ?? "", more === 0)) return more + 1;
      }
      return 0;
    });
    choices.unshift(after);
  }
  if ((after[0] ?? 0) === 0) return undefined;
  let used = 0;
  return choices.map((choice) => {
    const count = choice[used] ?? 1;
    used += count - 1;
    return count;
  });
};

/** Whether a masked line can stand for the raw lines from `first` to `last`. */
const matcherOf = (masked: string): ((first: string, last: string, isOneLine: boolean) => boolean) => {
  const masks = [...masked.matchAll(MASKS)];
  const [head] = masks;
  const tail = masks.at(-1);
  if (head === undefined || tail === undefined) return (first, _last, isOneLine) => isOneLine && first === masked;
  const before = masked.slice(0, head.index);
  const after = masked.slice(tail.index + tail[0].length);
  return (first, last) => first.startsWith(before) && last.endsWith(after);
};
