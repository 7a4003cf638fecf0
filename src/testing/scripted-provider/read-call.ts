import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { callModel, type CallDeps } from "../../llm/call.ts";
import { createTokenEstimator } from "../../llm/estimate.ts";
import type { CallEvent } from "../../llm/event.ts";
import type { HttpClient } from "../../llm/http.ts";
import type { AssistantMessage } from "../../llm/message.ts";
import type { ModelTarget } from "../../llm/model-target.ts";
import type { LlmRequest } from "../../llm/request.ts";
import { createChatCompletionsWire } from "../../llm/wires/chat-completions/chat-completions.ts";
import { keyCredential } from "../../llm/credential.ts";

/** The key that every call of these tests carries. */
export const TEST_KEY = "sk-test-0123456789abcdef";

/** A target that calls `baseUrl`; `changes` override its settings. */
export const targetOf = (baseUrl: string, changes: Partial<ModelTarget> = {}): ModelTarget => ({
  provider: "scripted",
  model: "m-1",
  baseUrl,
  credential: keyCredential(TEST_KEY),
  quirks: {},
  stream: true,
  wire: "chat_completions",
  info: {
    provider: "scripted",
    model: "m-1",
    wire: "chat_completions",
    contextWindow: 8_000,
    contextWindowFrom: "assumed",
  },
  local: false,
  requestTimeoutMs: 1_800_000,
  maxAttempts: 3,
  ...changes,
});

/** A request that asks one thing. */
export const ask = (text: string): LlmRequest => ({
  system: "s",
  messages: [{ role: "user", parts: [{ type: "text", text }], origin: { surface: "cli" } }],
  tools: [],
});

/** What one test's calls run on. `warnings` holds the log. */
export interface CallSetup {
  readonly clock: FakeClock;
  readonly deps: CallDeps;
  readonly warnings: string[];
}

/** A fake clock, a log that is kept, no chance in the waits; the client is the test file's. */
export const setUpCalls = (http: HttpClient): CallSetup => {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const deps: CallDeps = {
    clock,
    http,
    wire: createChatCompletionsWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") }),
    estimator: createTokenEstimator(),
    loadImage: () => Promise.resolve(undefined),
    log: { warn: (message) => void warnings.push(message) },
    repairs: new Map(),
    random: () => 0,
  };
  return { clock, deps, warnings };
};

/** A call being read: the events so far but for `reached`, how often that came, and the last one. */
export interface Reading {
  readonly events: CallEvent[];
  readonly reached: () => number;
  readonly ended: Promise<CallEvent>;
}

/** Reads a call; waits between attempts are sat through at once by moving the clock. */
export const readCall = (
  setup: CallSetup,
  target: ModelTarget,
  options: { request?: LlmRequest; signal?: AbortSignal; stay?: boolean } = {},
): Reading => {
  const events: CallEvent[] = [];
  let reached = 0;
  const signal = options.signal ?? new AbortController().signal;
  const run = async (): Promise<CallEvent> => {
    for await (const event of callModel(setup.deps, target, { request: options.request ?? ask("hello"), signal })) {
      if (event.type === "reached") reached += 1;
      else events.push(event);
      if (event.type === "retrying" && options.stay !== true) void setup.clock.advance(event.delayMs);
    }
    return events.at(-1) ?? { type: "aborted" };
  };
  return { events, reached: () => reached, ended: run() };
};

/** The message of a call that is done; anything else fails the test with its text. */
export const messageIn = (event: CallEvent): AssistantMessage => {
  if (event.type !== "done") throw new Error(`the call ended with ${JSON.stringify(event)}`);
  return event.message;
};
