import { afterAll, describe, expect, test } from "vitest";
import { createFakeClock } from "../../../testing/fake-clock.ts";
import {
  added,
  call,
  completed,
  created,
  done,
  message,
  piece,
  reasoning,
  sse,
} from "../../../testing/responses-events.ts";
import { ask, messageIn, targetOf, TEST_KEY } from "../../../testing/scripted-provider/read-call.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../../../testing/scripted-provider/scripted-provider.ts";
import { clientOf } from "../../../testing/client-rig.ts";
import type { CallEvent } from "../../event.ts";
import { createHttpClient } from "../../http.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import type { ModelTarget } from "../../model-target.ts";
import type { LlmRequest } from "../../request.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const streamOf = (...events: readonly unknown[]): ScriptedAnswer => ({
  misbehave: { kind: "raw", body: sse(created, ...events) },
});
const saying = (text: string): ScriptedAnswer =>
  streamOf(
    added(0, message("")),
    piece("output_text", 0, text),
    completed({ output: [message(text)], usage: { input_tokens: 7, output_tokens: 1 } }),
  );

const quirks = { reasoningField: "reasoning_effort", reasoningSummary: true, encryptedReasoning: true } as const;

interface Reading {
  readonly events: readonly CallEvent[];
  readonly end: CallEvent;
}

/** Calls as the program does: the client loads the wire that the target names. */
const callModel = async (
  provider: ScriptedProvider,
  request: LlmRequest,
  changes: Partial<ModelTarget> = {},
): Promise<Reading> => {
  const clock = createFakeClock();
  const client = clientOf(targetOf(provider.baseUrl, { wire: "codex_responses", quirks, ...changes }), { clock, http });
  const events: CallEvent[] = [];
  for await (const event of client.call(request, { signal: new AbortController().signal })) {
    if (event.type !== "reached") events.push(event);
    if (event.type === "retrying") void clock.advance(event.delayMs);
  }
  return { events, end: events.at(-1) ?? { type: "aborted" } };
};

const tools = [{ name: "save", description: "Saves.", parameters: { type: "object" } }];

describe("a turn with a tool", () => {
  const first = streamOf(
    added(0, reasoning()),
    { ...piece("reasoning_summary_text", 0, "I save it."), summary_index: 0 },
    done(0, reasoning({ summary: [{ type: "summary_text", text: "I save it." }], encrypted_content: "gAAAsecret" })),
    added(1, call("call_1", "")),
    piece("function_call_arguments", 1, '{"p":'),
    piece("function_call_arguments", 1, '"日🦜"}'),
    done(1, call("call_1", '{"p":"日🦜"}')),
    completed({
      output: null,
      usage: { input_tokens: 120, output_tokens: 9, input_tokens_details: { cached_tokens: 100 } },
    }),
  );

  test.each([{}, { bytesPerWrite: 1 }] as const)(
    "B08 B09 streamed (%j), answered, and sent back in its place",
    async (how) => {
      await using provider = await startScriptedProvider({ ...first, ...how }, saying("saved"));
      const request: LlmRequest = { ...ask("save it"), tools, reasoningEffort: "low" };
      const { events, end } = await callModel(provider, request);
      const answered = messageIn(end);
      expect(answered).toMatchObject({
        finish: "tool_calls",
        usage: { inputTokens: 120, outputTokens: 9, cacheReadTokens: 100 },
      });
      expect(toolCallsOf(answered).map((one) => [one.id, one.name, one.arguments])).toEqual([
        ["call_1", "save", '{"p":"日🦜"}'],
      ]);
      expect(events.map((event) => event.type)).toEqual([
        "reasoning",
        "tool_call",
        "tool_arguments",
        "tool_arguments",
        "done",
      ]);
      const result = {
        role: "tool",
        parts: [
          {
            type: "tool_result",
            callId: "call_1",
            name: "save",
            outcome: "ok",
            content: [{ type: "text", text: "ok" }],
          },
        ],
      } as const;
      const second = await callModel(provider, { ...request, messages: [...request.messages, answered, result] });
      expect(textOf(messageIn(second.end))).toBe("saved");
      const [asked, again] = provider.requests.map(({ body }) => body);
      expect(asked).toEqual({
        model: "m-1",
        stream: true,
        store: false,
        reasoning: { effort: "low", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        instructions: "s",
        parallel_tool_calls: true,
        tools: [{ type: "function", ...tools[0], strict: false }],
        input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "save it" }] }],
      });
      expect(again).toEqual({
        ...asked,
        input: [
          ...((asked?.input ?? []) as unknown[]),
          { type: "reasoning", summary: [], encrypted_content: "gAAAsecret" },
          { type: "function_call", call_id: "call_1", name: "save", arguments: '{"p":"日🦜"}' },
          { type: "function_call_output", call_id: "call_1", output: "ok" },
        ],
      });
    },
  );

  test("the key travels in one header and nowhere else", async () => {
    await using provider = await startScriptedProvider(saying("x"));
    await callModel(provider, ask("hello"));
    const [request] = provider.requests;
    expect(request?.path).toBe("/v1/responses");
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TEST_KEY}`,
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
    });
    const others = Object.entries(request?.headers ?? {}).filter(([name]) => name !== "authorization");
    expect(JSON.stringify(others) + String(request?.rawBody)).not.toContain(TEST_KEY);
  });

  test("an answer that came at once gives the same message", async () => {
    const body = JSON.stringify({
      status: "completed",
      output: [message("hi")],
      usage: { input_tokens: 7, output_tokens: 1 },
    });
    await using provider = await startScriptedProvider(
      { misbehave: { kind: "raw", body, contentType: "application/json" } },
      saying("hi"),
    );
    const whole = await callModel(provider, ask("hello"), { stream: false });
    const streamed = await callModel(provider, ask("hello"));
    expect(messageIn(whole.end)).toEqual(messageIn(streamed.end));
    expect(provider.requests.map(({ body: sent }) => sent.stream)).toEqual([false, true]);
  });
});

describe("answers that are none", () => {
  const refusing = (status: number, headers: Record<string, string> = {}): ScriptedAnswer => ({
    status,
    headers,
    body: JSON.stringify({ error: { message: `no ${status}`, type: "x", code: null } }),
  });

  test.each([
    [401, "auth"],
    [400, "invalid_request"],
  ])("%i fails at once as %s", async (status, kind) => {
    await using provider = await startScriptedProvider(refusing(status));
    const { end } = await callModel(provider, ask("x"));
    expect(end).toMatchObject({ type: "failed", error: { kind, status, message: `no ${status}` } });
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    [429, "rate_limit"],
    [529, "overloaded"],
  ])("B12 %i is tried again as %s after the stated wait", async (status, kind) => {
    await using provider = await startScriptedProvider(refusing(status, { "retry-after": "45" }), saying("now"));
    const { events, end } = await callModel(provider, ask("x"));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({
      delayMs: 45_000,
      error: { kind, status },
    });
    expect(textOf(messageIn(end))).toBe("now");
  });

  test("B02 an error in the stream is the same error, and an overflow is not repeated", async () => {
    const error = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." };
    await using provider = await startScriptedProvider(
      streamOf({ type: "response.failed", response: { status: "failed", error } }),
    );
    const { end } = await callModel(provider, ask("x"));
    expect(end).toMatchObject({ type: "failed", error: { kind: "overflow", message: error.message } });
    expect(provider.requests).toHaveLength(1);
  });

  test("B11 a refusal is an answer: one request only", async () => {
    await using provider = await startScriptedProvider(
      streamOf(added(0, message("", { content: [] })), piece("refusal", 0, "cannot help"), completed()),
    );
    const { end } = await callModel(provider, ask("x"));
    expect(messageIn(end)).toMatchObject({ finish: "refusal", refusal: "cannot help", parts: [] });
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    ["B03 an end with nothing before it", streamOf(completed()), "empty_stream"],
    ["B03 only the beginning", streamOf(), "empty_stream"],
    ["a stream that breaks off", streamOf(added(0, message("")), piece("output_text", 0, "half")), "network"],
  ])("%s is tried again, and what had streamed is void", async (_name, bad, kind) => {
    await using provider = await startScriptedProvider(bad, saying("whole"));
    const { events, end } = await callModel(provider, ask("x"));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind } });
    expect(textOf(messageIn(end))).toBe("whole");
  });
});
