import type { ApprovalAnswer } from "../../agent/approvals/approval-gate.ts";
import type { AgentEvent } from "../../agent/event.ts";
import type { CommandInfo, CommandResult, Confirmation } from "../../commands/command.ts";
import type { HistoryEntry } from "../../commands/ports.ts";

/** What the status line and the banner say. */
export interface ChatInfo {
  readonly provider: string;
  readonly model: string;
  /** The answers come from the built-in practice model. */
  readonly practice: boolean;
  readonly sessionId: string;
  readonly title: string | null;
  readonly cwd: string;
  /** 0 until the first call was counted. */
  readonly contextTokens: number;
  readonly contextWindow: number;
  readonly yolo: boolean;
}

/** Something that happened outside any turn, e.g. a background process that ended. */
export interface ChatNotification {
  readonly tone: "info" | "warning" | "error";
  readonly text: string;
}

/**
 * All that the interactive chat needs of the rest of the program. One conversation at a time; the session behind it may
 * change through commands.
 */
export interface ChatSession {
  /** Read anew for every drawing; must be cheap. */
  readonly info: () => ChatInfo;
  /**
   * Runs one turn. Must end with `turn_finished`, also after `signal` aborts; must not throw for what a provider or tool
   * does. After a second Ctrl+C the chat stops reading (`return()` is called) and may call `send` again at once.
   */
  send(text: string, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Compresses the conversation; a stream like that of a turn. */
  compress(focus: string | undefined, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Puts a message into the running turn; false = there is none, or it takes no more. */
  steer(text: string): boolean;
  /** Must ignore an id that is not (or no longer) asked. */
  answerApproval(id: string, answer: ApprovalAnswer): void;
  /** `undefined` = the person does not want to answer. */
  answerClarify(id: string, answer: string | undefined): void;
  /** What was said so far, oldest first; shown after a resume and by `/redraw`. */
  history(): Promise<readonly HistoryEntry[]>;
  /** Runs a line that begins with a slash. `confirmed` answers a `confirm` result of the same line. */
  runCommand(line: string, options?: { readonly confirmed?: Confirmation }): Promise<CommandResult>;
  readonly commands: () => readonly CommandInfo[];
  /** Ends when `close` is called. */
  notifications(): AsyncIterable<ChatNotification>;
  close(): Promise<void>;
}
