import type { CommandInfo } from "../../../commands/command.ts";
import type { ChatInfo } from "../chat-session.ts";
import type { ChatState } from "../chat-state.ts";
import { cutText } from "../text-width.ts";
import { renderBelowInput, renderInput } from "./render-input.ts";
import { renderQuestion } from "./render-question.ts";
import { renderTodos } from "./render-todos.ts";
import { summaryLine } from "./render-tool.ts";
import { renderActivity, renderLiveTools, renderOpenAnswer, renderReasoning } from "./render-turn.ts";
import { renderStatusLine } from "./status-line.ts";
import type { ViewContext } from "./view-context.ts";

/** The part of the screen that is drawn anew: its lines, and the cursor in them. */
export interface LiveView {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** What the live part is drawn from besides the state. */
export interface LiveFacts {
  readonly info: ChatInfo;
  readonly commands: readonly CommandInfo[];
  /** Monotonic ms. */
  readonly now: number;
  readonly openMs: number;
  /** Rows of the terminal. */
  readonly rows: number;
}

const TODO_LINES = 6;
const QUEUE_LINES = 3;

const renderQueue = (state: ChatState, view: ViewContext): readonly string[] => {
  const { palette } = view;
  const shown = state.queue.slice(0, QUEUE_LINES).map((message) => {
    const when = message.joins ? "next" : "queued";
    return cutText(palette.dim(`${when} › ${summaryLine(message.shown ?? message.text, view)}`), view.width);
  });
  const left = state.queue.length - QUEUE_LINES;
  return left > 0 ? [...shown, palette.dim(cutText(`… ${left} more queued`, view.width))] : shown;
};

/** Keeps the plan short: what is being done and what comes next, not all that is done. */
const renderPlan = (state: ChatState, view: ViewContext): readonly string[] => {
  const { todos } = state;
  if (todos.length <= TODO_LINES) return renderTodos(todos, view);
  const current = todos.findIndex((todo) => todo.status === "in_progress" || todo.status === "pending");
  const first = Math.max(0, Math.min(current - 1, todos.length - TODO_LINES));
  return renderTodos(todos.slice(first, first + TODO_LINES), view);
};

const renderQuestions = (state: ChatState, facts: LiveFacts, view: ViewContext): readonly string[] => {
  const [question] = state.questions;
  if (question === undefined) return [];
  const more = state.questions.length - 1;
  const card = renderQuestion(question, { now: facts.now, typing: state.editor.text !== "", rows: facts.rows }, view);
  return more > 0 ? [...card, view.palette.dim(cutText(`… ${more} more to answer`, view.width))] : card;
};

/** Sections from the top; each is cut at its top by what is missing, in the order in which they matter least. */
const fit = (sections: readonly (readonly string[])[], room: number): readonly string[] => {
  let excess = sections.reduce((sum, section) => sum + section.length, 0) - room;
  return sections.flatMap((section) => {
    const cut = Math.max(0, Math.min(section.length, excess));
    excess -= cut;
    return section.slice(cut);
  });
};

/**
 * Draws what is going on: the open end of the answer, running tools, the plan, the question, what waits, the input box
 * and the status line. Always lower than the terminal, so that what is printed above it scrolls away undisturbed.
 */
export const renderLive = (state: ChatState, facts: LiveFacts, view: ViewContext): LiveView => {
  const room = Math.max(1, facts.rows - 1);
  const input = renderInput(state, Math.max(1, Math.min(10, Math.floor(facts.rows / 3))), view);
  const below = renderBelowInput(state, facts.commands, view);
  const status = [renderStatusLine(state, facts, view)];
  const bottom = room > input.lines.length ? [...below, ...status].slice(0, room - input.lines.length) : [];
  const boxRows = input.lines.slice(0, room);
  const above = fit(
    [
      renderOpenAnswer(state, view),
      renderReasoning(state, view),
      renderLiveTools(state, facts.now, view),
      renderPlan(state, view),
      renderQueue(state, view),
      renderActivity(state, facts.now, view),
      renderQuestions(state, facts, view),
    ],
    Math.max(0, room - boxRows.length - bottom.length),
  );
  const gap = above.length > 0 && above.length + boxRows.length + bottom.length < room ? [""] : [];
  const lines = [...above, ...gap, ...boxRows, ...bottom];
  const row = Math.min(lines.length - 1, above.length + gap.length + Math.min(input.cursor.row, boxRows.length - 1));
  return { lines, cursor: { row, column: Math.min(input.cursor.column, Math.max(0, view.width - 1)) } };
};
