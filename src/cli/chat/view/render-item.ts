import { formatCost } from "../../../commands/format-values.ts";
import type { TranscriptItem } from "../chat-state.ts";
import { renderAnswerPart } from "../markdown/render-markdown.ts";
import { cleanText, revealText } from "../text-safety.ts";
import { cutText, wrapText } from "../text-width.ts";
import { renderPast } from "./render-past.ts";
import { renderResult } from "./render-result.ts";
import { renderTodos } from "./render-todos.ts";
import { indented, renderTool, summaryLine } from "./render-tool.ts";
import { renderUser } from "./render-user.ts";
import type { ViewContext } from "./view-context.ts";
import { formatDuration, shortPath } from "../../format.ts";

type Item<K extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: K }>;

const renderBanner = ({ info }: Item<"banner">, view: ViewContext): readonly string[] => {
  const { palette } = view;
  const title = info.title === null ? "" : ` ${cleanText(info.title)}`;
  const practice = info.practice
    ? wrapText(palette.yellow("Practice mode: answers come from a built-in demo, not from a model."), view.width)
    : [];
  return [
    ...wrapText(
      `${palette.bold("Hermes")} ${palette.dim("·")} ${cleanText(`${info.provider}:${info.model}`)}`,
      view.width,
    ),
    ...practice,
    ...wrapText(
      palette.dim(`${info.sessionId}${title} · ${cleanText(shortPath(info.cwd, view.userHome))}`),
      view.width,
    ),
    ...wrapText(palette.dim("/help lists commands · Ctrl+C stops a turn · Ctrl+D leaves"), view.width),
  ];
};

const renderNotice = (item: Item<"notice">, view: ViewContext): readonly string[] => {
  const { palette } = view;
  const text = cleanText(item.text);
  const hint = item.hint === undefined ? [] : indented(palette.dim(`→ ${cleanText(item.hint)}`), view);
  switch (item.tone) {
    case "info":
      return [...wrapText(palette.dim(text), view.width, { first: palette.dim("· "), rest: "  " }), ...hint];
    case "warning":
      return [...wrapText(palette.yellow(text), view.width, { first: palette.yellow("! "), rest: "  " }), ...hint];
    case "error":
      return [...wrapText(palette.red(text), view.width, { first: palette.red("✗ "), rest: "  " }), ...hint];
    default:
      return item.tone satisfies never;
  }
};

const APPROVED = {
  once: "✓ Allowed once",
  session: "✓ Allowed for this session",
  always: "✓ Always allowed",
  deny: "⊘ Denied",
  timeout: "⊘ No answer in time, denied",
} as const;

const renderApproved = (item: Item<"approved">, view: ViewContext): readonly string[] => {
  const refused = item.answer === "deny" || item.answer === "timeout";
  const line = cutText(`${APPROVED[item.answer]}: ${summaryLine(item.subject, view)}`, view.width);
  return [refused ? view.palette.yellow(line) : view.palette.dim(line)];
};

const renderClarified = (item: Item<"clarified">, view: ViewContext): readonly string[] => [
  ...wrapText(cleanText(item.question), view.width, { first: view.palette.magenta("? "), rest: "  " }),
  ...indented(view.palette.dim(item.answer === null ? "(no answer)" : `→ ${cleanText(item.answer)}`), view),
];

const ENDS = {
  interrupted: "⊘ Interrupted",
  abandoned: "⊘ No longer waited for; it may still be stopping",
  budget_exhausted: '! The turn used up its steps; send "go on" to continue',
  failed: "✗ The turn failed",
} as const;

const renderTurnEnd = (item: Item<"turn_end">, view: ViewContext): readonly string[] => {
  const cost = item.costUsd === undefined ? [] : [item.costUsd === null ? "cost unknown" : formatCost(item.costUsd)];
  const facts = [formatDuration(item.durationMs), ...cost].join(" · ");
  if (item.status !== "completed") {
    return wrapText(view.palette.yellow(`${ENDS[item.status]} (${facts})`), view.width);
  }
  return item.costUsd === undefined ? [] : [view.palette.dim(cutText(facts, view.width))];
};

const renderAnswer = (item: Item<"answer">, view: ViewContext): readonly string[] => {
  const gap = item.opens && !view.config.compact ? [""] : [];
  const target = { width: view.width, palette: view.palette, mode: view.config.markdown };
  return [...gap, ...renderAnswerPart(item.part, target)];
};

/** The lines of one finished thing, none wider than the terminal. */
export const renderItem = (item: TranscriptItem, view: ViewContext): readonly string[] => {
  switch (item.kind) {
    case "banner":
      return renderBanner(item, view);
    case "user":
      return renderUser(item.text, item.at, view);
    case "steered":
      return wrapText(cleanText(item.text), view.width, { first: view.palette.cyan("↳ "), rest: "  " });
    case "answer":
      return renderAnswer(item, view);
    case "reasoning":
      return wrapText(view.palette.dim(view.palette.italic(cleanText(item.text).trim())), view.width, { first: "  " });
    case "tool":
      return renderTool(item, view);
    case "asked":
      return wrapText(revealText(item.subject), view.width, { mode: "hard", first: view.palette.yellow("┃ ") });
    case "approved":
      return renderApproved(item, view);
    case "clarified":
      return renderClarified(item, view);
    case "todos":
      return renderTodos(item.todos, view);
    case "notice":
      return renderNotice(item, view);
    case "result":
      return renderResult(item.result, view);
    case "past":
      return renderPast(item.entries, item.shortened, view);
    case "turn_end":
      return renderTurnEnd(item, view);
    default:
      return item satisfies never;
  }
};
