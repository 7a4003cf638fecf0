/** A text with every line end shown as LF, and the way back to the real offsets. */
export interface LineEndsView {
  readonly text: string;
  /** The offset in the real text of an offset in the view. */
  readonly realOffset: (offset: number) => number;
  /** The line end in force at an offset of the view: that of its line, else of the line before, else LF. */
  readonly lineEndAt: (offset: number) => "\n" | "\r\n";
}

/** Views CRLF as LF, as the model sees files. Lone carriage returns stay. */
export const viewLineEnds = (real: string): LineEndsView => {
  const folded = foldedOffsets(real);
  const text = folded.length === 0 ? real : real.replaceAll("\r\n", "\n");
  let line: LineAround = { from: 0, to: -1, end: -1 };
  const isFolded = (offset: number): boolean => folded[countBelow(folded, offset)] === offset;
  return {
    text,
    realOffset: (offset) => offset + countBelow(folded, offset),
    lineEndAt: (offset) => {
      if (folded.length === 0) return "\n";
      // A line may be megabytes long and asked about at each of its characters.
      if (offset < line.from || offset > line.to) line = lineAround(text, offset);
      return line.end !== -1 && isFolded(line.end) ? "\r\n" : "\n";
    },
  };
};

/** Offsets that have one line end in force, the one at `end`; -1 = none. */
interface LineAround {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

const lineAround = (text: string, offset: number): LineAround => {
  const next = text.indexOf("\n", offset);
  if (next !== -1) return { from: offset, to: next, end: next };
  return { from: offset, to: text.length, end: text.lastIndexOf("\n", offset) };
};

/** Where in the view the line feeds stand that are CRLF in truth, ascending. */
const foldedOffsets = (real: string): readonly number[] => {
  const offsets: number[] = [];
  for (let at = real.indexOf("\r\n"); at !== -1; at = real.indexOf("\r\n", at + 2)) offsets.push(at - offsets.length);
  return offsets;
};

const countBelow = (sorted: readonly number[], limit: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
};
