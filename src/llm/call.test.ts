import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import {
  ask,
  messageIn,
  readCall,
  setUpCalls,
  targetOf,
  TEST_KEY,
  type CallSetup,
} from "../testing/scripted-provider/read-call.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../testing/scripted-provider/scripted-provider.ts";
import type { CallEvent } from "./event.ts";
import { createHttpClient } from "./http.ts";
import { textOf, toolCallsOf } from "./message.ts";
import { keyCredential } from "./credential.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());
const setUp = (): CallSetup => setUpCalls(http);

const callOnce = async (
  ...answers: readonly ScriptedAnswer[]
): Promise<{ end: CallEvent; events: CallEvent[]; provider: ScriptedProvider }> => {
  const provider = await startScriptedProvider(...answers);
  try {
    const reading = readCall(setUp(), targetOf(provider.baseUrl));
    return { end: await reading.ended, events: reading.events, provider };
  } finally {
    await provider.close();
  }
};

describe("a whole answer", () => {
  const answer: ScriptedAnswer = {
    reasoning: "let me think",
    text: "It is 日🦜 and more.",
    toolCalls: [{ id: "c1", name: "read_file", arguments: { path: "a.txt" } }],
    usage: { prompt: 120, completion: 9, cached: 100, reasoning: 4 },
  };

  test.each([true, false])("streamed: %s gives the same message", async (stream) => {
    await using provider = await startScriptedProvider(answer);
    const reading = readCall(setUp(), targetOf(provider.baseUrl, { stream }));
    expect(messageIn(await reading.ended)).toEqual({
      role: "assistant",
      provider: "scripted",
      model: "m-1",
      finish: "tool_calls",
      usage: { inputTokens: 120, outputTokens: 9, cacheReadTokens: 100, reasoningTokens: 4 },
      parts: [
        { type: "reasoning", text: "let me think" },
        { type: "text", text: "It is 日🦜 and more." },
        { type: "tool_call", id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' },
      ],
    });
    const text = reading.events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(text).toBe("It is 日🦜 and more.");
  });

  test.each([
    ["one byte a write", { bytesPerWrite: 1 }],
    ["CR LF", { lineEnd: "\r\n" }],
    ["CR LF, one byte a write", { lineEnd: "\r\n", bytesPerWrite: 1 }],
    ["CR", { lineEnd: "\r", bytesPerWrite: 3 }],
    ["reasoning in tags", { reasoningIn: "think_tags", bytesPerWrite: 2 }],
  ] as const)("B05 B06 over real sockets: %s", async (_name, how) => {
    const { end } = await callOnce({ ...answer, ...how });
    const message = messageIn(end);
    expect(textOf(message)).toBe("It is 日🦜 and more.");
    expect(message.parts[0]).toEqual({ type: "reasoning", text: "let me think" });
    expect(toolCallsOf(message)).toHaveLength(1);
  });

  test("B01 two calls under one index stay two", async () => {
    const { end } = await callOnce({
      sharedIndex: true,
      toolCalls: [
        { id: "k1", name: "save", arguments: { p: "x" } },
        { id: "k2", name: "save", arguments: { p: "y" } },
      ],
    });
    expect(toolCallsOf(messageIn(end))).toEqual([
      { type: "tool_call", id: "k1", name: "save", arguments: '{"p":"x"}' },
      { type: "tool_call", id: "k2", name: "save", arguments: '{"p":"y"}' },
    ]);
  });

  test("B04 usage after the finish belongs to the answer, and nothing more is asked", async () => {
    const { end, provider } = await callOnce({ text: "OK", usage: { prompt: 7, completion: 1 } });
    expect(messageIn(end)).toMatchObject({ finish: "stop", usage: { inputTokens: 7, outputTokens: 1 } });
    expect(provider.requests).toHaveLength(1);
  });

  test("B07 cut-off arguments are kept as they came, with finish length", async () => {
    const cut = '{"path":"n.txt","content":"line one\\nli';
    const { end, provider } = await callOnce({
      finish: "length",
      toolCalls: [{ id: "w", name: "write_file", arguments: cut }],
    });
    expect(messageIn(end).finish).toBe("length");
    expect(toolCallsOf(messageIn(end))[0]?.arguments).toBe(cut);
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    ["with a text", { refusal: "cannot help" }, { finish: "refusal", refusal: "cannot help" }],
    ["as a filter without a text", { finish: "content_filter" }, { finish: "refusal", parts: [] }],
  ] as const)("B11 a refusal %s is an answer: one request only", async (_name, answer, expected) => {
    const { end, provider } = await callOnce(answer);
    expect(messageIn(end)).toMatchObject(expected);
    expect(provider.requests).toHaveLength(1);
  });

  test("the connection is used again", async () => {
    await using provider = await startScriptedProvider({ text: "1" }, { text: "2" });
    for (let turn = 0; turn < 2; turn += 1) {
      const setup = setUp();
      await readCall(setup, targetOf(provider.baseUrl)).ended;
      await setup.clock.settle();
    }
    expect(new Set(provider.requests.map((request) => request.remotePort)).size).toBe(1);
  });
});

describe("an answer that is none", () => {
  test("B02 an error inside a 200 stream is classified like the same status, and not repeated", async () => {
    const error = {
      choices: null,
      error_type: "BadRequestError",
      error_message: "maximum context length is 9000 tokens, got 9400",
    };
    const { end, provider } = await callOnce({ misbehave: { kind: "error_in_stream", error, afterPieces: 0 } });
    expect(end).toEqual({
      type: "failed",
      error: { kind: "overflow", status: 400, contextWindow: 9_000, message: error.error_message },
    });
    expect(provider.requests).toHaveLength(1);
  });

  test("B02 an unknown 400 inside a stream fails at once and keeps what had come", async () => {
    const error = { error: { code: 400, message: "no such parameter" } };
    const { end, provider } = await callOnce({
      text: ["half "],
      misbehave: { kind: "error_in_stream", error, afterPieces: 2 },
    });
    expect(end).toMatchObject({
      type: "failed",
      error: { kind: "invalid_request", status: 400, message: "no such parameter" },
      partial: { finish: "interrupted", parts: [{ type: "text", text: "half " }] },
    });
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    ["zero bytes", { misbehave: { kind: "empty_body" } }],
    ["only the end mark", { misbehave: { kind: "only_done" } }],
    ["only comments", { misbehave: { kind: "keep_alives", count: 3 } }],
    ["a finish with nothing before it", {}],
  ] as const)("B03 %s: a named error that is tried again", async (_name, answer) => {
    const { end, events, provider } = await callOnce(answer, answer, { text: "at last" });
    const retries = events.filter((event) => event.type === "retrying");
    expect(retries.map((event) => [event.attempt, event.delayMs, event.error.kind])).toEqual([
      [2, 2_000, "empty_stream"],
      [3, 4_000, "empty_stream"],
    ]);
    expect(textOf(messageIn(end))).toBe("at last");
    expect(provider.requests).toHaveLength(3);
  });

  test("reasoning alone is no answer: it is tried again, and at the end said to be what came", async () => {
    const { end } = await callOnce({ reasoning: "hm" }, { reasoning: "well", text: "yes" });
    expect(textOf(messageIn(end))).toBe("yes");
    const thoughts = Array.from({ length: 3 }, () => ({ reasoning: "hm", text: " \n" }));
    const { end: failed, provider } = await callOnce(...thoughts);
    expect(failed).toMatchObject({
      type: "failed",
      error: { kind: "empty_stream", message: "the model stopped after its reasoning, without an answer" },
      partial: { parts: [{ type: "reasoning", text: "hm" }, { type: "text" }] },
    });
    expect(provider.requests).toHaveLength(3);
  });

  test("reasoning in a tag that is never closed is the answer of a model that says nothing else", async () => {
    const { end, provider } = await callOnce({ text: "<think>It is 42." });
    expect(textOf(messageIn(end))).toBe("It is 42.");
    expect(provider.requests).toHaveLength(1);
  });

  test("each attempt that reached the provider is told: refused, empty and whole ones, not one that nobody took", async () => {
    await using provider = await startScriptedProvider(
      { misbehave: { kind: "empty_body" } },
      { misbehave: { kind: "reset", afterPieces: 0 } },
      { text: "at last" },
    );
    const reading = readCall(setUp(), targetOf(provider.baseUrl));
    expect((await reading.ended).type).toBe("done");
    expect(reading.reached()).toBe(3);
    await provider.close();
    const unheard = readCall(setUp(), targetOf(provider.baseUrl));
    expect(await unheard.ended).toMatchObject({ type: "failed", error: { kind: "network" } });
    expect(unheard.reached()).toBe(0);
  });

  test("B03 content and a finish without the end mark are a success", async () => {
    const body = 'data: {"choices":[{"delta":{"content":"fine"},"finish_reason":"stop"}]}\n\n';
    const { end, provider } = await callOnce({ misbehave: { kind: "raw", body } });
    expect(textOf(messageIn(end))).toBe("fine");
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    ["cut off", { kind: "cut", afterPieces: 3 }],
    ["reset", { kind: "reset", afterPieces: 3 }],
  ] as const)("an answer %s in the middle is tried again, and what had streamed is void", async (_name, misbehave) => {
    const { end, events } = await callOnce({ text: "one two three", misbehave }, { text: "whole" });
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "network" } });
    expect(textOf(messageIn(end))).toBe("whole");
  });

  test("a page instead of an answer names the address and is not repeated", async () => {
    const { end, provider } = await callOnce({
      misbehave: { kind: "raw", body: "<!doctype html><p>hi", contentType: "text/html" },
    });
    expect(end).toMatchObject({ type: "failed", error: { kind: "protocol" } });
    expect(end.type === "failed" && end.error.message).toContain(provider.baseUrl);
    expect(provider.requests).toHaveLength(1);
  });

  test("text without end is ended at 64 MiB", async () => {
    const { end } = await callOnce({ misbehave: { kind: "endless" } });
    expect(end).toMatchObject({ type: "failed", error: { kind: "protocol" }, partial: { finish: "interrupted" } });
    expect(end.type === "failed" && end.error.message).toContain("64 MiB");
  });
});

describe("statuses", () => {
  const noted = (text: string): string => JSON.stringify({ error: { message: text } });

  test.each([
    [401, "auth"],
    [402, "billing"],
    [404, "invalid_request"],
    [413, "payload_too_large"],
    [400, "invalid_request"],
  ])("%i fails at once as %s", async (status, kind) => {
    const { end, provider } = await callOnce({ status, body: noted("no") });
    expect(end).toMatchObject({ type: "failed", error: { kind, status } });
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    [429, "rate_limit"],
    [500, "server"],
    [502, "server"],
    [503, "overloaded"],
    [529, "overloaded"],
  ])("%i is tried again as %s, three times in all", async (status, kind) => {
    const bad = { status, body: noted("later") };
    const { end, provider } = await callOnce(bad, bad, bad, { text: "too late" });
    expect(end).toMatchObject({ type: "failed", error: { kind, status, message: "later" } });
    expect(provider.requests).toHaveLength(3);
    expect(new Set(provider.requests.map((request) => request.rawBody)).size).toBe(1);
  });

  test("B12 the stated wait is waited, and a day is not", async () => {
    const limited = { status: 429, headers: { "Retry-After": "45" }, body: noted("slow") };
    const patient = await callOnce(limited, { text: "now" });
    expect(patient.events.find((event) => event.type === "retrying")).toMatchObject({ delayMs: 45_000 });
    const refused = await callOnce({ ...limited, headers: { "retry-after": "86400" } });
    expect(refused.end).toMatchObject({ type: "failed", error: { kind: "rate_limit" } });
    expect(refused.end.type === "failed" && refused.end.error.message).toContain("24 hours");
    expect(refused.provider.requests).toHaveLength(1);
  });

  test("B15 a server short of memory is tried again and never called an overflow", async () => {
    const body = noted("memory guard: peak 9.4 GB over ceiling 8.0 GB, free memory or reduce context length");
    const { end, provider } = await callOnce({ status: 400, body }, { status: 400, body }, { status: 400, body });
    expect(end).toMatchObject({ type: "failed", error: { kind: "resource" } });
    expect(provider.requests).toHaveLength(3);
  });

  test("a provider's text is masked, bounded, and never repeats the key", async () => {
    const text = `Incorrect API key provided: ${TEST_KEY}. Password hunter2. ${"x".repeat(2_000)}`;
    const { end } = await callOnce({ status: 401, body: noted(text) });
    const message = end.type === "failed" ? end.error.message : "";
    expect(message).toContain("«key»");
    expect(message).toContain("«secret»");
    expect(message).not.toContain(TEST_KEY);
    expect(message.length).toBeLessThanOrEqual(500);
  });

  test("a redirect is not followed: the key stays, the new address is named without its query", async () => {
    const seen: string[] = [];
    const elsewhere = createServer((incoming, response) => {
      seen.push(incoming.headers.authorization ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const location = `http://127.0.0.1:${port}/v2/chat?token=abc`;
    const { end } = await callOnce({ status: 307, headers: { location }, body: "" });
    elsewhere.close();
    const message = end.type === "failed" ? end.error.message : "";
    expect(message).toContain(`http://127.0.0.1:${port}/v2/chat;`);
    expect(message).not.toContain("token");
    expect(seen).toEqual([]);
  });

  test("the key travels in one header and nowhere else", async () => {
    const { provider } = await callOnce({ text: "x" });
    const [request] = provider.requests;
    expect(request?.headers.authorization).toBe(`Bearer ${TEST_KEY}`);
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.rawBody).not.toContain(TEST_KEY);
  });
});

describe("network faults", () => {
  test("a closed port is named and tried again", async () => {
    const provider = await startScriptedProvider();
    await provider.close();
    const end = await readCall(setUp(), targetOf(provider.baseUrl)).ended;
    expect(end).toMatchObject({ type: "failed", error: { kind: "network" } });
    expect(end.type === "failed" && end.error.message).toContain(`127.0.0.1:${provider.port}`);
  });

  test("a key that cannot stand in a header fails at once and is not shown", async () => {
    await using provider = await startScriptedProvider({ text: "x" });
    const end = await readCall(setUp(), targetOf(provider.baseUrl, { credential: keyCredential("sk-broken\nkey") }))
      .ended;
    expect(end).toMatchObject({ type: "failed", error: { kind: "invalid_request" } });
    expect(JSON.stringify(end)).not.toContain("broken");
    expect(provider.requests).toHaveLength(0);
  });

  test("bytes that are no HTTP are a fault, not a crash", async () => {
    const server = createTcpServer((socket) => void socket.end("220 mail.example ESMTP\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const end = await readCall(setUp(), targetOf(`http://127.0.0.1:${port}/v1`)).ended;
    server.close();
    expect(end).toMatchObject({ type: "failed", error: { kind: "protocol" } });
  });
});

describe("what is sent again", () => {
  test("R-PROMPT-3 a longer conversation begins with the shorter one's bytes, and the cache counts it", async () => {
    await using provider = await startScriptedProvider({ text: "first" }, { text: "second" });
    const setup = setUp();
    const first = ask("hello");
    const answered = messageIn(await readCall(setup, targetOf(provider.baseUrl), { request: first }).ended);
    const second = { ...first, messages: [...first.messages, answered, ...ask("and?").messages] };
    const message = messageIn(await readCall(setup, targetOf(provider.baseUrl), { request: second }).ended);
    const [a, b] = provider.requests.map((request) => JSON.stringify(request.body.messages));
    expect(b?.startsWith(a?.slice(0, -1) ?? "?")).toBe(true);
    expect(message.usage?.cacheReadTokens).toBeGreaterThan(0);
  });
});
