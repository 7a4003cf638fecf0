import { array, assert, asyncProperty, integer, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { assembleAnswer } from "../../assemble.ts";
import type { WireEvent } from "../../event.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "../../message.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf } from "./opaque.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

const wire = createAnthropicMessagesWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });
const target = {
  provider: "p",
  model: "m",
  baseUrl: "http://127.0.0.1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

const decode = (body: string | Uint8Array, sizes: readonly number[] = []): Promise<WireEvent[]> =>
  collect(wire.decode(cutBody(body, sizes), { target, contentType: "" }));

type Data = Readonly<Record<string, unknown>>;

const sse = (...events: readonly Data[]): string =>
  events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join("");

const start = (usage: object = { input_tokens: 3, output_tokens: 1 }): Data => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", content: [], stop_reason: null, usage },
});
const block = (index: number, content_block: object): Data => ({ type: "content_block_start", index, content_block });
const delta = (index: number, fields: object): Data => ({ type: "content_block_delta", index, delta: fields });
const stop = (index: number): Data => ({ type: "content_block_stop", index });
const end = (stop_reason: string | null, more: object = {}): Data => ({
  type: "message_delta",
  delta: { stop_reason, ...more },
  usage: { output_tokens: 9 },
});
const over: Data = { type: "message_stop" };
const ping: Data = { type: "ping" };

const textBlock = (index: number, ...pieces: readonly string[]): Data[] => [
  block(index, { type: "text", text: "" }),
  ...pieces.map((text) => delta(index, { type: "text_delta", text })),
  stop(index),
];
const callBlock = (index: number, id: string, ...pieces: readonly string[]): Data[] => [
  block(index, { type: "tool_use", id, name: `tool_${id}`, input: {} }),
  ...pieces.map((partial_json) => delta(index, { type: "input_json_delta", partial_json })),
  stop(index),
];
const thinkingBlock = (index: number, signature: string, ...pieces: readonly string[]): Data[] => [
  block(index, { type: "thinking", thinking: "", signature: "" }),
  ...pieces.map((thinking) => delta(index, { type: "thinking_delta", thinking })),
  delta(index, { type: "signature_delta", signature }),
  stop(index),
];

const messageOf = async (...events: readonly Data[]): Promise<AssistantMessage> =>
  assembleAnswer(await decode(sse(start(), ...events)), target).message;

const opaque = (data: object): object => ({
  type: "opaque",
  wire: "anthropic_messages",
  provider: "p",
  model: "m",
  data,
});
const signed = (thinking: string, signature: string): object =>
  opaque({ block: "thinking", signature, textSha256: digestOf(thinking) });

const whole = [
  start({ input_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 7, output_tokens: 1 }),
  ...thinkingBlock(0, "s1", "one ", "日🦜"),
  ...callBlock(1, "a", '{"x"', ":1.0}"),
  ping,
  ...thinkingBlock(2, "s2", "two"),
  block(3, { type: "redacted_thinking", data: "EN==" }),
  stop(3),
  ...textBlock(4, "so ", "日🦜"),
  ...callBlock(5, "b", ""),
  end("tool_use"),
  over,
];
const wholeMessage = {
  role: "assistant",
  provider: "p",
  model: "m",
  finish: "tool_calls",
  usage: { inputTokens: 50, outputTokens: 9, cacheReadTokens: 40, cacheWriteTokens: 7 },
  parts: [
    { type: "reasoning", text: "one 日🦜" },
    signed("one 日🦜", "s1"),
    { type: "tool_call", id: "a", name: "tool_a", arguments: '{"x":1.0}' },
    { type: "reasoning", text: "two" },
    signed("two", "s2"),
    opaque({ block: "verbatim", value: { type: "redacted_thinking", data: "EN==" } }),
    { type: "text", text: "so 日🦜" },
    { type: "tool_call", id: "b", name: "tool_b", arguments: "" },
  ],
};

describe("an answer", () => {
  test("B05 B06 B09 thinking, calls and text in their order, cut at any byte", async () => {
    const lines = sse(...whole);
    for (const body of [lines, lines.replaceAll("\n", "\r\n")]) {
      for (const sizes of [[], [1], [2, 3], [7, 1, 64]]) {
        expect(assembleAnswer(await decode(body, sizes), target).message).toEqual(wholeMessage);
      }
    }
  });

  test("in one object", async () => {
    const content = [
      { type: "thinking", thinking: "one 日🦜", signature: "s1" },
      { type: "tool_use", id: "a", name: "tool_a", input: { x: 1 } },
      { type: "text", text: "so" },
    ];
    const usage = { input_tokens: 3, output_tokens: 9 };
    const body = JSON.stringify({ type: "message", role: "assistant", content, stop_reason: "tool_use", usage });
    for (const sent of [body, `\n\n  ${body}`]) {
      expect(assembleAnswer(await decode(sent, [5]), target).message).toMatchObject({
        finish: "tool_calls",
        usage: { inputTokens: 3, outputTokens: 9 },
        parts: [
          { type: "reasoning", text: "one 日🦜" },
          signed("one 日🦜", "s1"),
          { type: "tool_call", id: "a", arguments: '{"x":1}' },
          { type: "text", text: "so" },
        ],
      });
    }
  });

  test("the whole input with the start of a call, with and without pieces after it", async () => {
    const withInput = block(0, { type: "tool_use", id: "a", name: "n", input: { x: 1 } });
    const alone = toolCallsOf(await messageOf(withInput, stop(0), end("tool_use"), over));
    expect(alone.map((call) => call.arguments)).toEqual(['{"x":1}']);
    const both = await messageOf(
      withInput,
      delta(0, { type: "input_json_delta", partial_json: '{"x":2}' }),
      end("tool_use"),
    );
    expect(toolCallsOf(both)[0]?.arguments).toBe('{"x":2}');
  });

  test("blocks of the provider's own tools are kept as they came, with what followed", async () => {
    const message = await messageOf(
      block(0, { type: "server_tool_use", id: "srv", name: "web_search", input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"query":' }),
      delta(0, { type: "input_json_delta", partial_json: '"x"}' }),
      stop(0),
      block(1, { type: "compaction", content: "" }),
      delta(1, { type: "compaction_delta", content: "sum" }),
      stop(1),
      ...textBlock(2, "found"),
      end("end_turn"),
    );
    expect(message.parts).toEqual([
      opaque({
        block: "verbatim",
        value: { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "x" } },
      }),
      opaque({ block: "verbatim", value: { type: "compaction", content: "sum" } }),
      { type: "text", text: "found" },
    ]);
    expect(message.finish).toBe("stop");
  });

  test("thinking whose text is kept back has its signature alone; unsigned thinking has none", async () => {
    expect((await messageOf(...thinkingBlock(0, "s"), end("end_turn"))).parts).toEqual([signed("", "s")]);
    const unsigned = [block(0, { type: "thinking", thinking: "r" }), stop(0)];
    expect((await messageOf(...unsigned, end("end_turn"))).parts).toEqual([
      { type: "reasoning", text: "r" },
      opaque({ block: "thinking", textSha256: digestOf("r") }),
    ]);
  });

  test("thinking with nothing in it is nothing", async () => {
    const nothing = [block(0, { type: "thinking", thinking: "", signature: "" }), stop(0)];
    expect((await messageOf(...nothing, ...textBlock(1, "x"), end("end_turn"))).parts).toEqual([
      { type: "text", text: "x" },
    ]);
  });

  test("a thinking text that cannot be written down exactly keeps no signature", async () => {
    const body = sse(start(), ...thinkingBlock(0, "s", "x")).replace('"thinking":"x"', '"thinking":"\\ud83e"');
    expect((await decode(body)).map(({ type }) => type)).toEqual(["usage", "reasoning"]);
  });
});

describe("blocks out of order", () => {
  const callsOf = async (...events: readonly Data[]): Promise<[string, string][]> =>
    toolCallsOf(await messageOf(...events, end("tool_use"))).map((call) => [call.id, call.arguments]);

  test("B01 another call under an index that is open is another call", async () => {
    const [first, second] = [callBlock(0, "a", '{"p":"x"}'), callBlock(0, "b", '{"p":', '"y"}')];
    expect(await callsOf(...first.slice(0, -1), ...second)).toEqual([
      ["a", '{"p":"x"}'],
      ["b", '{"p":"y"}'],
    ]);
  });

  test("a start, a stop, an end that is repeated changes nothing", async () => {
    const [begin, ...rest] = callBlock(0, "a", '{"x":1}');
    const events = [start(), begin, begin, ...rest, stop(0), end("tool_use"), end("tool_use"), over, over];
    expect(await callsOf(...(events as Data[]))).toEqual([["a", '{"x":1}']]);
    const decoded = await decode(sse(...(events as Data[])));
    expect(decoded.filter(({ type }) => type === "finish" || type === "tool_call")).toHaveLength(2);
  });

  test("pieces of two calls mixed go to their own", async () => {
    const piece = (index: number, partial_json: string): Data =>
      delta(index, { type: "input_json_delta", partial_json });
    const opening = (index: number, id: string): Data => block(index, { type: "tool_use", id, name: "n", input: {} });
    const events = [
      opening(0, "a"),
      piece(0, '{"x"'),
      opening(1, "b"),
      piece(1, "{}"),
      piece(0, ":1}"),
      stop(1),
      stop(0),
    ];
    expect(await callsOf(...events)).toEqual([
      ["a", '{"x":1}'],
      ["b", "{}"],
    ]);
  });

  test("ids that are missing or the same are replaced", async () => {
    const calls = await callsOf(...callBlock(0, "a", "{}"), ...callBlock(1, "a", "{}"), ...callBlock(2, "", "{}"));
    expect(calls[0]?.[0]).toBe("a");
    expect(new Set(calls.map(([id]) => id)).size).toBe(3);
    expect(calls.every(([id]) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
  });

  test("stops that never come: signatures still stand behind their own thinking", async () => {
    const message = await messageOf(
      ...thinkingBlock(0, "s1", "one").slice(0, -1),
      ...callBlock(1, "a", "{}").slice(0, -1),
      ...thinkingBlock(2, "s2", "two").slice(0, -1),
      end("tool_use"),
    );
    expect(message.parts).toEqual([
      { type: "reasoning", text: "one" },
      signed("one", "s1"),
      { type: "tool_call", id: "a", name: "tool_a", arguments: "{}" },
      { type: "reasoning", text: "two" },
      signed("two", "s2"),
    ]);
  });

  test("no indexes at all, and pieces of a block whose start was lost", async () => {
    const bare = [...textBlock(0, "a"), ...callBlock(1, "c", "{}")].map(({ index: _index, ...rest }) => rest);
    const message = await messageOf(delta(7, { type: "text_delta", text: "lost " }), ...bare, end("tool_use"));
    expect([textOf(message), toolCallsOf(message).length]).toEqual(["lost a", 1]);
  });
});

describe("the end of an answer", () => {
  test.each([
    ["end_turn", [], "stop"],
    ["stop_sequence", [], "stop"],
    ["something new", [], "stop"],
    ["max_tokens", [], "length"],
    ["model_context_window_exceeded", [], "length"],
    ["pause_turn", [], "length"],
    ["refusal", [], "refusal"],
    ["tool_use", [], "stop"],
    ["end_turn", callBlock(1, "a", "{}"), "tool_calls"],
    ["max_tokens", callBlock(1, "a", '{"x'), "length"],
    ["refusal", callBlock(1, "a", '{"x'), "refusal"],
  ])("stop_reason %j after %j is %s", async (reason, before, expected) => {
    expect((await messageOf(...textBlock(0, "x"), ...before, end(reason))).finish).toBe(expected);
  });

  test("B11 a refusal without content is an answer, with its explanation where one is given", async () => {
    const details = { stop_details: { type: "refusal", category: "cyber", explanation: "not this" } };
    expect(await messageOf(end("refusal", details))).toMatchObject({
      finish: "refusal",
      refusal: "not this",
      parts: [],
    });
    expect(await messageOf(end("refusal", { stop_details: null }))).toMatchObject({ finish: "refusal", parts: [] });
    const body = { type: "message", role: "assistant", content: [], stop_reason: "refusal", stop_details: null };
    expect(assembleAnswer(await decode(JSON.stringify(body)), target).message.finish).toBe("refusal");
  });

  test("a window that was full before a word came is an overflow", async () => {
    const events = await decode(sse(start(), end("model_context_window_exceeded"), over));
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind: "overflow" } });
  });

  test("the end mark without a reason completes an answer that has something, and only that", async () => {
    expect((await messageOf(...textBlock(0, "x"), over)).finish).toBe("stop");
    expect((await messageOf(...callBlock(0, "a", "{}"), over)).finish).toBe("tool_calls");
    expect((await decode(sse(start(), over))).map(({ type }) => type)).toEqual(["usage"]);
    const gateway = `${sse(start(), ...textBlock(0, "x"))}data: [DONE]\n\n`;
    expect((await decode(gateway)).at(-1)).toEqual({ type: "finish", reason: "stop" });
  });

  test.each([
    ["zero bytes", ""],
    ["only comments", ": ping\n\n: ping\n\n"],
    ["only pings", sse(ping, ping, ping)],
    ["only blanks", "\n\n   \n"],
    ["empty objects", "data: {}\n\ndata: {}\n\n"],
    ["empty pieces", sse(block(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "" }), stop(0))],
    ["events of a kind to come", sse({ type: "weather_report", sunny: true })],
    ["a cut object", '{"type":"message","content":[{"type":"te'],
  ])("B03 B17 %s: no event at all", async (_name, body) => {
    expect(await decode(body)).toEqual([]);
  });

  test("a stream cut at any byte before its end says neither finish nor error, and never a call that did not come", async () => {
    const bytes = Buffer.from(sse(...whole));
    const endsAt = bytes.indexOf("event: message_delta");
    for (let at = 0; at < endsAt; at += 1) {
      const events = await decode(bytes.subarray(0, at));
      const told = events.filter(({ type }) => type === "finish" || type === "error");
      expect(told, `cut at ${at}`).toEqual([]);
      const { message } = assembleAnswer(events, target);
      for (const [place, call] of toolCallsOf(message).entries()) {
        expect((place === 0 ? '{"x":1.0}' : "").startsWith(call.arguments), `cut at ${at}`).toBe(true);
      }
    }
  });

  test.each([
    ["at the end alone", undefined, { input_tokens: 5, output_tokens: 2 }, { inputTokens: 5, outputTokens: 2 }],
    [
      "true figures at the end",
      { input_tokens: 0, output_tokens: 0 },
      { input_tokens: 61, cache_read_input_tokens: 9, output_tokens: 2 },
      { inputTokens: 70, outputTokens: 2, cacheReadTokens: 9 },
    ],
    [
      "zeros at the end",
      { input_tokens: 43, cache_read_input_tokens: 5, output_tokens: 1 },
      { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 8 },
      { inputTokens: 48, outputTokens: 8, cacheReadTokens: 5 },
    ],
    [
      "thinking",
      { input_tokens: 1 },
      { output_tokens: 8, output_tokens_details: { thinking_tokens: 6 } },
      { inputTokens: 1, outputTokens: 8, reasoningTokens: 6 },
    ],
    ["what is no number", { input_tokens: "x" }, { output_tokens: -1 }, undefined],
  ])("usage: %s", async (...[, first, last, expected]) => {
    const events = sse(start(first), ...textBlock(0, "x"), { ...end("end_turn"), usage: last });
    expect(assembleAnswer(await decode(events), target).message.usage).toEqual(expected);
  });
});

describe("errors inside a 200 answer", () => {
  const lastOf = async (body: string): Promise<unknown> => (await decode(body)).at(-1);
  const failed = (type: string, message: string): Data => ({ type: "error", error: { type, message } });

  test.each([
    ["overloaded_error", "Overloaded", { kind: "overloaded" }],
    ["rate_limit_error", "slow", { kind: "rate_limit" }],
    ["api_error", "Internal server error", { kind: "server" }],
    ["authentication_error", "invalid x-api-key", { kind: "auth" }],
    ["permission_error", "no", { kind: "auth" }],
    ["invalid_request_error", "bad thing", { kind: "invalid_request" }],
    ["request_too_large", "Request exceeds the maximum size", { kind: "payload_too_large" }],
    [
      "invalid_request_error",
      "prompt is too long: 208310 tokens > 200000 maximum",
      { kind: "overflow", contextWindow: 200_000 },
    ],
    [
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
      { kind: "overflow", contextWindow: 200_000 },
    ],
    [
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
      { kind: "billing" },
    ],
    ["invalid_request_error", "password hunter2", { message: "password «secret»" }],
  ])("B02 %s %j", async (type, message, expected) => {
    const error = { type: "error", error: expected };
    expect(await lastOf(sse(start(), ...textBlock(0, "half"), failed(type, message)))).toMatchObject(error);
    expect(await lastOf(JSON.stringify(failed(type, message)))).toMatchObject(error);
  });

  test.each([
    ["words that are no JSON", "event: error\ndata: it broke\n\n", { kind: "server", message: "it broke" }],
    [
      "another provider's form",
      'data: {"error":{"code":429,"message":"slow"}}\n\n',
      { kind: "rate_limit", status: 429 },
    ],
    ["B02 names of exceptions", 'data: {"error_type":"BadRequestError","error_message":"no"}\n\n', { status: 400 }],
    ["an error without a word", 'event: error\ndata: {"type":"error"}\n\n', { kind: "server" }],
    ["a page", "\n<!DOCTYPE html><title>x", { kind: "protocol" }],
  ])("%s", async (_name, body, expected) => {
    expect(await lastOf(body)).toMatchObject({ type: "error", error: expected });
  });

  test("an error ends the answer, whatever follows", async () => {
    const events = await decode(
      sse(start(), ...textBlock(0, "a"), failed("api_error", "x"), ...textBlock(1, "b"), over),
    );
    expect(events.map((event) => event.type)).toEqual(["usage", "text", "error"]);
  });

  test("an answer that begins anew in its middle is a fault that may pass, not two answers in one", async () => {
    const events = await decode(
      sse(start(), ...callBlock(0, "a", '{"x":1').slice(0, -1), start(), ...textBlock(0, "b")),
    );
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind: "server" } });
    expect(textOf(await messageOf(start(), ...textBlock(0, "b"), end("end_turn")))).toBe("b");
  });
});

describe("anything at all", () => {
  const shapes: readonly unknown[] = [
    null,
    1,
    "x",
    [],
    {},
    { type: 5 },
    { type: "message_start" },
    { type: "message_start", message: [] },
    { type: "content_block_start" },
    { type: "content_block_start", index: "a", content_block: 5 },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: 5 } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", input: 5 } },
    { type: "content_block_delta", index: 0, delta: null },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: {} } },
    { type: "content_block_stop", index: {} },
    { type: "message_delta", delta: 1, usage: [] },
    { type: "message_delta", delta: { stop_reason: 5, stop_details: 1 } },
    { type: "message", content: 5 },
    { type: "message", content: [null, 1, {}, { type: "thinking" }, { type: "tool_use" }] },
  ];
  test.each(shapes.map((shape) => [JSON.stringify(shape), shape] as const))("%s does no harm", async (json, _shape) => {
    const events = await decode(`data: ${json}\n\n${sse(start(), ...textBlock(9, "fine"), end("end_turn"))}`);
    expect(textOf(assembleAnswer(events, target).message)).toMatch(/^(fine)?$/);
    await decode(json);
  });

  test("bytes that are no UTF-8 lose themselves alone", async () => {
    const bytes = Buffer.concat([Buffer.from(sse(start())), Buffer.from([0xff, 0xfe, 0x0a, 0x0a])]);
    const events = await decode(
      Buffer.concat([bytes, Buffer.from(sse(...textBlock(0, "fine"), end("end_turn")))]),
      [3],
    );
    expect(textOf(assembleAnswer(events, target).message)).toBe("fine");
  });

  test("ten megabytes of arguments", async () => {
    const piece = "x".repeat(100_000);
    const pieces = ['{"content":"', ...Array.from({ length: 100 }, () => piece), '"}'];
    const message = await messageOf(...callBlock(0, "a", ...pieces), end("tool_use"));
    expect(toolCallsOf(message)[0]?.arguments).toBe(pieces.join(""));
  });

  test("property: no bytes make it throw", async () => {
    await assert(
      asyncProperty(
        array(string({ unit: "binary", maxLength: 40 }), { maxLength: 8 }),
        integer({ min: 1, max: 9 }),
        async (pieces, size) => {
          await decode(pieces.map((piece) => `data: ${piece}\n\n`).join(""), [size]);
          await decode(pieces.join(""), [size]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
