import type { AgentEventOf } from "../../agent/event.ts";
import type { CommandResult } from "../../commands/command.ts";
import type { DisplaySettings } from "../../commands/display-settings.ts";
import type { HistoryEntry } from "../../commands/ports.ts";
import type { ApprovalAnswer } from "../../agent/approvals/approval-gate.ts";
import type { ChatInfo } from "./chat-session.ts";
import type { CompletionMenu } from "./input/completion.ts";
import { type EditorState, EMPTY_EDITOR } from "./input/editor.ts";
import { EMPTY_HISTORY, type HistorySearch, type InputHistory } from "./input/input-history.ts";
import { type AnswerPart, EMPTY_STREAM, type MarkdownStream } from "./markdown/markdown-stream.ts";

/**
 * Everything that the chat shows, as one value. It is changed only by `step`, which also says what must be done
 * (`Effect`). What is finished waits in `pending` until it is on the screen and is then forgotten, so a session of a
 * month takes no more memory than one of a minute.
 */
export interface ChatState {
  readonly pending: readonly TranscriptItem[];
  readonly nextId: number;
  readonly display: DisplaySettings;
  /** False keeps an answer back until it is complete. */
  readonly streaming: boolean;
  readonly turn: Turn | undefined;
  /** The first one is asked now. */
  readonly questions: readonly Question[];
  /** Messages for coming turns, first in first out. */
  readonly queue: readonly QueuedMessage[];
  readonly editor: EditorState;
  readonly history: InputHistory;
  /** `wanted` = being read, and the person has pressed Up meanwhile. */
  readonly historyFile: "unread" | "reading" | "wanted" | "read";
  readonly search: HistorySearch | undefined;
  readonly menu: CompletionMenu | undefined;
  /** Ctrl+C was pressed with nothing to do; pressed again it leaves. */
  readonly leaving: boolean;
  /** A command is being carried out. */
  readonly commandRunning: boolean;
  /** The last call's count, newer than what the session's info says while a turn runs. */
  readonly context: { readonly tokens: number; readonly window: number } | undefined;
  /** The plan as it stands; kept between turns until it is done. */
  readonly todos: readonly Todo[];
}

export type Todo = AgentEventOf<"todos">["todos"][number];

/** The turn that runs. Times are monotonic ms. */
export interface Turn {
  readonly startedAt: number;
  /** `interrupting` = Ctrl+C (or a message in interrupt mode) has asked it to stop. */
  readonly phase: "running" | "interrupting";
  /** Who asked: the person by a key, or a message that waits in the queue. */
  readonly interruptedBy: "key" | "message" | undefined;
  readonly answer: MarkdownStream;
  /** Finished parts that wait for the end of the answer, where it does not stream. */
  readonly held: readonly AnswerPart[];
  /** Whether any text came since the last tool call. */
  readonly answered: boolean;
  /** Whether a part of the running model call's text is on the screen already. */
  readonly printed: boolean;
  readonly reasoning: string;
  readonly tools: readonly LiveTool[];
  /** Name of the tool whose line was last kept, for `tool_progress: new`. */
  readonly lastTool: string | undefined;
  readonly activity: Activity | undefined;
  /** The last event was read; only the iterator's end is waited for. */
  readonly finished: AgentEventOf<"turn_finished"> | undefined;
}

/** A call that has not ended. */
export interface LiveTool {
  readonly callId: string;
  readonly tool: string;
  /** Absent while its arguments are still being written. */
  readonly summary: string | undefined;
  readonly startedAt: number;
  /** The end of its output so far. */
  readonly output: string;
  /** The sub-agents below it, in the order in which they began. */
  readonly children: readonly LiveChild[];
}

/** A sub-agent of a running call. */
export interface LiveChild {
  /** Its session. */
  readonly id: string;
  readonly parent: string;
  readonly goal: string;
  /** What it did last; empty = nothing yet. */
  readonly action: string;
  readonly startedAt: number;
  /** Absent = it runs. */
  readonly ended:
    | { readonly status: AgentEventOf<"subagent_finished">["status"]; readonly durationMs: number }
    | undefined;
}

/** Why nothing seems to happen. */
export type Activity =
  | {
      readonly kind: "waiting";
      readonly phase: "first_token" | "next_token";
      readonly waitedMs: number;
      readonly limitMs: number;
    }
  | { readonly kind: "compressing"; readonly tokens: number }
  | { readonly kind: "retrying"; readonly attempt: number; readonly until: number; readonly why: string };

export interface QueuedMessage {
  readonly text: string;
  /** What the person typed, where the text was made of it. */
  readonly shown?: string;
  /** Messages that interrupted the turn are sent together as one. */
  readonly joins: boolean;
}

/** Something that the person must answer. `askedAt` is monotonic ms. */
export type Question =
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly callId: string;
      readonly action: "command" | "write";
      readonly subject: string;
      readonly reasons: readonly string[];
      readonly alwaysCovers: string | undefined;
      readonly askedAt: number;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: "clarify";
      readonly id: string;
      readonly question: string;
      readonly choices: readonly string[];
      readonly askedAt: number;
    }
  | { readonly kind: "confirm"; readonly question: string; readonly line: string; readonly askedAt: number };

/** Something finished, for the part of the screen that scrolls away. */
export type TranscriptBody =
  | { readonly kind: "banner"; readonly info: ChatInfo }
  | { readonly kind: "user"; readonly text: string; readonly at: number | undefined }
  | { readonly kind: "steered"; readonly text: string }
  /** `opens` = the first part of an answer. */
  | { readonly kind: "answer"; readonly part: AnswerPart; readonly opens: boolean }
  | { readonly kind: "reasoning"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly summary: string;
      readonly outcome: "ok" | "error" | "denied" | "interrupted";
      readonly durationMs: number;
      readonly text: string;
      readonly diff: string | undefined;
      readonly fullTextPath: string | undefined;
      /** Whether its output is shown with it. */
      readonly verbose: boolean;
    }
  /** The whole of something that is asked about and too long for the question's card. */
  | { readonly kind: "asked"; readonly action: "command" | "write"; readonly subject: string }
  | { readonly kind: "approved"; readonly subject: string; readonly answer: ApprovalAnswer | "timeout" }
  | { readonly kind: "clarified"; readonly question: string; readonly answer: string | null }
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  | {
      readonly kind: "notice";
      readonly tone: "info" | "warning" | "error";
      readonly text: string;
      readonly hint: string | undefined;
    }
  | { readonly kind: "result"; readonly result: Extract<CommandResult, { kind: "text" | "table" }> }
  | { readonly kind: "past"; readonly entries: readonly HistoryEntry[]; readonly shortened: boolean }
  | {
      readonly kind: "turn_end";
      readonly status: AgentEventOf<"turn_finished">["status"] | "abandoned";
      readonly durationMs: number;
      readonly toolCalls: number;
      readonly costUsd: number | null | undefined;
    };

/** A finished thing with its place in the order. */
export type TranscriptItem = TranscriptBody & { readonly id: number };

/** The state at the start. */
export const initialState = (options: {
  readonly display: DisplaySettings;
  readonly streaming: boolean;
}): ChatState => ({
  pending: [],
  nextId: 0,
  display: options.display,
  streaming: options.streaming,
  turn: undefined,
  questions: [],
  queue: [],
  editor: EMPTY_EDITOR,
  history: EMPTY_HISTORY,
  historyFile: "unread",
  search: undefined,
  menu: undefined,
  leaving: false,
  commandRunning: false,
  context: undefined,
  todos: [],
});

/** A turn of which nothing has come yet. */
export const newTurn = (now: number): Turn => ({
  startedAt: now,
  phase: "running",
  interruptedBy: undefined,
  answer: EMPTY_STREAM,
  held: [],
  answered: false,
  printed: false,
  reasoning: "",
  tools: [],
  lastTool: undefined,
  activity: undefined,
  finished: undefined,
});

/** Adds finished things to be printed. */
export const print = (state: ChatState, ...bodies: readonly TranscriptBody[]): ChatState => ({
  ...state,
  pending: [...state.pending, ...bodies.map((body, index) => ({ ...body, id: state.nextId + index }))],
  nextId: state.nextId + bodies.length,
});

/** A line from the program itself. */
export const notice = (tone: "info" | "warning" | "error", text: string, hint?: string): TranscriptBody => ({
  kind: "notice",
  tone,
  text,
  hint,
});
