import type { WIRE_IDS } from "../config/wire-ids.ts";

/**
 * The conversation as this program keeps it: provider-neutral, ordered, lossless.
 * A wire encodes it for one HTTP format and decodes answers back into it.
 */

/** One HTTP format; the config value of `model.api_mode`. */
export type WireId = (typeof WIRE_IDS)[number];

/** Text that a person or the model wrote. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** An image by reference: its bytes live in the blob store under their SHA-256. */
export interface ImagePart {
  readonly type: "image";
  readonly hash: string;
  readonly mediaType: string;
  readonly byteLength: number;
}

/** Readable reasoning. Whether it is shown is the surface's matter. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
}

/** The model asks for a tool. `arguments` is the model's own string, never re-serialised; it may be invalid JSON. */
export interface ToolCallPart {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Why a tool result says what it says. `interrupted` = the process or the person ended the call. */
export type ToolOutcome = "ok" | "error" | "denied" | "interrupted";

/** What a tool answered to the call `callId`. */
export interface ToolResultPart {
  readonly type: "tool_result";
  readonly callId: string;
  readonly name: string;
  readonly outcome: ToolOutcome;
  readonly content: readonly (TextPart | ImagePart)[];
}

/** What only one provider can read: signatures, encrypted reasoning. Sent back to that provider only, never masked. */
export interface OpaquePart {
  readonly type: "opaque";
  readonly wire: WireId;
  readonly provider: string;
  readonly model: string;
  readonly data: unknown;
}

export type UserPart = TextPart | ImagePart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | OpaquePart;
export type Part = UserPart | AssistantPart | ToolResultPart;

/** Where a message came in. `surface` is `cli`, `tui`, `acp`, `cron`, or a platform's id. */
export interface Origin {
  readonly surface: string;
  readonly sender?: string;
  readonly platformMessageId?: string;
}

/** Tokens of one call as the provider counted them; a field that it did not name is absent, never 0. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why the model stopped. `length` = the output limit cut it; `refusal` = the provider or model declined. */
export type FinishReason = "stop" | "tool_calls" | "length" | "refusal";

/** `contextLine` (decision 16) is written once and sent after the parts as the last text of the message. */
export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly UserPart[];
  readonly origin: Origin;
  readonly contextLine?: string;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly AssistantPart[];
  readonly provider: string;
  readonly model: string;
  /** `interrupted` = the person stopped it; what had arrived is kept. */
  readonly finish: FinishReason | "interrupted";
  readonly usage?: Usage;
  /** Set where the provider named a fault of its own inside a successful answer, e.g. a refusal's text. */
  readonly refusal?: string;
}

/** Exactly one result per message: each commits on its own. */
export interface ToolMessage {
  readonly role: "tool";
  readonly parts: readonly [ToolResultPart];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** The text of a message's text parts, joined without separators. */
export const textOf = (message: Message): string =>
  message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** The tool calls of an assistant message, in the model's order. */
export const toolCallsOf = (message: AssistantMessage): readonly ToolCallPart[] =>
  message.parts.filter((part) => part.type === "tool_call");
