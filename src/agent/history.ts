import {
  toolCallsOf,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolMessage,
  type ToolOutcome,
} from "../llm/message.ts";

/** The result message of a call. */
export const toolMessage = (call: ToolCallPart, outcome: ToolOutcome, text: string): ToolMessage => ({
  role: "tool",
  parts: [{ type: "tool_result", callId: call.id, name: call.name, outcome, content: [{ type: "text", text }] }],
});

/** Stands where a turn was cut before the model had answered, so that roles keep alternating. */
export const interruptedAnswer = (model: { readonly provider: string; readonly model: string }): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text: "[interrupted]" }],
  provider: model.provider,
  model: model.model,
  finish: "interrupted",
});

/**
 * What a transcript lacks to be sent: results for calls that were never answered, and an answer to a user message that got none.
 * Pure; the caller appends these before the next user message (decision 8).
 */
export const missingMessages = (
  messages: readonly Message[],
  model: { readonly provider: string; readonly model: string },
): readonly Message[] => {
  const last = messages.at(-1);
  if (last === undefined) return [];
  if (last.role === "user") return [interruptedAnswer(model)];
  const askedAt = messages.findLastIndex((message) => message.role === "assistant");
  const asked = messages[askedAt];
  if (asked?.role !== "assistant") return [];
  const answered = new Set(
    messages.slice(askedAt + 1).flatMap((message) => (message.role === "tool" ? [message.parts[0].callId] : [])),
  );
  return toolCallsOf(asked)
    .filter((call) => !answered.has(call.id))
    .map((call) =>
      toolMessage(
        call,
        "interrupted",
        "Interrupted: the program ended before this call had a result. It may or may not have taken effect.",
      ),
    );
};
