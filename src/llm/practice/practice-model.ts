import { createAssembler } from "../assemble.ts";
import type { CallEvent, WireEvent } from "../event.ts";
import { textOf, toolCallsOf, type Message } from "../message.ts";
import type { ModelClient } from "../model-client.ts";
import type { ModelInfo } from "../model-info.ts";
import type { LlmRequest } from "../request.ts";
import { closingText } from "./closing-text.ts";
import { PRACTICE } from "./practice-id.ts";
import { readStep, type StepContext } from "./read-step.ts";
import { splitSteps } from "./split-steps.ts";
import type { CallStep, Turn } from "./step.ts";

/** What the practice model is called everywhere. */
const PRACTICE_INFO: ModelInfo = {
  provider: PRACTICE,
  model: "practice model",
  wire: "practice",
  contextWindow: 64_000,
  contextWindowFrom: "catalogue",
};

/**
 * The embedded practice model: rules, no intelligence, no network. It follows a dozen plain requests with real calls of the
 * tools that the request carries, one a call, reads their results and says what they say. Deterministic: the same
 * conversation gives the same answer. Everything it says at the end of a turn names it as what it is.
 */
export const createPracticeModel = (): ModelClient => ({
  info: PRACTICE_INFO,
  call: (request, { signal }) => answer(request, signal),
});

async function* answer(request: LlmRequest, signal: AbortSignal): AsyncGenerator<CallEvent, void, undefined> {
  yield { type: "reached" };
  const assembler = createAssembler(PRACTICE_INFO);
  for (const event of eventsFor(request)) {
    // Lets whoever aborts come in between the pieces, as they do between the pieces of a network's answer.
    await Promise.resolve();
    if (signal.aborted) {
      const { message, hasContent } = assembler.read();
      yield hasContent ? { type: "aborted", partial: message } : { type: "aborted" };
      return;
    }
    assembler.add(event);
    if (event.type === "text" || event.type === "tool_call" || event.type === "tool_arguments") yield event;
  }
  yield { type: "done", message: assembler.read().message, by: PRACTICE_INFO };
}

/** The answer as the events of a wire. */
const eventsFor = (request: LlmRequest): readonly WireEvent[] => {
  const turn = readTurn(request.messages);
  const next = nextCall(turn, request);
  if (next === undefined) return [...streamed(closingText(turn, request)), { type: "finish", reason: "stop" }];
  const id = `practice_${callsIn(request.messages) + 1}`;
  const text = JSON.stringify(next.arguments);
  const half = Math.ceil(text.length / 2);
  return [
    ...streamed(next.doing),
    { type: "tool_call", index: 0, id, name: next.tool },
    { type: "tool_arguments", index: 0, delta: text.slice(0, half) },
    { type: "tool_arguments", index: 0, delta: text.slice(half) },
    { type: "finish", reason: "tool_calls" },
  ];
};

/** Words with the blanks before them, one piece each. */
const streamed = (text: string): readonly WireEvent[] =>
  (text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []).map((piece) => ({ type: "text", text: piece }));

const readTurn = (messages: readonly Message[]): Turn => {
  const start = messages.findLastIndex((message) => message.role === "user");
  const asked = messages[start];
  const request = asked === undefined ? "" : textOf(asked);
  const context: StepContext = { lastPath: undefined };
  const steps = splitSteps(request).map((words) => readStep(words, context));
  const since = messages.slice(start + 1);
  const results = new Map(
    since.flatMap((message) => (message.role === "tool" ? [[message.parts[0].callId, message.parts[0]] as const] : [])),
  );
  const calls = since.flatMap((message) => (message.role === "assistant" ? toolCallsOf(message) : []));
  return { request, steps, results: calls.map((call) => results.get(call.id)) };
};

const callsIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + (message.role === "assistant" ? toolCallsOf(message).length : 0), 0);

/** The next call; none when all are made, one went wrong, or its tool is not there. */
const nextCall = ({ steps, results }: Turn, { tools }: LlmRequest): CallStep | undefined => {
  if (results.some((result) => result?.outcome !== "ok")) return undefined;
  const calls = steps.filter((step) => step.kind === "call");
  const next = calls[results.length];
  return next !== undefined && tools.some((tool) => tool.name === next.tool) ? next : undefined;
};
