import { afterAll, describe, expect, test } from "vitest";
import { assistant, call, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { collect } from "../../../testing/scripted-provider/body-cuts.ts";
import { target } from "../../../testing/resolve-rig.ts";
import { messageIn, readCall, setUpCalls, targetOf, TEST_KEY } from "../../../testing/scripted-provider/read-call.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../../../testing/scripted-provider/scripted-provider.ts";
import type { CallEvent } from "../../event.ts";
import { clientOf } from "../../../testing/client-rig.ts";
import { createHttpClient } from "../../http.ts";
import type { ModelTarget } from "../../model-target.ts";
import type { LlmRequest } from "../../request.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf } from "./opaque.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const wire = createAnthropicMessagesWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });

const ask = (provider: ScriptedProvider, changes: Partial<ModelTarget> = {}, request?: LlmRequest) => {
  const { deps, ...setup } = setUpCalls(http);
  const asked = targetOf(provider.baseUrl, { wire: "anthropic_messages", ...changes });
  return readCall({ ...setup, deps: { ...deps, wire } }, asked, request === undefined ? {} : { request });
};

const callOnce = async (
  ...answers: readonly ScriptedAnswer[]
): Promise<{ end: CallEvent; events: CallEvent[]; requests: number }> => {
  await using provider = await startScriptedProvider(...answers);
  const reading = ask(provider);
  const end = await reading.ended;
  return { end, events: reading.events, requests: provider.requests.length };
};

const sse = (...events: readonly { readonly type: string }[]): ScriptedAnswer => ({
  misbehave: {
    kind: "raw",
    contentType: "text/event-stream; charset=utf-8",
    body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  },
});
const begin = { type: "message_start", message: { role: "assistant", usage: { input_tokens: 12, output_tokens: 1 } } };
const over = { type: "message_stop" };
const end = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } });
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const said = (index: number, words: string) =>
  block(index, { type: "text", text: "" }, { type: "text_delta", text: words });
const failure = (type: string, message: string) => ({ type: "error", error: { type, message } });

describe("a turn over a real connection", () => {
  test("a streamed answer with a call, its result, and the next answer, which begins with the same bytes", async () => {
    await using provider = await startScriptedProvider(
      sse(
        begin,
        ...block(
          0,
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: "look " },
          { type: "thinking_delta", thinking: "first" },
          { type: "signature_delta", signature: "S1==" },
        ),
        { type: "ping" },
        ...said(1, "Reading 日🦜."),
        ...block(
          2,
          { type: "tool_use", id: "toolu_1", name: "read_file", input: {} },
          { type: "input_json_delta", partial_json: '{"path":' },
          { type: "input_json_delta", partial_json: '"a.txt"}' },
        ),
        end("tool_use"),
        over,
      ),
      sse(begin, ...said(0, "It says hello."), end("end_turn"), over),
    );
    const tools = [{ name: "read_file", description: "Reads.", parameters: { type: "object" } }];
    const first: LlmRequest = { system: "Be brief.", messages: [user("what is in a.txt?")], tools };
    const quirks = { promptCache: "automatic" } as const;
    const reading = ask(provider, { quirks }, first);
    const answered = messageIn(await reading.ended);
    const data = { block: "thinking", signature: "S1==", textSha256: digestOf("look first") };
    const from = { wire: "anthropic_messages", provider: "scripted", model: "m-1" };
    expect(answered).toEqual({
      role: "assistant",
      provider: "scripted",
      model: "m-1",
      finish: "tool_calls",
      usage: { inputTokens: 12, outputTokens: 5 },
      parts: [
        reasoning("look first"),
        { type: "opaque", ...from, data },
        text("Reading 日🦜."),
        call("toolu_1", '{"path":"a.txt"}', "read_file"),
      ],
    });
    expect(reading.events.map(({ type }) => type)).toEqual([
      "reasoning",
      "reasoning",
      "text",
      "tool_call",
      "tool_arguments",
      "tool_arguments",
      "done",
    ]);

    const second = { ...first, messages: [...first.messages, answered, result("toolu_1", [text("hello")])] };
    expect(messageIn(await ask(provider, { quirks }, second).ended).parts).toEqual([text("It says hello.")]);

    const [one, two] = provider.requests;
    expect(two?.body.messages).toEqual([
      { role: "user", content: [text("what is in a.txt?")] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "look first", signature: "S1==" },
          text("Reading 日🦜."),
          { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.txt" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "hello" }] },
    ]);
    // R-PROMPT-3: only the list of messages grows.
    const common = one?.rawBody.slice(0, -2) ?? "?";
    expect(two?.rawBody.startsWith(common)).toBe(true);
  });

  test("the exact headers; the key is in one of them and nowhere else", async () => {
    await using provider = await startScriptedProvider(sse(begin, ...said(0, "x"), end("end_turn"), over));
    await ask(provider).ended;
    const [request] = provider.requests;
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "anthropic-version": "2023-06-01",
      "x-api-key": TEST_KEY,
      "user-agent": "hermes-agent",
    });
    expect(request?.path).toBe("/v1/messages");
    expect(request?.rawBody).not.toContain(TEST_KEY);
    expect(request?.body).toMatchObject({ model: "m-1", max_tokens: 8_192, stream: true });
  });
});

describe("an answer that is none", () => {
  test.each([
    [401, "authentication_error", "invalid x-api-key", "auth", 1],
    [400, "invalid_request_error", "messages: at least one message is required", "invalid_request", 1],
    [404, "not_found_error", "model: claude-x", "model_not_found", 1],
    [413, "request_too_large", "too large", "payload_too_large", 1],
    [429, "rate_limit_error", "slow down", "rate_limit", 3],
    [500, "api_error", "Internal server error", "server", 3],
    [529, "overloaded_error", "Overloaded", "overloaded", 3],
  ])("%i %s is %s: %s, attempted %i times", async (...[status, type, message, kind, attempts]) => {
    const bad = { status, body: JSON.stringify(failure(type, message)) };
    const { end, requests } = await callOnce(bad, bad, bad, bad);
    expect(end).toMatchObject({ type: "failed", error: { kind, status, message } });
    expect(requests).toBe(attempts);
  });

  test("B12 the stated wait is waited", async () => {
    const limited = {
      status: 429,
      headers: { "retry-after": "45" },
      body: JSON.stringify(failure("rate_limit_error", "slow")),
    };
    const { events, end: last } = await callOnce(limited, sse(begin, ...said(0, "now"), end("end_turn"), over));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ delayMs: 45_000 });
    expect(messageIn(last).parts).toEqual([text("now")]);
  });

  test("B02 an error in a 200 stream is classified like its status: what may pass is tried again", async () => {
    const broken = sse(begin, ...said(0, "half"), failure("overloaded_error", "Overloaded"));
    const { events, end: last } = await callOnce(broken, sse(begin, ...said(0, "whole"), end("end_turn"), over));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "overloaded" } });
    expect(messageIn(last).parts).toEqual([text("whole")]);
    const full = sse(begin, failure("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"));
    expect(await callOnce(full)).toMatchObject({
      end: { type: "failed", error: { kind: "overflow", contextWindow: 200_000 } },
      requests: 1,
    });
  });

  test("B03 streams with nothing in them, and one that is cut, are tried again", async () => {
    const whole = sse(begin, ...said(0, "at last"), end("end_turn"), over);
    for (const empty of [sse(), sse({ type: "ping" }), sse(begin, over), sse(begin, end("end_turn"), over)]) {
      const { events } = await callOnce(empty, whole);
      expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "empty_stream" } });
    }
    const { events } = await callOnce(sse(begin, ...said(0, "hal")), whole);
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "network" } });
  });

  test("B11 a refusal without content is an answer: one request only", async () => {
    const { end: last, requests } = await callOnce(sse(begin, end("refusal"), over));
    expect(messageIn(last)).toMatchObject({ finish: "refusal", parts: [] });
    expect(requests).toBe(1);
  });
});

test("a call of another wire is handed over with a legal id, and its result with it", async () => {
  await using provider = await startScriptedProvider(sse(begin, ...said(0, "ok"), end("end_turn"), over));
  const messages = [user("x"), assistant([call("fc|1", "{}")], { provider: "q" }), result("fc|1", [text("r")])];
  await ask(provider, {}, { system: "", messages, tools: [] }).ended;
  const sent = provider.requests[0]?.body.messages as { content: { id?: string; tool_use_id?: string }[] }[];
  expect(sent[1]?.content[0]?.id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(sent[2]?.content[0]?.tool_use_id).toBe(sent[1]?.content[0]?.id);
});

test("a configured provider of the format is resolved, its wire loaded and called, with the key as it wants it", async () => {
  await using provider = await startScriptedProvider(sse(begin, ...said(0, "ok"), end("end_turn"), over));
  const resolved = target({
    model: { default: "MiniMax-M2", provider: "minimax" },
    environment: { MINIMAX_API_KEY: TEST_KEY, MINIMAX_BASE_URL: `${provider.baseUrl.slice(0, -3)}/anthropic/` },
  });
  const { deps } = setUpCalls(http);
  const client = clientOf(resolved, { ...deps, http });
  const request = { system: "", messages: [user("x")], tools: [] };
  const events = await collect(client.call(request, { signal: new AbortController().signal }));
  expect(messageIn(events.at(-1) ?? { type: "aborted" }).parts).toEqual([text("ok")]);
  const [sent] = provider.requests;
  expect([sent?.path, sent?.headers.authorization]).toEqual(["/anthropic/v1/messages", `Bearer ${TEST_KEY}`]);
  expect(sent?.headers).not.toHaveProperty("x-api-key");
  expect(sent?.body).toMatchObject({ model: "MiniMax-M2", max_tokens: resolved.info.maxOutputTokens ?? 8_192 });
});
