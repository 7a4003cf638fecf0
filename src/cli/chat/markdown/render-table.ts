import type { Tokens } from "marked";
import type { Palette } from "../palette.ts";
import { measureText, padText, wrapText } from "../text-width.ts";
import { renderInline } from "./render-inline.ts";

type Align = "left" | "right" | "center";

/** A table of already styled cells. */
export interface TableContent {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly align: readonly (Align | null)[];
}

const SEPARATOR = " │ ";
const NARROWEST = 3;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);

/** Takes columns from the widest one until everything fits; undefined = it cannot. */
const shrink = (natural: readonly number[], room: number): readonly number[] | undefined => {
  const widths = [...natural];
  while (sum(widths) > room) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return undefined;
    const second = Math.max(NARROWEST, ...widths.filter((width) => width < widest));
    const atWidest = widths.filter((width) => width === widest).length;
    const excess = sum(widths) - room;
    const step = Math.max(1, Math.min(widest - second, Math.ceil(excess / atWidest)));
    let left = excess;
    for (let index = 0; index < widths.length && left > 0; index += 1) {
      if (widths[index] !== widest) continue;
      widths[index] = widest - Math.min(step, left);
      left -= step;
    }
  }
  return widths;
};

const renderRow = (
  cells: readonly string[],
  widths: readonly number[],
  align: TableContent["align"],
): readonly string[] => {
  const columns = widths.map((width, index) => wrapText(cells[index] ?? "", width));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, index) => padText(columns[index]?.[row] ?? "", width, align[index] ?? "left"))
      .join(SEPARATOR)
      .trimEnd(),
  );
};

/** One `name: value` line a cell, for terminals too narrow for the table. */
const renderRecords = (table: TableContent, width: number, palette: Palette): readonly string[] =>
  table.rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.flatMap((cell, column) => {
      const name = table.header[column] ?? "";
      return wrapText(name === "" ? cell : `${palette.bold(name)}: ${cell}`, width, { first: "", rest: "  " });
    }),
  ]);

/** Draws a table aligned by columns of the terminal, shrunk to `width`; a list of its cells where even that is too wide. */
export const renderTable = (table: TableContent, width: number, palette: Palette): readonly string[] => {
  const count = Math.max(table.header.length, ...table.rows.map((row) => row.length));
  if (count === 0) return [];
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(1, measureText(table.header[column] ?? ""), ...table.rows.map((row) => measureText(row[column] ?? ""))),
  );
  const widths = shrink(natural, width - SEPARATOR.length * (count - 1));
  if (widths === undefined) return renderRecords(table, width, palette);
  const rule = widths.map((column) => "─".repeat(column)).join("─┼─");
  return [
    ...renderRow(
      table.header.map((cell) => palette.bold(cell)),
      widths,
      table.align,
    ),
    palette.dim(rule),
    ...table.rows.flatMap((row) => renderRow(row, widths, table.align)),
  ];
};

/** The cells of a Markdown table. */
export const tableContent = (token: Tokens.Table, palette: Palette): TableContent => ({
  header: token.header.map((cell) => renderInline(cell.tokens, palette)),
  rows: token.rows.map((row) => row.map((cell) => renderInline(cell.tokens, palette))),
  align: token.align,
});
