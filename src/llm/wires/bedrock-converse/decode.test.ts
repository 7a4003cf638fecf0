import { array, assert, asyncProperty, constantFrom, integer, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { converseBody, converseEvent, converseException, streamMessage } from "../../../testing/event-stream.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { assembleAnswer } from "../../assemble.ts";
import { NO_CREDENTIAL } from "../../credential.ts";
import type { WireEvent } from "../../event.ts";
import { createBedrockConverseWire } from "./bedrock-converse.ts";
import { digestOf } from "./opaque.ts";

const wire = createBedrockConverseWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });
const target = {
  provider: "bedrock",
  model: "m",
  baseUrl: "http://127.0.0.1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

const decode = (body: Uint8Array | string, sizes: readonly number[] = []): Promise<WireEvent[]> =>
  collect(wire.decode(cutBody(body, sizes), { target, contentType: "text/x" }));

const errorOf = (events: readonly WireEvent[]): unknown => {
  const last = events.at(-1);
  return last?.type === "error" ? last.error : last;
};

const begin = { messageStart: { role: "assistant" } };
const delta = (index: number, fields: object) => ({ contentBlockDelta: { contentBlockIndex: index, delta: fields } });
const said = (text: string, index = 0) => delta(index, { text });
const thought = (fields: object, index = 0) => delta(index, { reasoningContent: fields });
const start = (toolUseId: string | undefined, name: string, index = 0) => ({
  contentBlockStart: { contentBlockIndex: index, start: { toolUse: { toolUseId, name } } },
});
const args = (input: string, index = 0) => delta(index, { toolUse: { input } });
const stop = (index = 0) => ({ contentBlockStop: { contentBlockIndex: index } });
const over = (stopReason: string) => ({ messageStop: { stopReason } });
const usage = { metadata: { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } } };
const kept = (data: object): WireEvent => ({
  type: "opaque",
  part: { type: "opaque", wire: "bedrock_converse", provider: "bedrock", model: "m", data },
});
const signed = (text: string, signature: string): WireEvent =>
  kept({ block: "reasoning", signature, textSha256: digestOf(text) });

describe("a streamed answer", () => {
  const body = converseBody(
    begin,
    thought({ text: "look " }),
    thought({ text: "first" }),
    thought({ signature: "S1" }),
    thought({ signature: "==" }),
    stop(),
    said("Reading 日🦜.", 1),
    stop(1),
    start("t1", "read_file", 2),
    args('{"path":', 2),
    args('"a"}', 2),
    stop(2),
    start("t2", "list", 3),
    stop(3),
    over("tool_use"),
    usage,
  );
  const events: readonly WireEvent[] = [
    { type: "reasoning", text: "look " },
    { type: "reasoning", text: "first" },
    signed("look first", "S1=="),
    { type: "text", text: "Reading 日🦜." },
    { type: "tool_call", index: 0, id: "t1", name: "read_file" },
    { type: "tool_arguments", index: 0, delta: '{"path":' },
    { type: "tool_arguments", index: 0, delta: '"a"}' },
    { type: "tool_call", index: 1, id: "t2", name: "list" },
    { type: "finish", reason: "tool_calls" },
    { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
  ];

  test("reasoning with its signature, text, calls with and without arguments, the end, the count", async () => {
    expect(await decode(body)).toEqual(events);
  });

  test("B05 the same events whatever the cuts", async () => {
    await assert(
      asyncProperty(array(integer({ min: 1, max: 90 }), { minLength: 1 }), async (sizes) => {
        expect(await decode(body, sizes)).toEqual(events);
      }),
    );
  });

  test("the count includes what the cache held, and comes before the end with some servers", async () => {
    const counted = {
      metadata: {
        usage: {
          inputTokens: 3,
          outputTokens: 2,
          cacheReadInputTokens: 100,
          cacheWriteInputTokens: 20,
          totalTokens: 125,
        },
      },
    };
    expect((await decode(converseBody(begin, said("x"), counted, over("end_turn")))).slice(1)).toEqual([
      {
        type: "usage",
        usage: { inputTokens: 123, outputTokens: 2, cacheReadTokens: 100, cacheWriteTokens: 20 },
      },
      { type: "finish", reason: "stop" },
    ]);
  });

  test("B01 two calls under one index are two calls; one announced twice is one", async () => {
    const twice = [start("a", "x"), args('{"n":1}'), start("b", "y"), args('{"n":2}')];
    const { message } = assembleAnswer(await decode(converseBody(begin, ...twice, over("tool_use"))), target);
    expect(message.parts).toEqual([
      { type: "tool_call", id: "a", name: "x", arguments: '{"n":1}' },
      { type: "tool_call", id: "b", name: "y", arguments: '{"n":2}' },
    ]);
    const again = await decode(converseBody(begin, start("a", "x"), start("a", "x"), args("{}"), over("tool_use")));
    expect(again.filter(({ type }) => type === "tool_call")).toHaveLength(1);
  });

  test("B01 calls without ids, or with one that was used, get ids of their own", async () => {
    const calls = [start(undefined, "x", 0), start("a", "y", 1), start("a", "z", 2), start("b\n", "w", 3)];
    const ids = (await decode(converseBody(...calls, over("tool_use")))).flatMap((event) =>
      event.type === "tool_call" ? [event.id] : [],
    );
    expect(new Set(ids).size).toBe(4);
    expect(ids[1]).toBe("a");
    expect(ids.every((id) => /^[\x21-\x7e]+$/.test(id))).toBe(true);
  });

  test("redacted reasoning and what the provider's own tools did are kept for it alone, and are no calls of ours", async () => {
    const own = { toolUseId: "s1", name: "nova_code_interpreter", type: "server_tool_use" };
    const answer = { toolUseId: "s1", status: "success", type: "nova_code_interpreter_result" };
    const decoded = await decode(
      converseBody(
        thought({ redactedContent: "QUJD" }),
        stop(),
        { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: own } } },
        args('{"snippet":', 1),
        args('"1"}', 1),
        stop(1),
        { contentBlockStart: { contentBlockIndex: 2, start: { toolResult: answer } } },
        delta(2, { toolResult: [{ json: { out: 1 } }] }),
        stop(2),
        said("1", 3),
        over("end_turn"),
      ),
    );
    expect(decoded).toEqual([
      kept({ block: "verbatim", value: { reasoningContent: { redactedContent: "QUJD" } } }),
      kept({ block: "verbatim", value: { toolUse: { ...own, input: { snippet: "1" } } } }),
      kept({ block: "verbatim", value: { toolResult: { ...answer, content: [{ json: { out: 1 } }] } } }),
      { type: "text", text: "1" },
      { type: "finish", reason: "stop" },
    ]);
  });

  test("blocks that nobody ends are complete when the next begins, and at the end", async () => {
    expect(await decode(converseBody(thought({ text: "a", signature: "S" }), said("b", 1), over("end_turn")))).toEqual([
      { type: "reasoning", text: "a" },
      signed("a", "S"),
      { type: "text", text: "b" },
      { type: "finish", reason: "stop" },
    ]);
    expect((await decode(converseBody(thought({ text: "a", signature: "S" }), over("max_tokens")))).slice(1)).toEqual([
      signed("a", "S"),
      { type: "finish", reason: "length" },
    ]);
  });

  test("B17 empty pieces are no progress, and bytes that are no UTF-8 cost a character", async () => {
    const empty = [said(""), thought({ text: "" }, 1), start("a", "x", 2), args("", 2), { newEvent: { p: "abc" } }];
    expect((await decode(converseBody(begin, ...empty))).map(({ type }) => type)).toEqual(["tool_call"]);
    const headers = { ":event-type": "contentBlockDelta", ":message-type": "event" };
    const payload = Buffer.from('{"contentBlockIndex":0,"delta":{"text":"a?b"}}');
    payload[payload.indexOf("?")] = 0xff;
    expect(await decode(streamMessage(headers, payload))).toEqual([{ type: "text", text: "a\ufffdb" }]);
  });

  test("ten megabytes of arguments in small pieces", async () => {
    const piece = "x".repeat(1_000);
    const pieces = Array.from({ length: 10_000 }, () => args(piece));
    const body = converseBody(start("a", "write"), args('{"c":"'), ...pieces, args('"}'), over("tool_use"));
    const { message } = assembleAnswer(await decode(body, [16_000]), target);
    expect(message.parts[0]).toMatchObject({ arguments: `{"c":"${piece.repeat(10_000)}"}` });
  });

  test("B07 arguments that the limit cut off stay as they are, and the answer is cut", async () => {
    const { message, finish } = assembleAnswer(
      await decode(converseBody(start("a", "write"), args('{"path": "x", "conte'), over("max_tokens"))),
      target,
    );
    expect(message.parts).toEqual([{ type: "tool_call", id: "a", name: "write", arguments: '{"path": "x", "conte' }]);
    expect(finish).toBe("length");
  });
});

describe("ends", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "refusal"],
    ["content_filtered", "refusal"],
    ["something_new", "stop"],
    // Named so by some servers without a call.
    ["tool_use", "stop"],
  ])("%s after text is %s", async (reason, finish) => {
    expect(await decode(converseBody(said("x"), over(reason)))).toEqual([
      { type: "text", text: "x" },
      { type: "finish", reason: finish },
    ]);
  });

  test("a call beside end_turn is a call", async () => {
    expect((await decode(converseBody(start("a", "x"), over("end_turn")))).at(-1)).toEqual({
      type: "finish",
      reason: "tool_calls",
    });
  });

  test("B11 a refusal without a word says who refused", async () => {
    expect(await decode(converseBody(begin, over("guardrail_intervened")))).toEqual([
      { type: "refusal", text: expect.stringContaining("guardrail") as string },
      { type: "finish", reason: "refusal" },
    ]);
  });

  test("a window that was full before a word came is an overflow", async () => {
    expect(errorOf(await decode(converseBody(begin, over("model_context_window_exceeded"))))).toMatchObject({
      kind: "overflow",
    });
  });

  test.each(["malformed_tool_use", "malformed_model_output"])(
    "%s is a fault that another attempt may cure",
    async (end) => {
      expect(errorOf(await decode(converseBody(said("x"), over(end))))).toMatchObject({
        kind: "server",
        message: expect.stringContaining(end) as string,
      });
    },
  );

  test("an answer begun anew in the middle is a fault, and so is nothing at all", async () => {
    expect(errorOf(await decode(converseBody(begin, said("x"), begin, said("y"))))).toMatchObject({ kind: "server" });
    expect(await decode("")).toEqual([]);
    expect(await decode(converseBody(begin))).toEqual([]);
  });

  test("nothing is read from what follows the end", async () => {
    const after = Buffer.concat([converseBody(said("x"), over("end_turn"), usage), converseBody(said("y"), begin)]);
    expect((await decode(after)).filter(({ type }) => type === "text")).toHaveLength(1);
  });
});

describe("B02 faults inside a 200", () => {
  const afterText = (message: Uint8Array): Promise<WireEvent[]> =>
    decode(Buffer.concat([converseBody(begin, said("x")), message, converseEvent(over("end_turn"))]));

  test.each([
    ["throttlingException", "Too many tokens, please wait before trying again.", "rate_limit"],
    ["serviceUnavailableException", "Bedrock is unable to process your request.", "overloaded"],
    ["internalServerException", "The system encountered an unexpected error.", "server"],
    ["modelStreamErrorException", "The model has unexpectedly stopped.", "server"],
    ["validationException", "Input is too long for requested model.", "overflow"],
    ["validationException", "messages.1.content: must not be empty", "invalid_request"],
    ["accessDeniedException", "You don't have access to the model with the specified model ID.", "model_not_found"],
  ])("%s: %s", async (name, words, kind) => {
    const events = await afterText(converseException(name, words));
    expect(events).toHaveLength(2);
    expect(errorOf(events)).toMatchObject({ kind, message: expect.stringContaining(words) as string });
  });

  test("the words of the model behind an exception, and one whose words are no JSON; secrets are masked", async () => {
    const headers = { ":message-type": "exception", ":exception-type": "modelStreamErrorException" };
    const told = JSON.stringify({ message: "failed", originalStatusCode: 500, originalMessage: "out of luck hunter2" });
    expect(errorOf(await afterText(streamMessage(headers, told)))).toMatchObject({
      message: "failed: out of luck «secret»",
    });
    expect(errorOf(await afterText(streamMessage(headers, "plain words")))).toMatchObject({ message: "plain words" });
  });

  test("an error message of the stream itself", async () => {
    const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "broke" };
    expect(errorOf(await afterText(streamMessage(headers, "")))).toMatchObject({ kind: "server", message: "broke" });
  });

  test("damage on the way is a network fault, with what came before it kept", async () => {
    const broken = Uint8Array.from(converseEvent(said("y")));
    broken[40] = (broken[40] ?? 0) ^ 1;
    const events = await afterText(broken);
    expect(events[0]).toEqual({ type: "text", text: "x" });
    expect(errorOf(events)).toMatchObject({ kind: "network", message: expect.stringContaining("checksum") as string });
  });

  test("damage behind the end costs nothing", async () => {
    const body = Buffer.concat([converseBody(said("x"), over("end_turn"), usage), Buffer.alloc(30, 0)]);
    expect((await decode(body)).map(({ type }) => type)).toEqual(["text", "finish", "usage"]);
  });
});

describe("answers that are no stream", () => {
  const whole = (content: readonly object[], stopReason = "end_turn") =>
    JSON.stringify({ output: { message: { role: "assistant", content } }, stopReason, usage: { inputTokens: 1 } });

  test("one object", async () => {
    const text = whole(
      [
        { reasoningContent: { reasoningText: { text: "hm", signature: "S" } } },
        { reasoningContent: { redactedContent: "QUI=" } },
        { text: "Hi" },
        { citationsContent: { content: [{ text: " there" }, { text: "." }], citations: [{}] } },
        { toolUse: { toolUseId: "a", name: "x", input: { n: 1 } } },
        { toolUse: { toolUseId: "b", name: "y", input: {} } },
      ],
      "tool_use",
    );
    expect(await decode(` \n${text}`, [5])).toEqual([
      { type: "reasoning", text: "hm" },
      signed("hm", "S"),
      kept({ block: "verbatim", value: { reasoningContent: { redactedContent: "QUI=" } } }),
      { type: "text", text: "Hi" },
      { type: "text", text: " there" },
      { type: "text", text: "." },
      { type: "tool_call", index: 0, id: "a", name: "x" },
      { type: "tool_arguments", index: 0, delta: '{"n":1}' },
      { type: "tool_call", index: 1, id: "b", name: "y" },
      { type: "usage", usage: { inputTokens: 1 } },
      { type: "finish", reason: "tool_calls" },
    ]);
  });

  test("an error in an object, a page, and words", async () => {
    expect(errorOf(await decode('{"error":{"message":"slow down","type":"throttlingException"}}'))).toMatchObject({
      kind: "rate_limit",
    });
    expect(errorOf(await decode("<html>hi</html>"))).toMatchObject({ kind: "protocol" });
    expect(await decode("upstream connect error")).toEqual([]);
  });

  test("nothing that a provider sends makes the wire throw, and every event is whole", async () => {
    const names = [
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockStop",
      "messageStop",
      "metadata",
    ];
    const values = [null, 1, "x", [], {}, { contentBlockIndex: "a" }, { contentBlockIndex: 0, start: { toolUse: 1 } }];
    const deltas = [{ text: 1 }, { reasoningContent: "x" }, { toolUse: { input: {} } }, { toolResult: "x" }, {}];
    const fields = [...values, ...deltas.map((value) => ({ contentBlockIndex: 0, delta: value }))];
    await assert(
      asyncProperty(
        array(constantFrom(...names.flatMap((name) => fields.map((value) => ({ [name]: value }))))),
        string(),
        async (sent, noise) => {
          const decoded = await decode(Buffer.concat([converseBody(...sent), Buffer.from(noise)]));
          for (const event of decoded) {
            if (event.type === "text" || event.type === "reasoning") expect(typeof event.text).toBe("string");
          }
        },
      ),
    );
  });
});
