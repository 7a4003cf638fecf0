import { createAssembler } from "../llm/assemble.ts";
import type { CallEvent, WireEvent } from "../llm/event.ts";
import type { FinishReason, Usage } from "../llm/message.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { ModelInfo } from "../llm/model-info.ts";
import type { ProviderError } from "../llm/provider-error.ts";
import type { LlmRequest } from "../llm/request.ts";

/** One answer of a scripted model. All members are optional: `{}` answers nothing and stops. */
export interface ModelScript {
  /** Streamed before the text, as one piece. */
  readonly reasoning?: string;
  /** One piece, or several. */
  readonly text?: string | readonly string[];
  /** An object is sent as its JSON; a text as it is, also where it is no JSON. */
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments?: string | Readonly<Record<string, unknown>>;
  }[];
  /** Absent = `tool_calls` where there are calls, else `stop`. */
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  /** The call fails with this after everything above has been streamed. */
  readonly failure?: ProviderError;
  /** Waited for after everything above has been streamed; an abort meanwhile ends the call as `aborted`. */
  readonly gate?: Promise<void>;
}

/** A text alone is an answer of that text. */
export type ModelAnswerScript = string | ModelScript | ((request: LlmRequest) => string | ModelScript);

/** A model that answers from a queue and keeps what it was asked. */
export interface ScriptedModel extends ModelClient {
  /** Every request so far, in order. */
  readonly requests: readonly LlmRequest[];
  /** Adds answers behind those that wait. */
  enqueue(...answers: readonly ModelAnswerScript[]): void;
  /** Resolves when the model has been asked this often in all. */
  called(times: number): Promise<void>;
}

const INFO: ModelInfo = {
  provider: "scripted",
  model: "scripted-model",
  wire: "chat_completions",
  contextWindow: 128_000,
  contextWindowFrom: "config",
};

/** Makes a model that gives these answers, one a call; a call without an answer left fails as `protocol`, saying so. */
export const createScriptedModel = (
  answers: readonly ModelAnswerScript[] = [],
  info: Partial<ModelInfo> = {},
): ScriptedModel => {
  const waiting = [...answers];
  const requests: LlmRequest[] = [];
  const watchers: { readonly times: number; readonly reached: () => void }[] = [];
  const modelInfo = { ...INFO, ...info };

  const record = (request: LlmRequest): void => {
    // A copy, as a wire's bytes would be: what happens to the transcript later must not show here.
    requests.push(structuredClone(request));
    for (const watcher of watchers) if (requests.length >= watcher.times) watcher.reached();
  };

  return {
    info: modelInfo,
    requests,
    enqueue: (...more) => void waiting.push(...more),
    called: (times) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.push({ times, reached: resolve });
      if (requests.length >= times) resolve();
      return promise;
    },
    call: async function* (request, { signal }) {
      record(request);
      const next = waiting.shift();
      if (next === undefined) {
        yield { type: "failed", error: { kind: "protocol", message: "The scripted model has no answer left." } };
        return;
      }
      yield { type: "reached" };
      const given = typeof next === "function" ? next(request) : next;
      const script = typeof given === "string" ? { text: given } : given;
      yield* play({ script, info: modelInfo, call: requests.length, signal });
    },
  };
};

interface Playing {
  readonly script: ModelScript;
  readonly info: ModelInfo;
  /** Counts from 1; makes the ids of calls unique. */
  readonly call: number;
  readonly signal: AbortSignal;
}

async function* play({ script, info, call, signal }: Playing): AsyncGenerator<CallEvent, void, undefined> {
  const assembler = createAssembler(info);
  const aborted = (): CallEvent => {
    const { message, hasContent } = assembler.read();
    return hasContent ? { type: "aborted", partial: message } : { type: "aborted" };
  };
  for (const event of piecesOf(script, call)) {
    await Promise.resolve();
    if (signal.aborted) return yield aborted();
    assembler.add(event);
    if (isShown(event)) yield event;
  }
  if (script.gate !== undefined) await opened(script.gate, signal);
  if (signal.aborted) return yield aborted();
  const { message, hasContent } = assembler.read();
  if (script.failure !== undefined) {
    yield { type: "failed", error: script.failure, ...(hasContent ? { partial: message } : {}) };
    return;
  }
  const finish = script.finish ?? ((script.toolCalls ?? []).length > 0 ? "tool_calls" : "stop");
  yield { type: "done", message: { ...message, finish }, by: info };
}

type Shown = Extract<WireEvent, { type: "text" | "reasoning" | "tool_call" | "tool_arguments" }>;

const isShown = (event: WireEvent): event is Shown =>
  event.type === "text" || event.type === "reasoning" || event.type === "tool_call" || event.type === "tool_arguments";

const piecesOf = (script: ModelScript, call: number): readonly WireEvent[] => {
  const texts = typeof script.text === "string" ? [script.text] : (script.text ?? []);
  const calls = (script.toolCalls ?? []).flatMap(({ id, name, arguments: given = {} }, index): WireEvent[] => [
    { type: "tool_call", index, id: id ?? `call_${call}_${index}`, name },
    { type: "tool_arguments", index, delta: typeof given === "string" ? given : JSON.stringify(given) },
  ]);
  return [
    ...(script.reasoning === undefined ? [] : [{ type: "reasoning" as const, text: script.reasoning }]),
    ...texts.map((text) => ({ type: "text" as const, text })),
    ...calls,
    ...(script.usage === undefined ? [] : [{ type: "usage" as const, usage: script.usage }]),
  ];
};

/** Resolves when the gate opens or the signal aborts, whichever comes first. */
const opened = async (gate: Promise<void>, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([gate, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};
