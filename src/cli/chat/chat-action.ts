import type { AgentEvent } from "../../agent/event.ts";
import type { CommandInfo, CommandResult, Confirmation } from "../../commands/command.ts";
import type { HistoryEntry } from "../../commands/ports.ts";
import type { ApprovalAnswer } from "../../agent/approvals/approval-gate.ts";
import type { ChatInfo, ChatNotification } from "./chat-session.ts";
import type { TranscriptBody } from "./chat-state.ts";
import type { Candidate, CompletionTarget } from "./input/completion.ts";
import type { KeyPress } from "./input/key-press.ts";

/** Whatever can change the state. Times come with `StepContext`. */
export type ChatAction =
  | { readonly type: "event"; readonly event: AgentEvent }
  | { readonly type: "key"; readonly key: KeyPress }
  /** Everything up to this id is on the screen. */
  | { readonly type: "printed"; readonly through: number }
  /** The turn's stream has ended, or is waited for no longer. `error` = it threw, which a session must not do. */
  | { readonly type: "turn_over"; readonly abandoned: boolean; readonly error?: string }
  | { readonly type: "steer_refused"; readonly text: string }
  | { readonly type: "command_done"; readonly result: CommandResult }
  | { readonly type: "history_loaded"; readonly entries: readonly string[] }
  | { readonly type: "candidates"; readonly target: CompletionTarget; readonly candidates: readonly Candidate[] }
  | { readonly type: "notification"; readonly notification: ChatNotification }
  | { readonly type: "opened"; readonly info: ChatInfo; readonly past: readonly HistoryEntry[] }
  | { readonly type: "past"; readonly entries: readonly HistoryEntry[]; readonly shortened: boolean }
  | { readonly type: "say"; readonly body: TranscriptBody };

/** What must be done outside because of a change. */
export type Effect =
  | { readonly kind: "send"; readonly text: string }
  | { readonly kind: "compress"; readonly focus: string | undefined }
  | { readonly kind: "interrupt" }
  /** Wait for the turn no longer. */
  | { readonly kind: "abandon" }
  | { readonly kind: "steer"; readonly text: string }
  | { readonly kind: "command"; readonly line: string; readonly confirmed?: Confirmation }
  | { readonly kind: "answer_approval"; readonly id: string; readonly answer: ApprovalAnswer }
  | { readonly kind: "answer_clarify"; readonly id: string; readonly answer: string | undefined }
  | { readonly kind: "remember"; readonly line: string }
  | { readonly kind: "load_history" }
  | { readonly kind: "complete_path"; readonly target: CompletionTarget }
  | { readonly kind: "show_past"; readonly shortened: boolean }
  | { readonly kind: "clear_screen" }
  | { readonly kind: "copy"; readonly text: string }
  | { readonly kind: "bell" }
  | { readonly kind: "suspend" }
  | { readonly kind: "exit" };

/** What a change is made with. */
export interface StepContext {
  /** Monotonic ms. */
  readonly now: number;
  /** Wall time, ms UTC. */
  readonly wall: number;
  readonly columns: number;
  readonly commands: readonly CommandInfo[];
  readonly options: StepOptions;
}

/** Settings that a change depends on. */
interface StepOptions {
  readonly timestamps: boolean;
  readonly bellOnComplete: boolean;
  readonly showCost: boolean;
  /** Letters pressed this soon (ms) after an approval question appeared go to the input box. */
  readonly graceMs: number;
}
