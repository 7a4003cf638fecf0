import type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutcome,
  UserMessage,
  UserPart,
} from "../llm/message.ts";

/** Short ways to write a conversation down in a test. */

/** A text part. */
export const text = (value: string): TextPart => ({ type: "text", text: value });

/** A reasoning part. */
export const reasoning = (value: string): ReasoningPart => ({ type: "reasoning", text: value });

/** A call of the tool `t`, or of another. */
export const call = (id: string, args = "{}", name = "t"): ToolCallPart => ({
  type: "tool_call",
  id,
  name,
  arguments: args,
});

/** A PNG of three bytes under the hash `h1`. */
export const image: ImagePart = { type: "image", hash: "h1", mediaType: "image/png", byteLength: 3 };

/** What a person wrote on the command line. */
export const user = (...parts: readonly (string | UserPart)[]): UserMessage => ({
  role: "user",
  parts: parts.map((part) => (typeof part === "string" ? text(part) : part)),
  origin: { surface: "cli" },
});

/** An answer of provider `p`, model `m`. */
export const assistant = (
  parts: readonly AssistantPart[],
  changes: Partial<AssistantMessage> = {},
): AssistantMessage => ({ role: "assistant", parts, provider: "p", model: "m", finish: "tool_calls", ...changes });

/** The result of a call of `t`. */
export const result = (
  callId: string,
  content: ToolMessage["parts"][0]["content"],
  outcome: ToolOutcome = "ok",
): ToolMessage => ({ role: "tool", parts: [{ type: "tool_result", callId, name: "t", outcome, content }] });
