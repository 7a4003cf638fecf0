import type { CallEvent } from "../../llm/event.ts";
import type { AssistantMessage } from "../../llm/message.ts";
import type { ProviderError } from "../../llm/provider-error.ts";
import type { ModelInfo } from "../../llm/model-info.ts";
import { describeCapNear, describeUnpriced } from "../../llm/spend/describe-cap.ts";
import type { AgentEventBody, AgentEventOf } from "../event.ts";
import { withPreface } from "../prompt/preface.ts";
import type { TurnState } from "./turn-state.ts";

/** How one model call ended. */
export type ModelAnswer =
  /** `by` is the model that answered, which may be a fallback. */
  | { readonly kind: "answered"; readonly message: AssistantMessage; readonly by: ModelInfo }
  | { readonly kind: "failed"; readonly error: ProviderError; readonly partial: AssistantMessage | undefined }
  | { readonly kind: "aborted"; readonly partial: AssistantMessage | undefined };

/** Sends the transcript and shows what comes back as it comes. */
export const askModel = async (state: TurnState): Promise<ModelAnswer> => {
  const effort = state.reasoningEffort();
  const { record, systemPrompt, transcript } = state.whereabouts.now();
  const stored = {
    system: systemPrompt,
    // A copy: the transcript grows while a wire may still read the request.
    messages: [...transcript.messages()],
    tools: state.schemas,
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
  };
  const request = withPreface(stored, state.preface);
  const { id: session, source } = record;
  const charge = { purpose: "turn", source, session } as const;
  for await (const event of state.model.call(request, { signal: state.signal, turn: state.turn, charge })) {
    if (event.type === "done") return { kind: "answered", message: event.message, by: event.by };
    if (event.type === "failed") return { kind: "failed", error: event.error, partial: event.partial };
    if (event.type === "aborted") return { kind: "aborted", partial: event.partial };
    if (event.type === "reached") state.totals.addModelCall();
    const shown = toAgentEvent(event);
    if (shown !== undefined) await state.emit(shown);
  }
  return {
    kind: "failed",
    error: { kind: "protocol", message: "The call ended without an answer." },
    partial: undefined,
  };
};

const movedEvent = (
  error: ProviderError | undefined,
  moved: NonNullable<AgentEventOf<"retrying">["moved"]>,
): AgentEventBody => ({
  type: "retrying",
  attempt: 1,
  delayMs: 0,
  kind: error?.kind ?? "refusal",
  message: error?.message ?? "the model refused",
  moved,
});

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
    case "reached":
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
        ...(event.leftOut === undefined ? {} : { moved: { to: "less", without: event.leftOut } }),
      };
    case "rotated":
      return movedEvent(event.error, { to: "credential", provider: event.provider, label: event.to });
    case "fell_back":
      return movedEvent(event.error, { to: "model", ...event.to, from: event.from });
    case "unpriced":
      return { type: "notice", code: "spend.unknown_price", message: describeUnpriced(event) };
    case "cap_near":
      return { type: "notice", code: "spend.cap_near", message: describeCapNear(event.cap, event.percent) };
  }
};
