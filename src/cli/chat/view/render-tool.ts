import type { TranscriptItem } from "../chat-state.ts";
import { cleanOutput, cleanText } from "../text-safety.ts";
import { cutText, wrapText } from "../text-width.ts";
import type { ViewContext } from "./view-context.ts";
import { plural, formatDuration, shortPath } from "../../format.ts";

type ToolItem = Extract<TranscriptItem, { kind: "tool" }>;

const PREVIEW_LINES = { verbose: 8, error: 4 } as const;
const DIFF_LINES = 60;
const INDENT = "  ";

const mark = (outcome: ToolItem["outcome"], view: ViewContext): string => {
  switch (outcome) {
    case "ok":
      return view.palette.green("✓");
    case "error":
      return view.palette.red("✗");
    case "denied":
    case "interrupted":
      return view.palette.yellow("⊘");
    default:
      return outcome satisfies never;
  }
};

/** One line that says what a call does, cleaned, as short as `display.tool_preview_length` wants it. */
export const summaryLine = (summary: string, view: ViewContext): string => {
  const line = cleanText(summary).replaceAll(/\s*\n\s*/gu, " ⏎ ");
  const limit = view.config.toolPreviewLength;
  return limit > 0 ? cutText(line, limit) : line;
};

const previewLines = (item: ToolItem, view: ViewContext): readonly string[] => {
  const lines = cleanOutput(item.text).trimEnd().split("\n");
  const most = item.outcome === "ok" ? PREVIEW_LINES.verbose : PREVIEW_LINES.error;
  const shown = lines.slice(0, most).map((line) => cutText(INDENT + view.palette.dim(line), view.width));
  const left = lines.length - most;
  const where = item.fullTextPath === undefined ? "" : `, all in ${shortPath(item.fullTextPath, view.userHome)}`;
  const more = left > 0 ? `… ${plural(left, "more line")}${where}` : undefined;
  return more === undefined ? shown : [...shown, cutText(INDENT + view.palette.dim(more), view.width)];
};

const paintDiffLine = (line: string, view: ViewContext): string => {
  const { palette } = view;
  if (line.startsWith("+++") || line.startsWith("---")) return palette.bold(line);
  if (line.startsWith("@@")) return palette.cyan(line);
  if (line.startsWith("+")) return palette.green(line);
  if (line.startsWith("-")) return palette.red(line);
  return palette.dim(line);
};

/** A unified diff in colours, cut to `DIFF_LINES` lines. */
const diffLines = (diff: string, view: ViewContext): readonly string[] => {
  const lines = cleanText(diff).trimEnd().split("\n");
  const shown = lines.slice(0, DIFF_LINES).map((line) => cutText(INDENT + paintDiffLine(line, view), view.width));
  const left = lines.length - DIFF_LINES;
  return left > 0
    ? [...shown, cutText(INDENT + view.palette.dim(`… ${plural(left, "more line")}`), view.width)]
    : shown;
};

/** A finished call: what it did, how it ended, how long it took; its output or its diff where that is wanted. */
export const renderTool = (item: ToolItem, view: ViewContext): readonly string[] => {
  const took = view.palette.dim(` ${formatDuration(item.durationMs)}`);
  const head = `${mark(item.outcome, view)} ${summaryLine(item.summary, view)}`;
  const ending = item.outcome === "denied" || item.outcome === "interrupted" ? ` (${item.outcome})` : "";
  const room = Math.max(1, view.width - formatDuration(item.durationMs).length - 1 - ending.length);
  const line = cutText(`${cutText(head, room)}${ending}${took}`, view.width);
  const hasDiff = item.diff !== undefined && item.diff !== "" && view.config.inlineDiffs;
  if (hasDiff && item.diff !== undefined) return [line, ...diffLines(item.diff, view)];
  return item.verbose && item.text.trim() !== "" ? [line, ...previewLines(item, view)] : [line];
};

/** Whole text of a long block, kept to its first and last lines. */
export const foldLines = (
  lines: readonly string[],
  keep: { readonly first: number; readonly last: number },
  note: (left: number) => string,
): readonly string[] => {
  const left = lines.length - keep.first - keep.last;
  if (left <= 1) return lines;
  return [...lines.slice(0, keep.first), note(left), ...lines.slice(lines.length - keep.last)];
};

/** Lines set in under a head. */
export const indented = (text: string, view: ViewContext): readonly string[] =>
  wrapText(text, view.width, { first: INDENT });
