import type { CommandResult } from "../../../commands/command.ts";
import { renderTable } from "../markdown/render-table.ts";
import { cleanText } from "../text-safety.ts";
import { cutText, measureText, padText, wrapText } from "../text-width.ts";
import type { ViewContext } from "./view-context.ts";

type Table = Extract<CommandResult, { kind: "table" }>;

/** Rows without heads: the first cell names the rest. */
const renderFacts = (rows: readonly (readonly string[])[], view: ViewContext): readonly string[] => {
  const widest = Math.max(0, ...rows.map((row) => measureText(row[0] ?? "")));
  const name = Math.min(widest, Math.floor(view.width / 2));
  return rows.flatMap(([first = "", ...rest]) =>
    wrapText(rest.join("  "), view.width, {
      first: `${view.palette.dim(padText(cutText(first, name), name))}  `,
      rest: " ".repeat(name + 2),
    }),
  );
};

const renderRows = (result: Table, view: ViewContext): readonly string[] => {
  const rows = result.rows.map((row) => row.map(cleanText));
  if (result.columns.length === 0) return renderFacts(rows, view);
  const align = result.columns.map(() => null);
  return renderTable({ header: result.columns, rows, align }, view.width, view.palette);
};

/** What a command answered. */
export const renderResult = (
  result: Extract<CommandResult, { kind: "text" | "table" }>,
  view: ViewContext,
): readonly string[] => {
  if (result.kind === "text") return wrapText(cleanText(result.text), view.width);
  const title = result.title === undefined ? [] : wrapText(view.palette.bold(cleanText(result.title)), view.width);
  const note = result.note === undefined ? [] : wrapText(view.palette.dim(cleanText(result.note)), view.width);
  return [...title, ...renderRows(result, view), ...note];
};
