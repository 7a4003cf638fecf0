import { cleanText } from "./chat/text-safety.ts";
import { cutText, measureText, padText } from "./chat/text-width.ts";

/** One column: its heading and whether it may be cut when the terminal is narrow. */
export interface Column {
  readonly heading: string;
  readonly align?: "left" | "right";
}

/** Plain lines of aligned columns, the last one cut to the width. Cells are cleaned: they hold other people's text. */
export const renderTable = (
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string => {
  const cells = [
    columns.map((column) => column.heading),
    ...rows.map((row) => row.map((cell) => cleanText(cell).replace(/\s+/g, " "))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => measureText(row[index] ?? ""))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => padText(cell, widths[index] ?? 0, columns[index]?.align ?? "left"))
      .join("  ")
      .trimEnd();
  return `${cells.map((row) => cutText(line(row), width)).join("\n")}\n`;
};
