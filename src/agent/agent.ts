import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Redactor } from "../base/redact/redact-text.ts";
import type { Message, Origin, Usage, UserPart } from "../llm/message.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { ModelInfo } from "../llm/model-info.ts";
import type { LlmRequest } from "../llm/request.ts";
import type { ReasoningEffort } from "../config/reasoning-effort.ts";
import type { SessionId } from "../base/ids.ts";
import type { SessionRecord, Store } from "../store/store.ts";
import type { ApprovalAnswer, ApprovalGate, Asker } from "./approvals/approval-gate.ts";
import type {
  CompressionWindow,
  Compressible,
  CompressionOutcome,
  CompressionReason,
} from "./compression/compression.ts";
import type { CompressionPolicy } from "./compression/policy.ts";
import type { AfterCall } from "./after-call.ts";
import type { BeforeChange } from "./before-change.ts";
import type { AgentEvent } from "./event.ts";
import type { Grant } from "./grant.ts";
import type { LoopLimits } from "./loop-guardrail.ts";
import type { Preface } from "./prompt/preface.ts";
import type { ToolOutputStore } from "./tool-output.ts";

/** What an agent is made of. Everything it touches comes in here. */
export interface AgentDeps {
  readonly clock: Clock;
  readonly store: Store;
  readonly redactor: Redactor;
  readonly redactMessage: (message: Message) => Redacted<Message>;
  /** What the model sees of a message: itself, or with personal data masked (`privacy.redact_pii`). */
  readonly modelView: (message: Message) => Message;
  readonly outputs: ToolOutputStore;
  readonly log: Logger;
  readonly estimateTokens: (request: LlmRequest) => number;
  /** US dollars of one call; null when a price is unknown. */
  readonly costOf: (by: ModelInfo, usage: Usage) => number | null;
  /** Makes the gate that stands before dangerous actions; `asker` puts the questions, absent where nobody can answer. */
  readonly createGate: (asker: Asker | undefined) => ApprovalGate;
  readonly compression: ConversationCompression;
  /** For approvals and clarifying questions alike. */
  readonly newQuestionId: () => string;
  /** Keeps what a call is about to change; absent = nothing is kept. */
  readonly beforeChange?: BeforeChange | undefined;
  /** Tells what belongs to a call's result; absent = nothing. */
  readonly afterCall?: AfterCall | undefined;
}

/** Keeps a conversation within its model's window. */
export interface ConversationCompression {
  readonly policy: CompressionPolicy;
  compress(request: {
    readonly compressible: Compressible;
    readonly window: CompressionWindow;
    readonly reason: CompressionReason;
    readonly focus?: string;
    /** The conversation's model, where no other writes summaries. */
    readonly main: ModelClient;
    /** Who pays. */
    readonly session: SessionRecord;
    readonly signal: AbortSignal;
  }): Promise<CompressionOutcome>;
  /** The system prompt of the session that goes on: memory, skills and files as they are now. */
  newPrompt(): Promise<Redacted<string>>;
  /** Called as soon as the conversation is in another session, before anything else happens there. Must not throw. */
  onMoved(from: SessionId, to: SessionRecord): void;
}

/** One session with one model. */
export interface AgentSpec {
  /** Where the agent begins to work. */
  readonly session: SessionRecord;
  readonly systemPrompt: Redacted<string>;
  /** Sent with each request, never stored; absent = nothing. */
  readonly preface?: Preface | undefined;
  readonly model: ModelClient;
  readonly grant: Grant;
  readonly surface: string;
  readonly resumed: boolean;
  /** Whether a person can answer approvals and questions. */
  readonly interactive: boolean;
  readonly maxTurns: number;
  readonly reasoningEffort: ReasoningEffort | undefined;
  readonly loopLimits: LoopLimits;
  readonly maxResultChars: number;
  readonly timeZone: string | undefined;
  /** The directory that relative paths mean now. */
  readonly cwd: () => string;
  readonly version: string;
}

/** What a person said. */
export interface TurnInput {
  readonly parts: readonly UserPart[];
  readonly origin: Origin;
}

/** Works on one session. Turns run one at a time; `run` while another runs waits for nothing and is a bug. */
export interface Agent {
  /**
   * One turn, from the input to the final answer. The stream begins with `start` and ends with `turn_finished`; it never throws.
   * Leaving the loop early interrupts the turn.
   */
  run(input: TurnInput, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Puts a message into the running turn, after its next tool results. False = no turn takes it. */
  steer(text: string): boolean;
  /** False = no such question is open. */
  answerApproval(approvalId: string, answer: ApprovalAnswer): boolean;
  /** `undefined` = the person declines. */
  answerClarify(clarifyId: string, answer: string | undefined): boolean;
  /** The session that the conversation is in now: another one after it was compressed. */
  readonly session: () => SessionRecord;
  readonly systemPrompt: () => Redacted<string>;
  /**
   * Compresses the conversation now, whatever its policy says. A stream like that of `run`, without an answer; what became of it stands
   * in `rotated`, in a `notice`, or in the error of `turn_finished`. It takes the place of a turn: nothing runs beside it.
   */
  compress(options: { readonly focus?: string | undefined; readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Changes the model for the next turn. */
  useModel(model: ModelClient): void;
  readonly preface: () => Preface;
  /** Changes what is sent besides what is stored, from the next turn on: its requests no longer begin with those before. */
  usePreface(preface: Preface): void;
  /** Changes how hard the model thinks, from the next call on. */
  useReasoningEffort(effort: ReasoningEffort | undefined): void;
}
