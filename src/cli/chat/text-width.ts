import stringWidth from "string-width";
import { type InlineStyle, PLAIN, applyEscape } from "./inline-style.ts";

/**
 * The one measure of how wide text is on a terminal, and the only functions that wrap and cut it (B65).
 * Text may hold colours (SGR) and links (OSC 8); every other control is dropped. Widths are in columns.
 */

/** One thing that takes columns: a grapheme with its style. `breakable` = a line may be broken before it. */
interface Cell {
  readonly text: string;
  readonly width: number;
  readonly style: InlineStyle;
}

/** How `wrapText` breaks. */
export interface WrapOptions {
  /** `words` breaks at spaces and between wide glyphs, `hard` anywhere (code). Default `words`. */
  readonly mode?: "words" | "hard";
  /** Put before the first line. */
  readonly first?: string;
  /** Put before each further line. */
  readonly rest?: string;
}

const TAB_STOP = 4;
/** Stands for a glyph that is wider than the whole line. */
const TOO_WIDE = "?";

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const ESCAPE = /\u001B\[[0-9;:]*m|\u001B\]8;[^\u0007\u001B]*(?:\u0007|\u001B\\)/gu;
const PRINTABLE_ASCII = /^[\x20-\x7E]*$/u;
const CONTROL = /^\p{Cc}$/u;

/** A text's graphemes, as a person counts characters. */
export const graphemesOf = (text: string): readonly string[] => {
  if (PRINTABLE_ASCII.test(text)) return text.split("");
  const segmenter = new Intl.Segmenter();
  return Array.from(segmenter.segment(text.toWellFormed()), ({ segment }) => segment);
};

const appendGraphemes = (cells: Cell[], text: string, style: InlineStyle): void => {
  let column = cells.reduce((sum, cell) => sum + cell.width, 0);
  for (const grapheme of graphemesOf(text)) {
    if (grapheme === "\t") {
      const width = TAB_STOP - (column % TAB_STOP);
      for (let i = 0; i < width; i += 1) cells.push({ text: " ", width: 1, style });
      column += width;
      continue;
    }
    if (CONTROL.test(grapheme) || grapheme === "\r\n") continue;
    const width = stringWidth(grapheme);
    const last = cells.at(-1);
    // A mark without a base of its own is drawn on the glyph before it.
    if (width === 0 && last !== undefined) cells[cells.length - 1] = { ...last, text: last.text + grapheme };
    else cells.push({ text: grapheme, width, style });
    column += width;
  }
};

/** The cells of one logical line; `style` is the one that the line before ended in. */
const cellsOf = (line: string, style: InlineStyle): { readonly cells: Cell[]; readonly style: InlineStyle } => {
  const cells: Cell[] = [];
  let current = style;
  let from = 0;
  for (const match of line.matchAll(ESCAPE)) {
    appendGraphemes(cells, line.slice(from, match.index), current);
    current = applyEscape(current, match[0]);
    from = match.index + match[0].length;
  }
  appendGraphemes(cells, line.slice(from), current);
  return { cells, style: current };
};

const widthOf = (cells: readonly Cell[]): number => cells.reduce((sum, cell) => sum + cell.width, 0);

/** Writes cells out; whatever was opened is closed at the end. */
const emit = (cells: readonly Cell[]): string => {
  let out = "";
  let style = PLAIN;
  for (const cell of cells) {
    if (cell.style !== style) {
      out += style.close + cell.style.open;
      style = cell.style;
    }
    out += cell.text;
  }
  return out + style.close;
};

/** Columns that one line takes: the widest of its lines if there are several. */
export const measureText = (text: string): number => {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return text.split("\n").reduce((widest, line) => Math.max(widest, widthOf(cellsOf(line, PLAIN).cells)), 0);
};

const isSpace = (cell: Cell | undefined): boolean => cell?.text === " ";

/** Whether words may be parted between two neighbours: after a space, or beside a wide glyph (CJK has no spaces). */
const mayBreakBetween = (before: Cell | undefined, after: Cell): boolean =>
  isSpace(before) || (!isSpace(after) && (after.width === 2 || before?.width === 2));

/** Where to cut `line` so that it ends within the room; `line.length` = nothing but a hard cut is possible. */
const breakPoint = (line: readonly Cell[], next: Cell): number => {
  if (isSpace(next)) return line.length;
  if (mayBreakBetween(line.at(-1), next)) return line.length;
  for (let index = line.length - 1; index > 0; index -= 1) {
    const cell = line[index];
    if (cell !== undefined && mayBreakBetween(line[index - 1], cell)) return index;
  }
  return line.length;
};

const trimEnd = (cells: readonly Cell[]): readonly Cell[] => {
  let end = cells.length;
  while (end > 0 && isSpace(cells[end - 1])) end -= 1;
  return cells.slice(0, end);
};

interface Room {
  readonly first: number;
  readonly rest: number;
}

const breakCells = (cells: readonly Cell[], room: Room, mode: "words" | "hard"): readonly (readonly Cell[])[] => {
  const lines: (readonly Cell[])[] = [];
  let line: Cell[] = [];
  let column = 0;
  const available = (): number => (lines.length === 0 ? room.first : room.rest);
  for (const original of cells) {
    const cell = original.width > available() ? { ...original, text: TOO_WIDE, width: 1 } : original;
    if (column + cell.width <= available()) {
      line.push(cell);
      column += cell.width;
      continue;
    }
    const cut = mode === "words" ? breakPoint(line, cell) : line.length;
    const kept = line.slice(0, cut);
    lines.push(mode === "words" ? trimEnd(kept) : kept);
    line = line.slice(cut);
    column = widthOf(line);
    // The space at which words were parted is the break itself.
    if (mode === "words" && line.length === 0 && isSpace(cell)) continue;
    line.push(cell.width > available() ? { ...cell, text: TOO_WIDE, width: 1 } : cell);
    column = widthOf(line);
  }
  return [...lines, line];
};

/**
 * Breaks text into lines of at most `width` columns (at least 1). Each line is closed in itself: colours and links that
 * run over the break are closed at its end and opened again on the next. A glyph wider than the line becomes `?`.
 */
export const wrapText = (text: string, width: number, options: WrapOptions = {}): readonly string[] => {
  const columns = Math.max(1, Math.floor(width));
  const firstPrefix = options.first ?? "";
  const restPrefix = options.rest ?? firstPrefix;
  // A prefix that leaves no room is left out rather than the text.
  const fits = Math.max(measureText(firstPrefix), measureText(restPrefix)) < columns;
  const room: Room = fits
    ? { first: columns - measureText(firstPrefix), rest: columns - measureText(restPrefix) }
    : { first: columns, rest: columns };
  const lines: string[] = [];
  let style = PLAIN;
  for (const logical of text.split("\n")) {
    const parsed = cellsOf(logical, style);
    style = parsed.style;
    const here = lines.length === 0 ? room : { first: room.rest, rest: room.rest };
    for (const cells of breakCells(parsed.cells, here, options.mode ?? "words")) {
      const prefix = lines.length === 0 ? firstPrefix : restPrefix;
      lines.push((fits ? prefix : "") + emit(cells));
    }
  }
  return lines;
};

/** Shortens one line to `width` columns, with `…` where something was left out; tabs and line ends become spaces. */
export const cutText = (text: string, width: number): string => {
  const columns = Math.max(1, Math.floor(width));
  const { cells } = cellsOf(text.replaceAll("\n", " "), PLAIN);
  if (widthOf(cells) <= columns) return emit(cells);
  const kept: Cell[] = [];
  let column = 0;
  for (const cell of cells) {
    if (column + cell.width > columns - 1) break;
    kept.push(cell);
    column += cell.width;
  }
  const style = kept.at(-1)?.style ?? PLAIN;
  return emit([...kept, { text: "…", width: 1, style }]);
};

/** Fills one line with spaces up to `width` columns; a longer one is left as it is. */
export const padText = (text: string, width: number, align: "left" | "right" | "center" = "left"): string => {
  const missing = Math.max(0, width - measureText(text));
  if (align === "right") return " ".repeat(missing) + text;
  if (align === "left") return text + " ".repeat(missing);
  const before = Math.floor(missing / 2);
  return " ".repeat(before) + text + " ".repeat(missing - before);
};
