import type { CallEvent } from "../../llm/event.ts";
import type { AssistantMessage } from "../../llm/message.ts";
import type { ProviderError } from "../../llm/provider-error.ts";
import type { AgentEventBody } from "../event.ts";
import type { TurnState } from "./turn-state.ts";

/** How one model call ended. */
export type ModelAnswer =
  | { readonly kind: "answered"; readonly message: AssistantMessage }
  | { readonly kind: "failed"; readonly error: ProviderError; readonly partial: AssistantMessage | undefined }
  | { readonly kind: "aborted"; readonly partial: AssistantMessage | undefined };

/** Sends the transcript and shows what comes back as it comes. */
export const askModel = async (state: TurnState): Promise<ModelAnswer> => {
  const effort = state.reasoningEffort();
  const request = {
    system: state.spec.systemPrompt,
    // A copy: the transcript grows while a wire may still read the request.
    messages: [...state.transcript.messages()],
    tools: state.schemas,
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
  };
  for await (const event of state.model.call(request, { signal: state.signal })) {
    if (event.type === "done") return { kind: "answered", message: event.message };
    if (event.type === "failed") return { kind: "failed", error: event.error, partial: event.partial };
    if (event.type === "aborted") return { kind: "aborted", partial: event.partial };
    const shown = toAgentEvent(event);
    if (shown !== undefined) await state.emit(shown);
  }
  return {
    kind: "failed",
    error: { kind: "protocol", message: "The call ended without an answer." },
    partial: undefined,
  };
};

type Passing = Exclude<CallEvent, { type: "done" | "failed" | "aborted" }>;

const toAgentEvent = (event: Passing): AgentEventBody | undefined => {
  switch (event.type) {
    case "text":
      return { type: "text", delta: event.text };
    case "reasoning":
      return { type: "reasoning", delta: event.text };
    case "tool_call":
      return { type: "tool_preparing", callId: event.id, tool: event.name };
    case "tool_arguments":
      return undefined;
    case "waiting":
      return { type: "waiting", phase: event.phase, waitedMs: event.waitedMs, limitMs: event.limitMs };
    case "retrying":
      return {
        type: "retrying",
        attempt: event.attempt,
        delayMs: event.delayMs,
        kind: event.error.kind,
        message: event.error.message,
      };
  }
};
