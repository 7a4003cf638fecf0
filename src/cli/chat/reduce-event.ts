import { rotationWords } from "../rotation-words.ts";
import type { AgentEvent, AgentEventOf } from "../../agent/event.ts";
import { retryWords } from "../moved-words.ts";
import type { StepContext } from "./chat-action.ts";
import {
  type ChatState,
  type LiveTool,
  notice,
  print,
  type Question,
  type TranscriptBody,
  type Turn,
} from "./chat-state.ts";
import { type AnswerPart, EMPTY_STREAM, feedMarkdown, finishMarkdown } from "./markdown/markdown-stream.ts";
import { reduceChild } from "./reduce-child.ts";
import { revealText } from "./text-safety.ts";
import { wrapText } from "./text-width.ts";
import { CARD_INSET } from "./view/render-question.ts";

/** How much of a running tool's output is kept for its card. */
const LIVE_OUTPUT = 4000;
/** How much reasoning is kept while it streams; the whole of it is never needed on a screen. */
const LIVE_REASONING = 20_000;

const withTurn = (state: ChatState, change: (turn: Turn) => Partial<Turn>): ChatState =>
  state.turn === undefined ? state : { ...state, turn: { ...state.turn, ...change(state.turn) } };

const printParts = (state: ChatState, parts: readonly AnswerPart[]): ChatState => {
  if (parts.length === 0) return state;
  const opens = state.turn?.printed !== true;
  const bodies = parts.map((part, index): TranscriptBody => ({ kind: "answer", part, opens: opens && index === 0 }));
  return withTurn(print(state, ...bodies), () => ({ printed: true }));
};

/** Ends the reasoning that is being shown. */
const flushReasoning = (state: ChatState): ChatState => {
  const text = state.turn?.reasoning ?? "";
  if (text.trim() === "") return withTurn(state, () => ({ reasoning: "" }));
  const shown = state.display.showReasoning ? print(state, { kind: "reasoning", text }) : state;
  return withTurn(shown, () => ({ reasoning: "" }));
};

/** Ends the text that is being written: what was open becomes final. */
const flushAnswer = (state: ChatState): ChatState => {
  const { turn } = state;
  if (turn === undefined) return state;
  const flushed = printParts(state, [...turn.held, ...finishMarkdown(turn.answer)]);
  return withTurn(flushed, () => ({ answer: EMPTY_STREAM, held: [], printed: false }));
};

const onText = (state: ChatState, delta: string): ChatState => {
  const calm = flushReasoning(state);
  if (calm.turn === undefined) return calm;
  const fed = feedMarkdown(calm.turn.answer, delta);
  const grown = withTurn(calm, (turn) => ({
    answer: fed.stream,
    answered: turn.answered || delta.trim() !== "",
    activity: undefined,
  }));
  if (state.streaming) return printParts(grown, fed.finished);
  return withTurn(grown, (turn) => ({ held: [...turn.held, ...fed.finished] }));
};

const onRetrying = (state: ChatState, event: AgentEventOf<"retrying">, now: number): ChatState => {
  const activity =
    event.moved === undefined
      ? { kind: "retrying" as const, attempt: event.attempt, until: now + event.delayMs, why: event.message }
      : undefined;
  const said =
    state.turn?.printed === true
      ? print(state, notice("warning", "The answer was cut off here; it begins again."))
      : state;
  const moved = event.moved === undefined ? said : print(said, notice("warning", retryWords(event)));
  // Text of the failed call is void: what is on the screen stays there, what was open is dropped.
  return withTurn(moved, () => ({
    answer: EMPTY_STREAM,
    printed: false,
    answered: false,
    reasoning: "",
    tools: [],
    activity,
  }));
};

const onPreparing = (state: ChatState, event: AgentEventOf<"tool_preparing">, now: number): ChatState => {
  const tool: LiveTool = {
    callId: event.callId,
    tool: event.tool,
    summary: undefined,
    startedAt: now,
    output: "",
    children: [],
  };
  return withTurn(flushAnswer(flushReasoning(state)), (turn) => ({
    tools: [...turn.tools.filter((live) => live.callId !== event.callId), tool],
    activity: undefined,
  }));
};

const onStarted = (state: ChatState, event: AgentEventOf<"tool_started">, now: number): ChatState => {
  const tool: LiveTool = {
    callId: event.callId,
    tool: event.tool,
    summary: event.summary,
    startedAt: now,
    output: "",
    children: [],
  };
  return withTurn(flushAnswer(flushReasoning(state)), (turn) => {
    const known = turn.tools.some((live) => live.callId === event.callId);
    const tools = known
      ? turn.tools.map((live) => (live.callId === event.callId ? tool : live))
      : [...turn.tools, tool];
    return { tools, answered: false, activity: undefined };
  });
};

const onOutput = (state: ChatState, event: AgentEventOf<"tool_output">): ChatState =>
  withTurn(state, (turn) => ({
    tools: turn.tools.map((live) =>
      live.callId === event.callId ? { ...live, output: (live.output + event.text).slice(-LIVE_OUTPUT) } : live,
    ),
  }));

/** Whether a finished call is worth a line, as `display.tool_progress` says; failures and refusals always are. */
const isShown = (state: ChatState, event: AgentEventOf<"tool_finished">): boolean => {
  if (event.outcome !== "ok") return true;
  const { toolProgress } = state.display;
  if (toolProgress === "off") return event.diff !== undefined;
  return toolProgress !== "new" || state.turn?.lastTool !== event.tool || event.diff !== undefined;
};

const onFinished = (state: ChatState, event: AgentEventOf<"tool_finished">): ChatState => {
  const live = state.turn?.tools.find((tool) => tool.callId === event.callId);
  const body: TranscriptBody = {
    kind: "tool",
    tool: event.tool,
    summary: live?.summary ?? event.tool,
    outcome: event.outcome,
    durationMs: event.durationMs,
    text: event.text,
    diff: event.diff,
    fullTextPath: event.fullTextPath,
    verbose: state.display.toolProgress === "verbose" || event.outcome === "error",
  };
  const shown = isShown(state, event) ? print(state, body) : state;
  return withTurn(shown, (turn) => ({
    tools: turn.tools.filter((tool) => tool.callId !== event.callId),
    lastTool: event.tool,
    answered: false,
  }));
};

/** Up to this many lines (at the terminal's width) a card can show whatever the terminal's height. */
const CARD_LINES = 3;

const onApproval = (state: ChatState, event: AgentEventOf<"approval_requested">, at: EventContext): ChatState => {
  const question: Question = {
    kind: "approval",
    id: event.approvalId,
    callId: event.callId,
    action: event.action,
    subject: event.subject,
    reasons: event.reasons,
    alwaysCovers: event.alwaysCovers,
    askedAt: at.now,
    timeoutMs: event.timeoutMs,
  };
  const flushed = flushAnswer(flushReasoning(state));
  const { action, subject } = event;
  const isLong = wrapText(revealText(subject), at.columns - CARD_INSET, { mode: "hard" }).length > CARD_LINES;
  const shown = isLong ? print(flushed, { kind: "asked", action, subject }) : flushed;
  return { ...shown, questions: [...shown.questions, question] };
};

const withoutQuestion = (state: ChatState, kind: Question["kind"], id: string): ChatState => ({
  ...state,
  questions: state.questions.filter((asked) => asked.kind !== kind || asked.kind === "confirm" || asked.id !== id),
});

const onApprovalResolved = (state: ChatState, event: AgentEventOf<"approval_resolved">): ChatState => {
  const asked = state.questions.find((question) => question.kind === "approval" && question.id === event.approvalId);
  const rest = withoutQuestion(state, "approval", event.approvalId);
  if (asked?.kind !== "approval") return rest;
  return print(rest, { kind: "approved", subject: asked.subject, answer: event.answer });
};

const onClarify = (state: ChatState, event: AgentEventOf<"clarify_requested">, now: number): ChatState => {
  const { clarifyId: id, question, choices } = event;
  const asked: Question = { kind: "clarify", id, question, choices, askedAt: now };
  return { ...flushAnswer(flushReasoning(state)), questions: [...state.questions, asked] };
};

const onClarifyResolved = (state: ChatState, event: AgentEventOf<"clarify_resolved">): ChatState => {
  const asked = state.questions.find((question) => question.kind === "clarify" && question.id === event.clarifyId);
  const rest = withoutQuestion(state, "clarify", event.clarifyId);
  if (asked?.kind !== "clarify") return rest;
  return print(rest, { kind: "clarified", question: asked.question, answer: event.answer });
};

const onTodos = (state: ChatState, event: AgentEventOf<"todos">): ChatState => {
  const open = event.todos.some((todo) => todo.status === "pending" || todo.status === "in_progress");
  // A finished plan goes up into the transcript once; an open one stays in view.
  const known = state.todos.length > 0;
  const shown = !open && event.todos.length > 0 && known ? print(state, { kind: "todos", todos: event.todos }) : state;
  return { ...shown, todos: open ? event.todos : [] };
};

const onTurnFinished = (state: ChatState, event: AgentEventOf<"turn_finished">): ChatState => {
  // An answer that did not stream (a provider without streams, or a text made by the program) is shown now. What a turn
  // that was stopped had said so far stands there already.
  const isWhole = event.status === "completed" || event.status === "budget_exhausted";
  const silent = state.turn?.answered !== true && event.text.trim() !== "" && isWhole;
  const spoken = flushAnswer(flushReasoning(silent ? onText(state, event.text) : state));
  const failed =
    event.error === undefined ? spoken : print(spoken, notice("error", event.error.message, event.error.hint));
  const ended = withTurn(failed, () => ({ finished: event, tools: [], activity: undefined }));
  // Questions of a turn end with it; a confirmation belongs to a command.
  return { ...ended, questions: ended.questions.filter((question) => question.kind === "confirm") };
};

const onUsage = (state: ChatState, event: AgentEventOf<"usage">): ChatState => ({
  ...state,
  context: { tokens: event.contextTokens, window: event.contextWindow },
});

const onRotated = (state: ChatState, event: AgentEventOf<"rotated">): ChatState => {
  const { context } = state;
  const tokens = event.after ?? context?.tokens ?? 0;
  const shrunk = context === undefined ? state : { ...state, context: { ...context, tokens } };
  const going = withTurn(shrunk, () => ({ activity: undefined }));
  return print(flushAnswer(going), notice("info", rotationWords(event)));
};

/** When and where an event comes in: monotonic ms, columns of the terminal. */
export type EventContext = Pick<StepContext, "now" | "columns">;

/** What one event of the agent changes. Events outside a turn, and kinds that are not shown, change nothing. */
export const reduceEvent = (state: ChatState, event: AgentEvent, at: EventContext): ChatState => {
  const { now } = at;
  switch (event.type) {
    case "text":
      return onText(state, event.delta);
    case "reasoning":
      return withTurn(state, (turn) => ({
        reasoning: (turn.reasoning + event.delta).slice(-LIVE_REASONING),
        activity: undefined,
      }));
    case "tool_preparing":
      return onPreparing(state, event, now);
    case "tool_started":
      return onStarted(state, event, now);
    case "tool_output":
      return onOutput(state, event);
    case "subagent_started":
    case "subagent_progress":
    case "subagent_finished":
      return withTurn(state, (turn) => ({ tools: turn.tools.map((tool) => reduceChild(tool, event, now)) }));
    case "tool_finished":
      return onFinished(state, event);
    case "approval_requested":
      return onApproval(state, event, at);
    case "approval_resolved":
      return onApprovalResolved(state, event);
    case "clarify_requested":
      return onClarify(state, event, now);
    case "clarify_resolved":
      return onClarifyResolved(state, event);
    case "todos":
      return onTodos(state, event);
    case "usage":
      return onUsage(state, event);
    case "waiting": {
      const { phase, waitedMs, limitMs } = event;
      return withTurn(state, () => ({ activity: { kind: "waiting", phase, waitedMs, limitMs } }));
    }
    case "retrying":
      return onRetrying(state, event, now);
    case "steered":
      return print(flushAnswer(state), { kind: "steered", text: event.text });
    case "notice":
      return print(flushAnswer(state), notice("info", event.message));
    case "compressing":
      return withTurn(state, () => ({ activity: { kind: "compressing", tokens: event.tokens } }));
    case "rotated":
      return onRotated(state, event);
    case "turn_finished":
      return onTurnFinished(state, event);
    case "start":
    case "saved":
      return state;
    default:
      return event satisfies never;
  }
};
