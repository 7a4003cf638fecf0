import { sliceCharacters } from "../../../base/slice-characters.ts";

/** How much of a command's output the model gets (`tool_output.*`). */
export interface OutputLimits {
  /** UTF-8 bytes. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Characters. */
  readonly maxLineLength: number;
}

/** The beginning and the end of some output. With nothing hidden all of it is in `head`. */
export interface CutOutput {
  readonly head: readonly string[];
  readonly tail: readonly string[];
  readonly hiddenLines: number;
  readonly hiddenBytes: number;
  /** Lines of which only the beginning is there. */
  readonly shortenedLines: number;
}

/** Errors stand at the end more often than at the beginning. */
const HEAD_SHARE = 0.4;

/** Pure: some lines within the limits. */
export const cutOutput = (lines: readonly string[], limits: OutputLimits): CutOutput => {
  const { lines: shown, shortenedLines } = shortenLines(lines, limits.maxLineLength);
  if (countThatFit(shown, share(limits, 1)) === shown.length) {
    return { head: shown, tail: [], hiddenLines: 0, hiddenBytes: 0, shortenedLines };
  }
  const head = shown.slice(0, countThatFit(shown, share(limits, HEAD_SHARE)));
  const rest = shown.slice(head.length);
  const tail = rest.slice(rest.length - countThatFit(rest.toReversed(), share(limits, 1 - HEAD_SHARE)));
  const hidden = rest.slice(0, rest.length - tail.length);
  return { head, tail, hiddenLines: hidden.length, hiddenBytes: sumOf(hidden), shortenedLines };
};

/** The two ends of an output of `totalBytes` whose middle was not kept. */
export interface OutputEnds {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly totalBytes: number;
}

/** Pure: as `cutOutput`, of what is left of a very long output. How many lines are hidden is not known then (0). */
export const cutEnds = ({ first, last, totalBytes }: OutputEnds, limits: OutputLimits): CutOutput => {
  const start = shortenLines(first, limits.maxLineLength);
  const end = shortenLines(last, limits.maxLineLength);
  const head = start.lines.slice(0, countThatFit(start.lines, share(limits, HEAD_SHARE)));
  const tail = end.lines.slice(end.lines.length - countThatFit(end.lines.toReversed(), share(limits, 1 - HEAD_SHARE)));
  return {
    head,
    tail,
    hiddenLines: 0,
    hiddenBytes: Math.max(0, totalBytes - sumOf(head) - sumOf(tail)),
    shortenedLines: start.shortenedLines + end.shortenedLines,
  };
};

interface Budget {
  readonly lines: number;
  readonly bytes: number;
}

const share = (limits: OutputLimits, part: number): Budget => ({
  lines: Math.floor(limits.maxLines * part),
  bytes: Math.floor(limits.maxBytes * part),
});

const sizeOf = (line: string): number => Buffer.byteLength(line) + 1;

const sumOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + sizeOf(line), 0);

const countThatFit = (lines: readonly string[], budget: Budget): number => {
  let bytes = 0;
  for (const [count, line] of lines.entries()) {
    bytes += sizeOf(line);
    if (count === budget.lines || bytes > budget.bytes) return count;
  }
  return lines.length;
};

const shortenLines = (
  lines: readonly string[],
  limit: number,
): { readonly lines: readonly string[]; readonly shortenedLines: number } => {
  const tooLong = lines.filter((line) => line.length > limit).length;
  return { lines: tooLong === 0 ? lines : lines.map((line) => shortenLine(line, limit)), shortenedLines: tooLong };
};

/** A line of at most `limit` characters and a note of what is missing. Never cuts a surrogate pair. */
export const shortenLine = (line: string, limit: number): string => {
  if (line.length <= limit) return line;
  const kept = sliceCharacters(line, 0, limit);
  return `${kept} […${line.length - kept.length} more characters]`;
};
