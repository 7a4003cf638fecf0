import type { Question } from "../chat-state.ts";
import { cleanText, revealText } from "../text-safety.ts";
import { cutText, wrapText } from "../text-width.ts";
import { foldLines } from "./render-tool.ts";
import type { ViewContext } from "./view-context.ts";
import { plural } from "../../format.ts";

const BAR = "┃ ";
/** Columns that the card takes beside its text. */
export const CARD_INSET = 2;
/** Rows of the terminal that the rest of the card and the input box want. */
const OTHER_ROWS = 12;
const FEWEST_LINES = 3;
const MOST_LINES = 16;

/** How many lines of a command the card shows: a longer one stands in full above it. */
const kept = (rows: number): { readonly first: number; readonly last: number } => {
  const lines = Math.max(FEWEST_LINES, Math.min(MOST_LINES, rows - OTHER_ROWS));
  return { first: lines - 1, last: 1 };
};

const countdown = (question: Extract<Question, { kind: "approval" }>, now: number): string =>
  `${Math.max(0, Math.ceil((question.askedAt + question.timeoutMs - now) / 1000))}s`;

const renderApproval = (
  question: Extract<Question, { kind: "approval" }>,
  state: CardState,
  view: ViewContext,
): readonly string[] => {
  const { palette } = view;
  const bar = { first: palette.yellow(BAR) };
  const what = question.action === "command" ? "Run this command?" : "Write this file?";
  // Nothing of a long command may be hidden without saying so.
  const subject = foldLines(
    wrapText(revealText(question.subject), view.width, { ...bar, mode: "hard" }),
    kept(state.rows),
    (left) => cutText(`${palette.yellow(BAR)}${palette.red(`… ${plural(left, "more line")} shown above`)}`, view.width),
  );
  const covered =
    question.alwaysCovers === undefined
      ? []
      : wrapText(
          palette.dim(`[s] and [a] cover, with any arguments: ${revealText(question.alwaysCovers)}`),
          view.width,
          bar,
        );
  const lasting = question.alwaysCovers === undefined ? [] : ["[s]ession", "[a]lways"];
  const keys = ["[o]nce", ...lasting, "[d]eny"].join("  ");
  return [
    ...wrapText(palette.bold(what), view.width, bar),
    ...subject,
    ...question.reasons.flatMap((reason) => wrapText(palette.yellow(`! ${cleanText(reason)}`), view.width, bar)),
    ...covered,
    ...wrapText(
      `${palette.bold(keys)}  ${palette.dim(`denied in ${countdown(question, state.now)}`)}`,
      view.width,
      bar,
    ),
  ];
};

const renderClarify = (question: Extract<Question, { kind: "clarify" }>, view: ViewContext): readonly string[] => {
  const { palette } = view;
  const bar = palette.magenta(BAR);
  const choices = question.choices.flatMap((choice, index) => {
    const number = `${index + 1}. `;
    return wrapText(cleanText(choice), view.width, { first: bar + number, rest: bar + " ".repeat(number.length) });
  });
  const how = question.choices.length === 0 ? "Type an answer" : "Type a number or an answer";
  return [
    ...wrapText(palette.bold(cleanText(question.question)), view.width, { first: bar }),
    ...choices,
    ...wrapText(palette.dim(`${how}, Enter sends it, Esc leaves it to the agent`), view.width, { first: bar }),
  ];
};

const renderConfirm = (question: Extract<Question, { kind: "confirm" }>, view: ViewContext): readonly string[] => {
  const bar = { first: view.palette.yellow(BAR) };
  return [
    ...wrapText(view.palette.bold(cleanText(question.question)), view.width, bar),
    ...wrapText(view.palette.bold("[o] approve once  [a] always approve  [c]ancel"), view.width, bar),
  ];
};

/** What a card depends on besides the question. */
export interface CardState {
  /** Monotonic ms. */
  readonly now: number;
  /** Something stands in the input box, so letters do not answer. */
  readonly typing: boolean;
  /** Rows of the terminal. */
  readonly rows: number;
}

/** The card of the question that is asked now. */
export const renderQuestion = (question: Question, state: CardState, view: ViewContext): readonly string[] => {
  switch (question.kind) {
    case "approval":
      return [...renderApproval(question, state, view), ...typingHint(state.typing, view)];
    case "clarify":
      return renderClarify(question, view);
    case "confirm":
      return [...renderConfirm(question, view), ...typingHint(state.typing, view)];
    default:
      return question satisfies never;
  }
};

const typingHint = (typing: boolean, view: ViewContext): readonly string[] =>
  typing
    ? wrapText(view.palette.dim("Empty the input box (Ctrl+U) to answer with a letter; Esc says no."), view.width, {
        first: view.palette.yellow(BAR),
      })
    : [];
