import { formatDuration } from "../../format.ts";
import type { LiveChild, LiveTool } from "../chat-state.ts";
import { cleanText } from "../text-safety.ts";
import { cutText } from "../text-width.ts";
import { summaryLine } from "./render-tool.ts";
import { spinnerAt } from "./spinner.ts";
import type { ViewContext } from "./view-context.ts";

const MOST_CHILDREN = 6;
const GOAL_WIDTH = 32;

/** The sub-agents of a running call, a line each, set in by their depth; what runs is kept where there is no room for all. */
export const renderChildren = (tool: LiveTool, now: number, view: ViewContext): readonly string[] => {
  const { children } = tool;
  const ended = children.filter((child) => child.ended !== undefined);
  const running = children.length - ended.length;
  // The oldest of those that have ended go first, then the oldest that run.
  const gone = new Set(ended.slice(0, Math.max(0, children.length - MOST_CHILDREN)));
  const rest = children.filter((child) => !gone.has(child));
  const shown = rest.slice(-MOST_CHILDREN);
  const hidden = children.length - shown.length;
  const more = hidden > 0 ? [`  … ${hidden} more (${running} of ${children.length} run)`] : [];
  return [
    ...more.map((line) => view.palette.dim(cutText(line, view.width))),
    ...shown.map((child) => renderLine(child, { depth: depthOf(child, children), now }, view)),
  ];
};

const depthOf = (child: LiveChild, all: readonly LiveChild[]): number => {
  const above = all.find(({ id }) => id === child.parent);
  return above === undefined ? 0 : 1 + depthOf(above, all);
};

const renderLine = (
  child: LiveChild,
  { depth, now }: { readonly depth: number; readonly now: number },
  view: ViewContext,
): string => {
  const { palette } = view;
  const took = formatDuration(child.ended?.durationMs ?? now - child.startedAt);
  const goal = cutText(cleanText(child.goal).replaceAll(/\s+/gu, " ").trim(), GOAL_WIDTH);
  const indent = "  ".repeat(depth + 1);
  const action = child.ended === undefined ? summaryLine(child.action, view) : endWords(child.ended.status);
  const what = action === "" ? goal : `${goal} ${palette.dim(`· ${action}`)}`;
  const head = cutText(`${indent}${markOf(child, now, view)} ${what}`, Math.max(1, view.width - took.length - 1));
  return cutText(`${head} ${palette.dim(took)}`, view.width);
};

const markOf = (child: LiveChild, now: number, { palette, config }: ViewContext): string => {
  switch (child.ended?.status) {
    case undefined:
      return palette.cyan(spinnerAt(config.indicator, now));
    case "completed":
      return palette.green("✓");
    case "failed":
    case "error":
    case "timeout":
      return palette.red("✗");
    case "interrupted":
      return palette.yellow("⊘");
  }
};

const endWords = (status: NonNullable<LiveChild["ended"]>["status"]): string => (status === "completed" ? "" : status);
