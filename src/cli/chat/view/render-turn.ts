import { formatTokens } from "../../../llm/spend/amounts.ts";
import type { Activity, ChatState, LiveTool, Turn } from "../chat-state.ts";
import { openParts } from "../markdown/markdown-stream.ts";
import { renderAnswerPart } from "../markdown/render-markdown.ts";
import { cleanOutput, cleanText } from "../text-safety.ts";
import { cutText, wrapText } from "../text-width.ts";
import { renderChildren } from "./render-child.ts";
import { summaryLine } from "./render-tool.ts";
import { spinnerAt } from "./spinner.ts";
import type { ViewContext } from "./view-context.ts";
import { formatDuration, formatSeconds } from "../../format.ts";

const LIVE_OUTPUT_LINES = 3;
const REASONING_LINES = 3;
const MOST_TOOLS = 6;

/** The open end of the answer that is being written. */
export const renderOpenAnswer = (state: ChatState, view: ViewContext): readonly string[] => {
  const { turn } = state;
  if (turn === undefined || !state.streaming) return [];
  const target = { width: view.width, palette: view.palette, mode: view.config.markdown };
  const lines = openParts(turn.answer).flatMap((part) => renderAnswerPart(part, target));
  return lines.length > 0 && !turn.printed && !view.config.compact ? ["", ...lines] : lines;
};

/** The end of the reasoning, where it is shown. */
export const renderReasoning = (state: ChatState, view: ViewContext): readonly string[] => {
  const reasoning = cleanText(state.turn?.reasoning ?? "").trim();
  if (!state.display.showReasoning || reasoning === "") return [];
  const lines = wrapText(view.palette.dim(view.palette.italic(reasoning)), view.width, { first: "  " });
  return lines.slice(-REASONING_LINES);
};

const renderLiveTool = (tool: LiveTool, now: number, view: ViewContext): string => {
  const { palette } = view;
  const elapsed = formatDuration(now - tool.startedAt);
  const what = tool.summary === undefined ? `${cleanText(tool.tool)} …` : summaryLine(tool.summary, view);
  const spinner = palette.cyan(spinnerAt(view.config.indicator, now));
  const head = cutText(`${spinner} ${what}`, Math.max(1, view.width - elapsed.length - 1));
  return cutText(`${head} ${palette.dim(elapsed)}`, view.width);
};

const renderLiveOutput = (tool: LiveTool, view: ViewContext): readonly string[] => {
  const output = cleanOutput(tool.output).trimEnd();
  if (output === "") return [];
  const tail = output.split("\n").slice(-LIVE_OUTPUT_LINES);
  return tail.map((text) => cutText(`  ${view.palette.dim(text)}`, view.width));
};

/** The calls that run, a line each; with the end of their output where that is wanted. */
export const renderLiveTools = (state: ChatState, now: number, view: ViewContext): readonly string[] => {
  const tools = state.turn?.tools ?? [];
  if (state.display.toolProgress === "off") return [];
  const verbose = state.display.toolProgress === "verbose";
  const shown = tools
    .slice(-MOST_TOOLS)
    .flatMap((tool) => [
      renderLiveTool(tool, now, view),
      ...renderChildren(tool, now, view),
      ...(verbose ? renderLiveOutput(tool, view) : []),
    ]);
  const left = tools.length - MOST_TOOLS;
  return left > 0 ? [view.palette.dim(cutText(`… ${left} more running`, view.width)), ...shown] : shown;
};

const activityWords = (activity: Activity, now: number): string => {
  if (activity.kind === "retrying") {
    return `${cleanText(activity.why)}; attempt ${activity.attempt} in ${formatSeconds(activity.until - now)}`;
  }
  if (activity.kind === "compressing") return `Compressing the conversation (${formatTokens(activity.tokens)} tokens)`;
  const what = activity.phase === "first_token" ? "No response from provider" : "No progress from provider";
  return `${what} for ${formatSeconds(activity.waitedMs)} (given up after ${formatSeconds(activity.limitMs)})`;
};

const calmWords = (turn: Turn, now: number): string =>
  `${turn.reasoning === "" ? "Working" : "Thinking"} ${formatSeconds(now - turn.startedAt)} · Ctrl+C stops`;

/** What the turn is doing now, in a line; nothing while it waits for the person. */
export const renderActivity = (state: ChatState, now: number, view: ViewContext): readonly string[] => {
  const { turn } = state;
  if (turn === undefined) return [];
  const { palette } = view;
  const spinner = palette.cyan(spinnerAt(view.config.indicator, now));
  if (turn.phase === "interrupting") {
    return [cutText(`${spinner} ${palette.yellow("Stopping… (Ctrl+C again: do not wait)")}`, view.width)];
  }
  if (state.questions.length > 0) return [];
  if (turn.activity !== undefined) {
    return wrapText(`${spinner} ${palette.yellow(activityWords(turn.activity, now))}`, view.width);
  }
  return [cutText(`${spinner} ${palette.dim(calmWords(turn, now))}`, view.width)];
};
