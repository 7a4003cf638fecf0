import { cleanText } from "../text-safety.ts";
import { graphemesOf, measureText } from "../text-width.ts";
import { type EditorState, shownGrapheme } from "./editor.ts";

/** One row of the input box. */
interface InputRow {
  readonly text: string;
  /** The cursor's places in this row: offset into the editor's text and column. */
  readonly stops: readonly { readonly offset: number; readonly column: number }[];
}

/** The text broken into rows, and where the cursor stands in them. */
export interface InputLayout {
  readonly rows: readonly InputRow[];
  readonly row: number;
  readonly column: number;
}

interface Building {
  text: string;
  column: number;
  stops: { offset: number; column: number }[];
}

const emptyRow = (offset: number): Building => ({ text: "", column: 0, stops: [{ offset, column: 0 }] });

/** Breaks the text at `width` columns (at least 1), by characters: what is typed does not jump about as words grow. */
export const layoutInput = (state: EditorState, width: number): InputLayout => {
  const columns = Math.max(1, width);
  const rows: Building[] = [emptyRow(0)];
  let offset = 0;
  for (const grapheme of graphemesOf(state.text)) {
    let row = rows.at(-1) ?? emptyRow(offset);
    offset += grapheme.length;
    if (grapheme === "\n") {
      rows.push(emptyRow(offset));
      continue;
    }
    // A label of a paste is broken like text; the cursor can stand only before and after it.
    for (const shown of graphemesOf(grapheme === "\t" ? "    " : cleanText(shownGrapheme(state, grapheme)))) {
      const cells = measureText(shown);
      const fitting = cells > columns ? "?" : shown;
      const size = Math.min(cells, columns);
      if (row.column + size > columns) {
        row = emptyRow(offset - grapheme.length);
        rows.push(row);
      }
      row.text += fitting;
      row.column += size;
    }
    row.stops.push({ offset, column: row.column });
    // The cursor after a full row stands at the beginning of the next.
    if (row.column === columns) rows.push(emptyRow(offset));
  }
  return { rows, ...locate(rows, state.cursor) };
};

/** The last place in the rows that means this offset. */
const locate = (rows: readonly InputRow[], cursor: number): { readonly row: number; readonly column: number } => {
  for (let row = rows.length - 1; row >= 0; row -= 1) {
    const stop = rows[row]?.stops.findLast((candidate) => candidate.offset === cursor);
    if (stop !== undefined) return { row, column: stop.column };
  }
  return { row: 0, column: 0 };
};

/** The cursor one row up or down, at the nearest column; undefined at the first or last row. */
export const moveRow = (state: EditorState, width: number, by: -1 | 1): EditorState | undefined => {
  const layout = layoutInput(state, width);
  const row = layout.rows[layout.row + by];
  if (row === undefined) return undefined;
  const stop = row.stops.findLast((candidate) => candidate.column <= layout.column) ?? row.stops[0];
  return stop === undefined ? undefined : { ...state, cursor: stop.offset };
};
