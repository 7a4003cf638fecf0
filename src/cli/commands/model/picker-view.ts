import type { Palette } from "../../chat/palette.ts";
import { cutText, measureText, padText, wrapText } from "../../chat/text-width.ts";
import { visibleItems, type PickerItem, type PickerState } from "./picker-state.ts";

/** What the list is about, and where it is drawn. */
export interface PickerFrame {
  readonly title: string;
  /** What is to be known of the list, e.g. where it is from; broken into as many lines as it needs. */
  readonly note?: string | undefined;
  /** What is typed; absent = a search. */
  readonly prompt?: string;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
}

/** Lines that are no items: title, search, an empty one, the footer, and one to spare for the shell's own. */
const OTHER_LINES = 5;

/** The lines of a list, none wider than the terminal, and the place of the cursor in the search. */
export const renderPicker = (
  state: PickerState,
  frame: PickerFrame,
): { readonly lines: readonly string[]; readonly cursor: { readonly column: number; readonly row: number } } => {
  const { title, width, palette } = frame;
  const note = noteLines(frame);
  const items = visibleItems(state);
  const room = Math.max(1, frame.height - OTHER_LINES - note.length);
  const first = Math.max(0, Math.min(state.index - Math.floor(room / 2), items.length - room));
  const shown = items.slice(first, first + room);
  const widths = columnWidths(items);
  const search = `${frame.prompt ?? "Search"}: ${state.query}`;
  return {
    lines: [
      palette.bold(cutText(title, width)),
      ...note.map((line) => palette.dim(line)),
      cutText(search, width),
      ...shown.map((item, index) => {
        const line = cutText(itemLine(item, widths, first + index === state.index), width);
        return first + index === state.index ? palette.cyan(line) : line;
      }),
      ...(items.length === 0 ? [palette.dim(cutText(nothingText(state), width))] : []),
      palette.dim(cutText(footer(state, items.length), width)),
    ],
    cursor: { column: Math.min(measureText(search), width - 1), row: 1 + note.length },
  };
};

/** The whole note, but on a terminal so low that no item would be left beside it. */
const noteLines = ({ note, width, height }: PickerFrame): readonly string[] => {
  if (note === undefined) return [];
  const lines = wrapText(note, width);
  const most = Math.max(1, height - OTHER_LINES - 1);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cutText(lines.slice(most - 1).join(" "), width)];
};

const columnWidths = (items: readonly PickerItem[]): readonly number[] => {
  const widths: number[] = [];
  for (const { columns } of items) {
    for (const [at, text] of columns.entries()) widths[at] = Math.max(widths[at] ?? 0, measureText(text));
  }
  return widths;
};

const itemLine = ({ columns, current }: PickerItem, widths: readonly number[], selected: boolean): string => {
  const cells = columns.map((text, at) => (at === columns.length - 1 ? text : padText(text, widths[at] ?? 0)));
  return `${selected ? "❯" : " "} ${current ? "*" : " "} ${cells.join("  ")}`;
};

const nothingText = ({ items, takesText, query }: PickerState): string => {
  if (takesText && query.trim() === "") return "    type it, then Enter";
  if (items.length === 0 && takesText) return `    Enter takes "${query.trim()}"`;
  return takesText ? `    nothing matches; Enter takes "${query.trim()}" as it is` : "    nothing matches";
};

const footer = ({ items }: PickerState, shown: number): string =>
  items.length === 0
    ? "Enter takes it · Esc back · Ctrl+C leave"
    : `${shown} of ${items.length} · type to search · ↑↓ move · Enter choose · Esc back · Ctrl+C leave`;
