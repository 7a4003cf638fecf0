import { array, assert, asyncProperty, integer, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { assembleAnswer } from "../../assemble.ts";
import type { WireEvent } from "../../event.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "../../message.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { createChatCompletionsWire } from "./chat-completions.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

const wire = createChatCompletionsWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });
const target = {
  provider: "p",
  model: "m",
  baseUrl: "http://127.0.0.1/v1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

const decode = (body: string, sizes: readonly number[] = []): Promise<WireEvent[]> =>
  collect(wire.decode(cutBody(body, sizes), { target, contentType: "" }));

const sse = (...chunks: readonly unknown[]): string =>
  chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("");

const delta = (fields: object, finish: string | null = null): unknown => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const callDelta = (call: object): unknown => delta({ tool_calls: [call] });
const finish = (reason: string): unknown => delta({}, reason);

const messageOf = async (...chunks: readonly unknown[]): Promise<AssistantMessage> =>
  assembleAnswer(await decode(sse(...chunks, "[DONE]")), target).message;

const partsOf = async (...chunks: readonly unknown[]): Promise<unknown[]> => [...(await messageOf(...chunks)).parts];

const callsOf = async (...chunks: readonly unknown[]): Promise<[string, string, string][]> =>
  toolCallsOf(await messageOf(...chunks, finish("tool_calls"))).map((call) => [call.id, call.name, call.arguments]);

const NEW_ID: unknown = expect.stringMatching(/^call_[0-9a-f]{18}$/);

describe("tool calls", () => {
  test("a name or id that no provider takes back gets a form that every one does", async () => {
    const names = ["read file\n", "\u{1f642}", "x".repeat(100_000), "run_it-2", " "];
    const calls = await callsOf(
      ...names.map((name, index) => callDelta({ index, id: `k${index}`, function: { name } })),
    );
    expect(calls.map(([, name]) => name)).toEqual(["read_file_", "_", "x".repeat(64), "run_it-2", "_"]);
    const ids = ["a\nb", "i".repeat(100_000), "\ud800", "call|fc_1.2:3", ""];
    const made = await callsOf(...ids.map((id, index) => callDelta({ index, id, function: { name: "t" } })));
    expect(made.map(([id]) => id)).toEqual([NEW_ID, NEW_ID, NEW_ID, "call|fc_1.2:3", NEW_ID]);
  });

  test("a call whose name never comes can be sent back", async () => {
    expect(await callsOf(callDelta({ index: 0, id: "k", function: { arguments: "{}" } }))).toEqual([
      ["k", "unnamed", "{}"],
    ]);
  });

  test("B01 another id under the same index is another call; no id continues the newest there", async () => {
    expect(
      await callsOf(
        callDelta({ index: 0, id: "k1", function: { name: "save", arguments: '{"p":"x"}' } }),
        callDelta({ index: 0, id: "k2", function: { name: "save", arguments: '{"p":' } }),
        callDelta({ index: 0, function: { arguments: '"y"}' } }),
      ),
    ).toEqual([
      ["k1", "save", '{"p":"x"}'],
      ["k2", "save", '{"p":"y"}'],
    ]);
  });

  test("calls that arrive interleaved are sorted by their index", async () => {
    expect(
      await callsOf(
        callDelta({ index: 1, id: "b", function: { name: "two", arguments: "" } }),
        callDelta({ index: 0, id: "a", function: { name: "one", arguments: "{" } }),
        callDelta({ index: 1, function: { arguments: "{}" } }),
        callDelta({ index: 0, function: { arguments: "}" } }),
      ),
    ).toEqual([
      ["b", "two", "{}"],
      ["a", "one", "{}"],
    ]);
  });

  test("ids and names repeated with every piece change nothing", async () => {
    const piece = (text: string): unknown =>
      callDelta({ index: 0, id: "a", function: { name: "one", arguments: text } });
    expect(await callsOf(piece('{"x"'), piece(":1"), piece("}"))).toEqual([["a", "one", '{"x":1}']]);
  });

  test("names repeated without ids: one call until its arguments are whole, then another", async () => {
    const piece = (text: string): unknown => callDelta({ index: 0, function: { name: "one", arguments: text } });
    const calls = await callsOf(piece('{"x"'), piece(":1}"), piece('{"x":2}'));
    expect(calls.map(([, name, text]) => [name, text])).toEqual([
      ["one", '{"x":1}'],
      ["one", '{"x":2}'],
    ]);
  });

  test("missing and repeated ids are replaced by ids of their own", async () => {
    const calls = await callsOf(
      callDelta({ index: 0, function: { name: "one", arguments: "{}" } }),
      callDelta({ index: 1, id: "same", function: { name: "two", arguments: "{}" } }),
      callDelta({ index: 2, id: "same", function: { name: "three", arguments: "{}" } }),
    );
    expect(new Set(calls.map(([id]) => id)).size).toBe(3);
    expect(calls[1]?.[0]).toBe("same");
    expect(calls.every(([id]) => id !== "")).toBe(true);
  });

  test("no index at all: each named piece is a call, a nameless one continues", async () => {
    expect(
      await callsOf(
        delta({ tool_calls: [{ id: "a", function: { name: "one", arguments: "{" } }] }),
        delta({
          tool_calls: [
            { id: "a", function: { arguments: "}" } },
            { id: "b", function: { name: "two", arguments: "{}" } },
          ],
        }),
      ),
    ).toEqual([
      ["a", "one", "{}"],
      ["b", "two", "{}"],
    ]);
  });

  test("arguments as an object, the name after the id, and none at all", async () => {
    expect(
      await callsOf(
        callDelta({ index: 0, id: "a", function: { name: "one", arguments: { x: 1 } } }),
        callDelta({ index: 1, id: "b", function: { arguments: '{"y"' } }),
        callDelta({ index: 1, id: "b", function: { name: "two", arguments: ":2}" } }),
        callDelta({ index: 2, id: "c", function: { name: "three" } }),
      ),
    ).toEqual([
      ["a", "one", '{"x":1}'],
      ["b", "two", '{"y":2}'],
      ["c", "three", ""],
    ]);
  });

  test("the old function_call", async () => {
    const message = await messageOf(
      delta({ function_call: { name: "one", arguments: '{"x"' } }),
      delta({ function_call: { arguments: ":1}" } }),
      finish("function_call"),
    );
    expect(message.finish).toBe("tool_calls");
    expect(toolCallsOf(message)[0]).toMatchObject({ name: "one", arguments: '{"x":1}' });
  });

  test("two calls of a whole answer with one id stay two", async () => {
    const call = (x: number): object => ({ id: "call_0", function: { name: "one", arguments: `{"x":${x}}` } });
    const body = JSON.stringify({ choices: [{ message: { tool_calls: [call(1), call(2)] }, finish_reason: "stop" }] });
    const { message } = assembleAnswer(await decode(body), target);
    expect(toolCallsOf(message).map((one) => one.arguments)).toEqual(['{"x":1}', '{"x":2}']);
    expect(message.finish).toBe("tool_calls");
  });
});

describe("reasoning", () => {
  test.each([
    ["reasoning_content", delta({ reasoning_content: "hm" })],
    ["reasoning", delta({ reasoning: "hm" })],
    ["both at once", delta({ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] })],
    [
      "details alone",
      delta({
        reasoning_details: [
          { type: "reasoning.text", text: "h" },
          { type: "reasoning.summary", summary: "m" },
        ],
      }),
    ],
    ["Mistral's list", delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] })],
    ["tags", delta({ content: "<think>hm</think>" })],
  ])("%s", async (_name, chunk) => {
    expect(await partsOf(chunk, delta({ content: "yes" }), finish("stop"))).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "yes" },
    ]);
  });

  test("signed details go back whole, joined from their pieces, after the text", async () => {
    const parts = await partsOf(
      delta({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "a" }] }),
      delta({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "b", signature: "SIG" }] }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "EN" }] }),
      delta({ content: "x" }),
      finish("stop"),
    );
    expect(parts.at(-1)).toEqual({
      type: "opaque",
      wire: "chat_completions",
      provider: "p",
      model: "m",
      data: {
        field: "reasoning_details",
        value: [
          { type: "reasoning.text", index: 0, text: "ab", signature: "SIG" },
          { type: "reasoning.encrypted", index: 1, data: "EN" },
        ],
      },
    });
  });

  test("details without a signature are text and nothing else", async () => {
    const parts = await partsOf(
      delta({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "a" }] }),
      finish("stop"),
    );
    expect(parts).toEqual([{ type: "reasoning", text: "a" }]);
  });

  const tagged: readonly (readonly [string, string, string])[] = [
    ["<think>a</think>b", "a", "b"],
    ["\n <think>\na\n</think>\n\nb", "\na\n", "b"],
    ["<thinking>a</thinking>b", "a", "b"],
    ["<THINK>a</Think>b", "a", "b"],
    ["<think>a</think><think>c</think>b", "ac", "b"],
    ["<think>\nnever closed </thi", "\nnever closed </thi", "never closed </thi"],
    ["<think>a</think><think>c", "ac", "c"],
    ["<think> ", " ", ""],
    ["<think>a < b </thin x</think>c", "a < b </thin x", "c"],
    ["say <think>x</think>", "", "say <think>x</think>"],
    ["<thinker>x", "", "<thinker>x"],
    ["<", "", "<"],
    ["  <thi", "", "  <thi"],
    ["a</think>b", "", "a</think>b"],
    ["<think></think>b", "", "b"],
  ];
  test.each(tagged)("%j at every cut", async (content, reasoning, text) => {
    for (let at = 0; at <= content.length; at += 1) {
      const message = await messageOf(
        delta({ content: content.slice(0, at) }),
        delta({ content: content.slice(at) }),
        finish("stop"),
      );
      const said = message.parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
      expect([said, textOf(message)], `cut at ${at}`).toEqual([reasoning, text]);
    }
    const letters = await messageOf(...content.split("").map((letter) => delta({ content: letter })), finish("stop"));
    expect(textOf(letters)).toBe(text);
  });
});

describe("reasoning that is never closed", () => {
  const open = [delta({ content: "<think>so it is " }), delta({ content: "42" })];

  test("is the answer too where the model stopped by itself, with or without saying so", async () => {
    const both = [
      { type: "reasoning", text: "so it is 42" },
      { type: "text", text: "so it is 42" },
    ];
    expect(await partsOf(...open, finish("stop"))).toEqual(both);
    expect(await partsOf(...open, finish("stop"), finish("stop"))).toEqual(both);
    expect(await partsOf(...open)).toEqual(both);
  });

  test("is reasoning alone where it was cut, a call follows, or text came before it", async () => {
    const reasoning = { type: "reasoning", text: "so it is 42" };
    expect(await partsOf(...open, finish("length"))).toEqual([reasoning]);
    const call = callDelta({ index: 0, id: "a", function: { name: "n", arguments: "{}" } });
    expect(await partsOf(...open, call, finish("stop"))).toMatchObject([reasoning, { type: "tool_call" }]);
    const spoken = await partsOf(delta({ content: [{ type: "text", text: "Yes." }] }), ...open, finish("stop"));
    expect(spoken).toEqual([{ type: "text", text: "Yes." }, reasoning]);
  });
});

describe("the end of an answer", () => {
  test.each([
    ["stop", [], "stop"],
    ["end_turn", [], "stop"],
    ["eos", [], "stop"],
    ["something new", [], "stop"],
    ["length", [], "length"],
    ["max_tokens", [], "length"],
    ["content_filter", [], "refusal"],
    ["tool_calls", [], "stop"],
    ["stop", [callDelta({ index: 0, id: "a", function: { name: "n", arguments: "{}" } })], "tool_calls"],
    ["length", [callDelta({ index: 0, id: "a", function: { name: "n", arguments: "{" } })], "length"],
    ["stop", [delta({ refusal: "no" })], "refusal"],
  ])("finish_reason %j after %j is %s", async (reason, before, expected) => {
    expect((await messageOf(delta({ content: "x" }), ...before, finish(reason))).finish).toBe(expected);
  });

  test.each([
    [
      "after the finish",
      [delta({ content: "OK" }, "stop"), { choices: [], usage: { prompt_tokens: 7, completion_tokens: 1 } }],
    ],
    [
      "before it",
      [delta({ content: "OK" }), { choices: [], usage: { prompt_tokens: 7, completion_tokens: 1 } }, finish("stop")],
    ],
    [
      "with choices null",
      [delta({ content: "OK" }, "stop"), { choices: null, usage: { prompt_tokens: 7, completion_tokens: 1 } }],
    ],
    [
      "in x_groq",
      [
        delta({ content: "OK" }, "stop"),
        { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 1 } } },
      ],
    ],
  ])("B04 usage %s", async (_name, chunks) => {
    const message = await messageOf(...chunks);
    expect(message).toMatchObject({
      finish: "stop",
      usage: { inputTokens: 7, outputTokens: 1 },
      parts: [{ type: "text", text: "OK" }],
    });
  });

  test.each([
    [{ prompt_tokens_details: { cached_tokens: 5 } }, { cacheReadTokens: 5 }],
    [{ prompt_cache_hit_tokens: 5 }, { cacheReadTokens: 5 }],
    [{ num_cached_tokens: 5 }, { cacheReadTokens: 5 }],
    [{ cache_creation_input_tokens: 6 }, { cacheWriteTokens: 6 }],
    [{ completion_tokens_details: { reasoning_tokens: 0 } }, { reasoningTokens: 0 }],
    [{ prompt_tokens: "seven", completion_tokens: -1 }, {}],
    [{ prompt_tokens: null }, {}],
    [{ prompt_tokens: 1e300, completion_tokens: 2 }, { outputTokens: 2 }],
    [{ prompt_tokens: Number.MAX_SAFE_INTEGER, completion_tokens: 2.7 }, { outputTokens: 2 }],
  ])("usage %j: what is not counted is absent, never 0", async (usage, expected) => {
    const { usage: found } = await messageOf(delta({ content: "x" }, "stop"), {
      choices: [],
      usage: { completion_tokens: 2, ...usage },
    });
    const base = "completion_tokens" in usage ? {} : { outputTokens: 2 };
    expect(found ?? {}).toEqual({ ...base, ...expected });
  });

  test("the end mark without a finish completes an answer that has something, and only that", async () => {
    expect((await messageOf(delta({ content: "x" }))).finish).toBe("stop");
    expect(await decode("data: [DONE]\n\n")).toEqual([]);
  });

  test.each([
    ["zero bytes", ""],
    ["only comments", ": ping\n\n: ping\n\n"],
    ["only blanks", "\n\n   \n"],
    ["empty objects", "data: {}\n\ndata: {}\n\n"],
    ["empty deltas", sse(delta({}), delta({ content: "" }), delta({ content: null }))],
    ["a cut object", '{"choices":[{"mess'],
  ])("B03 B17 %s: no event at all", async (_name, body) => {
    expect(await decode(body)).toEqual([]);
  });

  test("a stream that is cut says neither finish nor error", async () => {
    const events = await decode(`${sse(delta({ content: "one" }))}data: {"choices":[{"delta":{"content":"tw`);
    expect(events).toEqual([{ type: "text", text: "one" }]);
  });

  test("only the first of several choices is read", async () => {
    const chunk = {
      choices: [
        { index: 1, delta: { content: "B" } },
        { index: 0, delta: { content: "A" } },
      ],
    };
    expect(textOf(await messageOf(chunk, finish("stop")))).toBe("A");
  });
});

describe("errors inside a 200 answer", () => {
  const errorOf = async (body: string): Promise<unknown> => (await decode(body)).at(-1);

  test.each([
    [
      "B02 names of exceptions",
      sse(
        {
          choices: null,
          error_type: "BadRequestError",
          error_message: "maximum context length is 9000 tokens, got 9400",
        },
        "[DONE]",
      ),
      { kind: "overflow", status: 400, contextWindow: 9_000 },
    ],
    [
      "B02 an error with a code",
      sse({ error: { code: 400, message: "bad thing" } }),
      { kind: "invalid_request", status: 400, message: "bad thing" },
    ],
    [
      "with choices beside it",
      sse({ error: { code: 502, message: "gone" }, choices: [{ delta: { content: "" }, finish_reason: "error" }] }),
      { kind: "server", status: 502 },
    ],
    [
      "inside the choice",
      sse({ choices: [{ error: { code: 429, message: "slow" }, finish_reason: "error" }] }),
      { kind: "rate_limit", status: 429 },
    ],
    ["as a text", sse({ error: "model is overloaded" }), { kind: "server", message: "model is overloaded" }],
    ["as an event", "event: error\ndata: it broke\n\n", { kind: "server", message: "it broke" }],
    [
      "an Anthropic type",
      sse({ type: "error", error: { type: "overloaded_error", message: "busy" } }),
      { kind: "overloaded" },
    ],
    ["vLLM's object", sse({ object: "error", message: "nope", code: 404 }), { kind: "invalid_request", status: 404 }],
    [
      "in one JSON object",
      JSON.stringify({ error: { message: "no", type: "authentication_error" } }),
      { kind: "auth" },
    ],
    ["masked", sse({ error: { code: 400, message: "password hunter2" } }), { message: "password «secret»" }],
  ])("%s", async (_name, body, expected) => {
    expect(await errorOf(body)).toMatchObject({ type: "error", error: expected });
  });

  test("an error ends the answer, whatever follows", async () => {
    const events = await decode(
      sse(delta({ content: "a" }), { error: { message: "x" } }, delta({ content: "b" }, "stop"), "[DONE]"),
    );
    expect(events.map((event) => event.type)).toEqual(["text", "error"]);
  });

  test("error: null is none", async () => {
    expect(
      textOf(await messageOf({ error: null, choices: [{ delta: { content: "a" }, finish_reason: "stop" }] })),
    ).toBe("a");
  });

  test("a page says what came instead of an answer", async () => {
    expect(await errorOf("\n<!DOCTYPE html><title>x")).toMatchObject({ type: "error", error: { kind: "protocol" } });
  });
});

describe("one object where a stream was asked for", () => {
  test("blanks before it keep the connection open and mean nothing", async () => {
    const body = `\n         \n\n  ${JSON.stringify({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] })}`;
    for (const sizes of [[], [1], [5, 2]]) {
      expect(textOf(assembleAnswer(await decode(body, sizes), target).message)).toBe("hi");
    }
  });
});

describe("anything at all", () => {
  const shapes: readonly unknown[] = [
    null,
    1,
    "x",
    [],
    {},
    { choices: 1 },
    { choices: [null] },
    { choices: [{ delta: 5 }] },
    { choices: [{ delta: { content: 5 } }] },
    { choices: [{ delta: { content: [null, 1, {}] } }] },
    { choices: [{ delta: { tool_calls: 1 } }] },
    { choices: [{ delta: { tool_calls: [null, 1, {}, { function: 1 }, { index: "a", function: {} }] } }] },
    { choices: [{ delta: { function_call: [] } }] },
    { choices: [{ finish_reason: 5 }] },
    { usage: [] },
    { usage: 5 },
    { choices: [{ delta: { reasoning_details: 7 } }] },
    { choices: [{ delta: { reasoning: {} } }] },
    { error: [] },
    { error: {} },
  ];
  test.each(shapes.map((shape) => [JSON.stringify(shape), shape] as const))("%s does no harm", async (_text, shape) => {
    expect(textOf(await messageOf(shape, delta({ content: "fine" }, "stop")))).toMatch(/^(fine)?$/);
    await decode(JSON.stringify(shape));
  });

  test("property: no bytes make it throw", async () => {
    await assert(
      asyncProperty(
        array(string({ unit: "binary", maxLength: 40 }), { maxLength: 8 }),
        integer({ min: 1, max: 9 }),
        async (pieces, size) => {
          await decode(sse(...pieces), [size]);
          await decode(pieces.join(""), [size]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
