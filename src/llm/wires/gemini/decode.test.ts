import { array, assert, asyncProperty, integer, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { assembleAnswer } from "../../assemble.ts";
import { NO_CREDENTIAL } from "../../credential.ts";
import type { WireEvent } from "../../event.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "../../message.ts";
import { createGeminiWire } from "./gemini.ts";
import { signedData, type Signed } from "./opaque.ts";

const wire = createGeminiWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });
const target = {
  provider: "p",
  model: "gemini-3-pro",
  baseUrl: "http://127.0.0.1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

const decode = (body: string | Uint8Array, sizes: readonly number[] = []): Promise<WireEvent[]> =>
  collect(wire.decode(cutBody(body, sizes), { target, contentType: "" }));

type Fields = Readonly<Record<string, unknown>>;

const sse = (...chunks: readonly unknown[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");

const chunk = (parts: readonly Fields[], more: Fields = {}, top: Fields = {}): Fields => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  ...top,
});
const over = (finishReason: unknown, more: Fields = {}): Fields => chunk([{ text: "" }], { finishReason, ...more });
const fn = (functionCall: Fields, thoughtSignature?: string): Fields => ({
  functionCall,
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});

const assembled = async (...chunks: readonly unknown[]): Promise<AssistantMessage> =>
  assembleAnswer(await decode(sse(...chunks)), target).message;
const lastOf = async (...chunks: readonly unknown[]): Promise<WireEvent | undefined> =>
  (await decode(sse(...chunks))).at(-1);

const opaque = (data: unknown): Fields => ({
  type: "opaque",
  wire: "gemini",
  provider: "p",
  model: "gemini-3-pro",
  data,
});
const signed = (of: Signed["of"], text: string, signature: string): Fields => opaque(signedData(of, text, signature));
const call = (id: string, name: string, args: string): Fields => ({ type: "tool_call", id, name, arguments: args });

const counted = {
  usageMetadata: {
    promptTokenCount: 40,
    toolUsePromptTokenCount: 10,
    cachedContentTokenCount: 30,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 4,
    totalTokenCount: 59,
  },
};
const code = { executableCode: { language: "PYTHON", code: "1+1" }, thoughtSignature: "s0" };
const whole = [
  chunk([{ text: "one ", thought: true }]),
  chunk([{ text: "日🦜", thought: true }, code]),
  chunk([{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }]),
  chunk([{ text: "so " }], {}, { usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 1 } }),
  chunk([{ text: "日🦜", thoughtSignature: "s1" }]),
  chunk([{ text: "!" }]),
  chunk([fn({ id: "a", name: "tool_a", args: { x: 1.5, 日: ["🦜"] } }, "s2"), fn({ id: "b", name: "tool_b" })]),
  chunk([{ text: "", thoughtSignature: "s3" }], { finishReason: "STOP" }, counted),
];
const wholeMessage = {
  role: "assistant",
  provider: "p",
  model: "gemini-3-pro",
  finish: "tool_calls",
  usage: { inputTokens: 50, outputTokens: 9, cacheReadTokens: 30, reasoningTokens: 4 },
  parts: [
    { type: "reasoning", text: "one 日🦜" },
    opaque({ part: "verbatim", value: code }),
    opaque({ part: "verbatim", value: { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } } }),
    { type: "text", text: "so 日🦜" },
    signed("text", "日🦜", "s1"),
    { type: "text", text: "!" },
    call("a", "tool_a", '{"x":1.5,"日":["🦜"]}'),
    signed("call", '{"x":1.5,"日":["🦜"]}', "s2"),
    call("b", "tool_b", ""),
    signed("text", "", "s3"),
  ],
};

describe("an answer", () => {
  test("B05 B06 B09 thoughts, code, text, calls and their signatures in their order, cut at any byte", async () => {
    const lines = sse(...whole);
    for (const body of [lines, lines.replaceAll("\n", "\r\n"), lines.replaceAll("\n", "\r")]) {
      for (const sizes of [[], [1], [2, 3], [7, 1, 64]]) {
        expect(assembleAnswer(await decode(body, sizes), target).message).toEqual(wholeMessage);
      }
    }
  });

  test("as a list of chunks, wrapped by Code Assist, and in one object", async () => {
    const wrapped = whole.map((response) => ({ response, traceId: "t" }));
    const parts = whole.flatMap(
      ({ candidates }) => (candidates as { content: { parts: Fields[] } }[])[0]?.content.parts ?? [],
    );
    const bodies = [
      JSON.stringify(whole, null, 2),
      JSON.stringify(wrapped),
      sse(...wrapped),
      sse(whole),
      JSON.stringify(chunk(parts, { finishReason: "STOP" }, counted)),
    ];
    for (const body of bodies) {
      expect(assembleAnswer(await decode(body, [5]), target).message).toEqual(wholeMessage);
    }
  });

  test("property: any text and arguments come out as they went in, at every cut", async () => {
    const words = string({ unit: "grapheme", maxLength: 30 });
    await assert(
      asyncProperty(
        array(words, { maxLength: 4 }),
        words,
        array(integer({ min: 1, max: 40 })),
        async (texts, arg, sizes) => {
          const chunks = [
            ...texts.map((text) => chunk([{ text }])),
            chunk([fn({ id: "c", name: "t", args: { [arg]: arg } })], { finishReason: "STOP" }),
          ];
          const events = await decode(sse(...chunks), sizes);
          expect(events).toEqual(await decode(sse(...chunks)));
          const { message } = assembleAnswer(events, target);
          expect(textOf(message)).toBe(texts.join(""));
          expect(toolCallsOf(message).map((one) => JSON.parse(one.arguments) as unknown)).toEqual([{ [arg]: arg }]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each([
    ["STOP", "stop"],
    [1, "stop"],
    ["MAX_TOKENS", "length"],
    [2, "length"],
    ["SOMETHING_NEW", "stop"],
    ["OTHER", "stop"],
  ])("%s means %s", async (reason, finish) => {
    expect((await assembled(chunk([{ text: "x" }]), over(reason))).finish).toBe(finish);
  });

  test("finished at once with a finish reason, cut without one", async () => {
    expect(await decode(sse(over("STOP")))).toEqual([{ type: "finish", reason: "stop" }]);
    expect(await decode(sse(chunk([{ text: "x" }])))).toEqual([{ type: "text", text: "x" }]);
    expect(await lastOf(chunk([{ text: "x" }], { finishReason: "FINISH_REASON_UNSPECIFIED" }))).toMatchObject({
      text: "x",
    });
    const [unfinished] = [JSON.stringify(chunk([{ text: "x" }]))];
    expect((await decode(unfinished)).at(-1)).toEqual({ type: "finish", reason: "stop" });
    expect(await decode(`${sse(chunk([{ text: "x" }]))}data: [DONE]\n\n`)).toHaveLength(2);
  });

  test("models that say with every chunk that they are finished: the last word counts", async () => {
    const message = await assembled(
      chunk([{ text: "x" }], { finishReason: "STOP" }),
      chunk([fn({ name: "t", args: {} })], { finishReason: "STOP" }),
    );
    expect(message).toMatchObject({ finish: "tool_calls", parts: [{ text: "x" }, { name: "t" }] });
  });

  test("only the first of several answers is read, and media are named", async () => {
    const message = await assembled({
      candidates: [
        { index: 1, content: { parts: [{ text: "no" }] } },
        {
          index: 0,
          content: { parts: [{ inlineData: { mimeType: "image/png", data: "QUJD" } }] },
          finishReason: "STOP",
        },
      ],
    });
    expect(textOf(message)).toBe("[the model answered with image/png, which is not kept]");
    expect(message.finish).toBe("stop");
  });

  test("B04 usage in a chunk of its own, before or behind the finish", async () => {
    const usage = { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1 } };
    for (const order of [
      [over("STOP"), usage],
      [usage, over("STOP")],
    ]) {
      expect(await assembled(chunk([{ text: "OK" }]), ...order)).toMatchObject({
        finish: "stop",
        usage: { inputTokens: 7, outputTokens: 1 },
        parts: [{ text: "OK" }],
      });
    }
  });

  test("B03 B17 nothing comes of what holds nothing", async () => {
    const pings = `: ping\n\n${sse({}, chunk([]), chunk([{ text: "" }]), { candidates: [] }, { usageMetadata: {} }, null, 7, [])}`;
    for (const body of ["", pings, "data: [DONE]\n\n", "{}", "[]", "[{", '{"candidates":[{"con']) {
      expect(await decode(body), body).toEqual([]);
    }
  });

  test("a page is no answer", async () => {
    expect(await decode("<html></html>")).toMatchObject([{ type: "error", error: { kind: "protocol" } }]);
  });

  test("anything at all is read without a throw", async () => {
    const odd: unknown[] = [
      { candidates: "x" },
      { candidates: [null, 3, { content: [], finishReason: {} }] },
      chunk([{ functionCall: 3 }, { text: 5 }, { functionCall: { name: 4, args: [] } }]),
      { promptFeedback: "x", usageMetadata: { promptTokenCount: "7", thoughtsTokenCount: -1 } },
      chunk([fn({ name: "t", willContinue: true, partialArgs: [3, {}, { jsonPath: "x", stringValue: "v" }] })]),
    ];
    expect((await decode(sse(...odd))).every(({ type }) => type !== "error")).toBe(true);
    expect((await decode(new Uint8Array([0x64, 0xff, 0xfe, 0x0a]))).length).toBe(0);
  });
});

describe("calls", () => {
  test("B01 each has an index and an id of its own, whatever ids are sent", async () => {
    const parts = [
      fn({ id: "k", name: "save", args: { p: "x" } }),
      fn({ id: "k", name: "save", args: { p: "y" } }),
      fn({ name: "save", args: { p: "z" } }),
      fn({ name: "save", args: { p: "z" } }),
      fn({ id: "bad id\n", name: "save", args: {} }),
    ];
    const events = await decode(sse(chunk(parts), over("STOP")));
    const starts = events.filter((event) => event.type === "tool_call");
    expect(starts.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(starts.map(({ id }) => id)).size).toBe(5);
    expect(starts[0]?.id).toBe("k");
    expect(starts.every(({ id }) => /^[\x21-\x7e]+$/.test(id))).toBe(true);
    expect(toolCallsOf(assembleAnswer(events, target).message).map((one) => one.arguments)).toEqual([
      '{"p":"x"}',
      '{"p":"y"}',
      '{"p":"z"}',
      '{"p":"z"}',
      "{}",
    ]);
  });

  test("an event that comes twice is one call", async () => {
    const twice = chunk([fn({ id: "k", name: "save", args: { p: "x" } }, "s")]);
    expect(toolCallsOf(await assembled(twice, twice, over("STOP")))).toHaveLength(1);
  });

  test("10 MB of arguments", async () => {
    const args = { content: "x".repeat(10_000_000) };
    const [only] = toolCallsOf(await assembled(chunk([fn({ name: "w", args })], { finishReason: "STOP" })));
    expect(only?.arguments.length).toBe(JSON.stringify(args).length);
  });

  const open = (name: string, signature?: string): Fields => chunk([fn({ name, willContinue: true }, signature)]);
  const piece = (...partialArgs: readonly Fields[]): Fields => chunk([fn({ partialArgs, willContinue: true })]);
  const shut = chunk([fn({})]);

  test("whose arguments come a value at a time", async () => {
    const message = await assembled(
      open("write", "s1"),
      piece({ jsonPath: "$.a.b[0].text", stringValue: "日", willContinue: true }),
      piece(
        { jsonPath: "$.a.b[0].text", stringValue: "🦜", willContinue: true },
        { jsonPath: "$.a.b[0].text", stringValue: "" },
      ),
      piece({ jsonPath: "$.a.b[1].text", stringValue: "two" }, { jsonPath: "$.a.n", numberValue: 0.5 }),
      piece({ jsonPath: "$['odd key']", boolValue: true }, { jsonPath: '$["__proto__"]', nullValue: "NULL_VALUE" }),
      shut,
      open("none"),
      shut,
      over("STOP"),
    );
    const text = '{"a":{"b":[{"text":"日🦜"},{"text":"two"}],"n":0.5},"odd key":true,"__proto__":null}';
    expect(message).toMatchObject({
      finish: "tool_calls",
      parts: [{ name: "write", arguments: text }, signed("call", text, "s1"), { name: "none", arguments: "" }],
    });
  });

  test("the next call, or the finish, ends one whose own end is missing", async () => {
    const message = await assembled(
      open("one"),
      piece({ jsonPath: "$.id", stringValue: "A" }),
      open("two"),
      piece({ jsonPath: "$.id", stringValue: "B" }),
      over("STOP"),
    );
    expect(toolCallsOf(message).map(({ name, arguments: args }) => [name, args])).toEqual([
      ["one", '{"id":"A"}'],
      ["two", '{"id":"B"}'],
    ]);
  });

  test.each([
    ["the limit of the answer", [over("MAX_TOKENS")]],
    ["the end of the stream", []],
  ])("B07 cut by %s, the arguments are kept and cannot be taken for whole", async (_name, rest) => {
    const message = await assembled(open("write_file"), piece({ jsonPath: "$.path", stringValue: "n.txt" }), ...rest);
    expect(toolCallsOf(message)[0]?.arguments).toBe('{"path":"n.txt"');
    expect(toolCallsOf(await assembled(open("write_file"), ...rest))[0]?.arguments).toBe("{");
  });

  test("values that fit nowhere are left out, and a far place makes no list of that length", async () => {
    const message = await assembled(
      open("t"),
      piece(
        { jsonPath: "$.list[4000000000]", stringValue: "x" },
        { jsonPath: "$", stringValue: "x" },
        { jsonPath: "$..a", stringValue: "x" },
        { jsonPath: "$.ok", stringValue: "y" },
      ),
      shut,
      over("STOP"),
    );
    expect(toolCallsOf(message)[0]?.arguments).toBe('{"list":[],"ok":"y"}');
  });
});

describe("an answer that is none", () => {
  test.each(["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "LANGUAGE", 3, 8])(
    "B11 %s is a refusal, with its text where given",
    async (finishReason) => {
      const silent = await assembled({ candidates: [{ content: {}, finishReason }] });
      expect(silent).toMatchObject({
        finish: "refusal",
        refusal: expect.stringMatching(/\(.+\)/) as string,
        parts: [],
      });
      const told = await assembled(chunk([{ text: "half" }]), over(finishReason, { finishMessage: "Not this." }));
      expect(told).toMatchObject({ finish: "refusal", refusal: "Not this.", parts: [{ text: "half" }] });
    },
  );

  test("B11 a blocked prompt is a refusal", async () => {
    const promptFeedback = { blockReason: "MODEL_ARMOR", blockReasonMessage: "The prompt violated filters." };
    expect(await assembled({ promptFeedback, usageMetadata: { promptTokenCount: 3 } })).toMatchObject({
      finish: "refusal",
      refusal: "The prompt violated filters.",
      usage: { inputTokens: 3 },
    });
    expect(await assembled({ promptFeedback: { blockReason: "OTHER" } })).toMatchObject({
      finish: "refusal",
      refusal: "the provider blocked the request (OTHER)",
    });
  });

  test.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", 10])(
    "%s may pass: an error to try again after",
    async (reason) => {
      const last = await lastOf(chunk([{ text: "x" }]), over(reason, { finishMessage: "Malformed: hunter2" }));
      expect(last).toMatchObject({
        type: "error",
        error: { kind: "server", message: expect.stringContaining("Malformed: «secret»") as string },
      });
    },
  );

  test.each([
    [{ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }, "overloaded"],
    [{ error: { status: "UNAUTHENTICATED", message: "no" } }, "auth"],
    [{ error: { code: 429, message: "billing details", status: "RESOURCE_EXHAUSTED" } }, "rate_limit"],
    [
      {
        error: {
          code: 400,
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        },
      },
      "overflow",
    ],
    [{ error_type: "BadRequestError", error_message: "maximum context length is 9000 tokens, got 9400" }, "overflow"],
    [{ error: { code: 418, message: "odd" } }, "invalid_request"],
    [{ error: {} }, "server"],
    [{ candidates: null, error: "gone" }, "server"],
  ])("B02 %j inside a 200 is %s", async (error, kind) => {
    for (const body of [sse(chunk([{ text: "x" }]), error, chunk([{ text: "y" }])), JSON.stringify([error])]) {
      expect((await decode(body)).at(-1)).toMatchObject({ type: "error", error: { kind } });
    }
    expect((await decode(sse({ response: error }))).at(-1)).toMatchObject({ error: { kind } });
  });
});
