import { describe, expect, test } from "vitest";
import { assembleAnswer } from "../../assemble.ts";
import type { WireEvent } from "../../event.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "../../message.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
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
import { createResponsesWire } from "./responses.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

const wire = createResponsesWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });
const target = {
  provider: "p",
  model: "m",
  baseUrl: "http://127.0.0.1/v1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

const decode = (body: string | Uint8Array, sizes: readonly number[] = []): Promise<WireEvent[]> =>
  collect(wire.decode(cutBody(body, sizes), { target, contentType: "" }));

const messageOf = async (...events: readonly unknown[]): Promise<AssistantMessage> =>
  assembleAnswer(await decode(sse(...events)), target).message;

const callsIn = (message: AssistantMessage): string[][] =>
  toolCallsOf(message).map((call) => [call.id, call.name, call.arguments]);

describe("B08 an end that repeats nothing", () => {
  const streamed = [
    created,
    added(0, call("f1", "")),
    piece("function_call_arguments", 0, '{"p":'),
    piece("function_call_arguments", 0, '"x"}'),
    done(0, call("f1", '{"p":"x"}')),
  ];

  test.each([
    ["null", { output: null }],
    ["empty", { output: [] }],
    ["missing", {}],
    ["whole", { output: [call("f1", '{"p":"x"}')] }],
    ["whole with another item id", { output: [call("f1", '{"p":"x"}', { id: "fc_other" })] }],
  ])("output %s: the call once", async (_name, response) => {
    const answer = await messageOf(...streamed, completed(response));
    expect(callsIn(answer)).toEqual([["f1", "save", '{"p":"x"}']]);
    expect(answer.finish).toBe("tool_calls");
  });

  test("a stream of text alone keeps its text", async () => {
    const answer = await messageOf(created, added(0, message("")), piece("output_text", 0, "hello"), completed());
    expect([textOf(answer), answer.finish]).toEqual(["hello", "stop"]);
  });

  test("an end that names the message by another id and place repeats it no less", async () => {
    const answer = await messageOf(
      done(0, reasoning()),
      done(1, message("hello")),
      completed({ output: [message("hello", { id: "msg_other" })] }),
    );
    expect(textOf(answer)).toBe("hello");
  });

  test("items that only the end names are taken from it, after what was streamed", async () => {
    const answer = await messageOf(
      ...streamed,
      completed({ output: [message("also"), call("f1", '{"p":"x"}'), call("f2", "{}")] }),
    );
    expect(callsIn(answer)).toEqual([
      ["f1", "save", '{"p":"x"}'],
      ["f2", "save", "{}"],
    ]);
    expect(textOf(answer)).toBe("also");
  });

  test("an end alone is a whole answer", async () => {
    const answer = await messageOf(completed({ output: [message("hello"), call("f1", "{}")] }));
    expect([textOf(answer), callsIn(answer)]).toEqual(["hello", [["f1", "save", "{}"]]]);
  });
});

describe("tool calls", () => {
  test("interleaved pieces are sorted by index, or by id alone", async () => {
    const byIndex = [
      added(0, call("a", "")),
      added(1, call("b", "")),
      piece("function_call_arguments", 1, '{"n":2'),
      piece("function_call_arguments", 0, '{"n":1'),
      piece("function_call_arguments", 1, "}"),
      piece("function_call_arguments", 0, "}"),
    ];
    const byId = byIndex.map((event) => {
      const { output_index: index, ...rest } = event as { output_index: number };
      return { ...rest, item_id: `fc_${"ab"[index]}` };
    });
    for (const events of [byIndex, byId]) {
      expect(callsIn(await messageOf(...events, completed()))).toEqual([
        ["a", "save", '{"n":1}'],
        ["b", "save", '{"n":2}'],
      ]);
    }
  });

  test("B01 two calls under one index stay two", async () => {
    const events = [
      added(0, call("a", "")),
      piece("function_call_arguments", 0, '{"p":"x"}'),
      added(0, call("b", "")),
      piece("function_call_arguments", 0, '{"p":"y"}'),
    ];
    expect(callsIn(await messageOf(...events, completed()))).toEqual([
      ["a", "save", '{"p":"x"}'],
      ["b", "save", '{"p":"y"}'],
    ]);
  });

  test("two calls with one id get two ids, each with its own index", async () => {
    const events = await decode(sse(done(0, call("same", '{"n":1}')), done(1, call("same", '{"n":2}')), completed()));
    const calls = events.flatMap((event) => (event.type === "tool_call" ? [event] : []));
    expect(calls.map(({ index }) => index)).toEqual([0, 1]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(calls[0]?.id).toBe("same");
    expect(callsIn(assembleAnswer(events, target).message).map(([, , args]) => args)).toEqual(['{"n":1}', '{"n":2}']);
  });

  test("every event twice, pieces aside, changes nothing", async () => {
    const item = call("a", '{"p":"x"}');
    const whole = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"p":"x"}' };
    const events = [added(0, call("a", "")), piece("function_call_arguments", 0, '{"p":"x"}'), whole, done(0, item)];
    const twice = events.flatMap((event) => (JSON.stringify(event).includes(".delta") ? [event] : [event, event]));
    const answer = await messageOf(created, created, ...twice, completed({ output: [item] }), completed());
    expect(callsIn(answer)).toEqual([["a", "save", '{"p":"x"}']]);
  });

  test("whole arguments without pieces, as an object, and calls without a name, or an id that can be sent back", async () => {
    const answer = await messageOf(
      done(0, call("a", { x: 1 })),
      { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"y":2}' },
      done(1, call("b", '{"y":2}')),
      done(2, { type: "function_call", arguments: "{}" }),
      done(3, call("no provider\ntakes this back", "{}")),
      completed(),
    );
    const calls = callsIn(answer);
    expect(calls.slice(0, 2)).toEqual([
      ["a", "save", '{"x":1}'],
      ["b", "save", '{"y":2}'],
    ]);
    const given: unknown = expect.stringMatching(/^call_[0-9a-f]{18}$/);
    expect(calls.slice(2)).toEqual([
      [given, "save", "{}"],
      [given, "unnamed", "{}"],
    ]);
  });

  test("B07 arguments that the limit cut are kept as they came", async () => {
    const cut = '{"path":"n.txt","content":"line one\\nli';
    const answer = await messageOf(added(0, call("w", "")), piece("function_call_arguments", 0, cut), {
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [call("w", cut)] },
    });
    expect([answer.finish, callsIn(answer)]).toEqual(["length", [["w", "save", cut]]]);
  });

  test("10 MB of arguments in pieces arrive once", async () => {
    const part = "x".repeat(1_000_000);
    const pieces = Array.from({ length: 10 }, () => piece("function_call_arguments", 0, part));
    const whole = part.repeat(10);
    const body = sse(added(0, call("big", "")), ...pieces, done(0, call("big", whole)), completed());
    const answer = assembleAnswer(await decode(body, [65_536]), target).message;
    expect(callsIn(answer)[0]?.[2]).toHaveLength(10_000_000);
  });

  test("the provider's own tools are none of ours", async () => {
    const answer = await messageOf(
      done(0, { type: "web_search_call", id: "ws", status: "completed" }),
      done(1, { type: "mcp_call", name: "x", arguments: "{}" }),
      done(2, message("found")),
      completed({ output: [{ type: "web_search_call", id: "ws" }, { type: "mcp_call" }, message("found")] }),
    );
    expect(answer.parts).toEqual([{ type: "text", text: "found" }]);
  });
});

describe("B09 reasoning", () => {
  const opaque = (data: object): object => ({
    type: "opaque",
    wire: "codex_responses",
    provider: "p",
    model: "m",
    data,
  });
  const encrypted = (value: string): object => opaque({ item: "reasoning", encrypted: value });

  test("encrypted items stand between the calls where they stood", async () => {
    const answer = await messageOf(
      done(0, reasoning({ id: "rs_1", summary: [{ type: "summary_text", text: "first" }], encrypted_content: "E1" })),
      done(1, call("a", "{}")),
      done(2, reasoning({ id: "rs_2", encrypted_content: "E2" })),
      done(3, call("b", "{}")),
      completed(),
    );
    expect(answer.parts).toEqual([
      { type: "reasoning", text: "first" },
      encrypted("E1"),
      { type: "tool_call", id: "a", name: "save", arguments: "{}" },
      encrypted("E2"),
      { type: "tool_call", id: "b", name: "save", arguments: "{}" },
    ]);
  });

  test("what counts is the encrypted form of the finished item", async () => {
    const answer = await messageOf(
      added(0, reasoning({ encrypted_content: "EARLY" })),
      done(0, reasoning({ encrypted_content: "LATE" })),
      done(1, message("x")),
      completed({ output: [reasoning({ encrypted_content: "LATE" }), message("x")] }),
    );
    expect(answer.parts).toEqual([encrypted("LATE"), { type: "text", text: "x" }]);
  });

  test("parts of a summary are paragraphs; whole parts add nothing to their pieces", async () => {
    const answer = await messageOf(
      added(0, reasoning()),
      { ...piece("reasoning_summary_text", 0, "on"), summary_index: 0 },
      { ...piece("reasoning_summary_text", 0, "e"), summary_index: 0 },
      { type: "response.reasoning_summary_text.done", output_index: 0, summary_index: 0, text: "one" },
      { ...piece("reasoning_summary_text", 0, "two"), summary_index: 1 },
      done(0, reasoning({ summary: [{ text: "one" }, { text: "two" }] })),
      done(1, message("x")),
      completed(),
    );
    expect(answer.parts[0]).toEqual({ type: "reasoning", text: "one\n\ntwo" });
  });

  test("reasoning with its summary beside it is told once", async () => {
    const answer = await messageOf(
      added(0, reasoning()),
      { ...piece("reasoning_text", 0, "hm"), content_index: 0 },
      done(0, reasoning({ content: [{ type: "reasoning_text", text: "hm" }], summary: [{ text: "in short: hm" }] })),
      done(1, message("x")),
      completed(),
    );
    expect(answer.parts[0]).toEqual({ type: "reasoning", text: "hm" });
  });

  test("the phase of a message stands before it; the next message is a paragraph of its own", async () => {
    const answer = await messageOf(
      added(0, message("", { id: "m1", phase: "commentary" })),
      piece("output_text", 0, "I look."),
      added(1, message("", { id: "m2", phase: "final_answer" })),
      piece("output_text", 1, "Done."),
      completed(),
    );
    expect(answer.parts).toEqual([
      opaque({ item: "message", phase: "commentary" }),
      { type: "text", text: "I look.\n\n" },
      opaque({ item: "message", phase: "final_answer" }),
      { type: "text", text: "Done." },
    ]);
  });
});

describe("the end of an answer", () => {
  const incomplete = (details: unknown): unknown => ({
    type: "response.incomplete",
    response: { status: "incomplete", incomplete_details: details },
  });

  test.each([
    ["max_output_tokens", incomplete({ reason: "max_output_tokens" }), "length"],
    ["content_filter", incomplete({ reason: "content_filter" }), "refusal"],
    ["a reason of another name", incomplete({ reason: "max_tool_calls" }), "length"],
    ["no reason", incomplete(null), "length"],
    ["completed", completed(), "stop"],
    ["completed with a status of its own", completed({ status: "incomplete" }), "length"],
    ["without a response", { type: "response.completed" }, "stop"],
  ])("%s", async (_name, ending, finish) => {
    expect((await messageOf(done(0, message("x")), ending)).finish).toBe(finish);
  });

  test.each([
    ["in pieces", [piece("refusal", 0, "can"), piece("refusal", 0, "not")]],
    ["whole", [done(0, { type: "message", content: [{ type: "refusal", refusal: "cannot" }] })]],
    [
      "in pieces and whole",
      [piece("refusal", 0, "cannot"), { type: "response.refusal.done", output_index: 0, refusal: "cannot" }],
    ],
  ])("B11 a refusal %s", async (_name, events) => {
    const answer = await messageOf(added(0, message("", { content: [] })), ...events, completed());
    expect([answer.finish, answer.refusal, textOf(answer)]).toEqual(["refusal", "cannot", ""]);
  });

  test.each([
    [
      { input_tokens: 7, output_tokens: 1, input_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 } },
      { inputTokens: 7, outputTokens: 1, cacheReadTokens: 5, cacheWriteTokens: 2 },
    ],
    [
      { output_tokens: 3, output_tokens_details: { reasoning_tokens: 0 } },
      { outputTokens: 3, reasoningTokens: 0 },
    ],
    [{ input_tokens: "seven", output_tokens: -1 }, undefined],
    [null, undefined],
  ])("usage %j: what is not counted is absent, never 0", async (usage, expected) => {
    expect((await messageOf(done(0, message("x")), completed({ usage }))).usage).toEqual(expected);
  });

  test("the end mark of another format completes an answer that has something, and only that", async () => {
    const body = `${sse(added(0, message("")), piece("output_text", 0, "x"))}data: [DONE]\n\n`;
    expect(assembleAnswer(await decode(body), target).message.finish).toBe("stop");
    expect(await decode("data: [DONE]\n\n")).toEqual([]);
  });

  test.each([
    ["zero bytes", ""],
    ["only comments", ": ping\n\n: ping\n\n"],
    ["only blanks", "\n\n   \n"],
    ["empty objects", "data: {}\n\ndata: {}\n\n"],
    ["only keep-alives", sse({ type: "keepalive" }, { type: "ping" }, created, { type: "response.in_progress" })],
    ["empty pieces", sse(added(0, message("", { content: [] })), piece("output_text", 0, ""))],
    ["a cut object", '{"output":[{"type":"mess'],
    ["an answer that is still being worked on", JSON.stringify({ status: "queued", output: [] })],
  ])("B03 B17 %s: no event at all", async (_name, body) => {
    expect(await decode(body)).toEqual([]);
  });

  test("a stream that is cut at any byte says neither finish nor error, and its text is a beginning", async () => {
    const body = new TextEncoder().encode(
      sse(
        created,
        added(0, message("")),
        piece("output_text", 0, "日🦜 one"),
        added(1, call("a", "")),
        piece("function_call_arguments", 1, "{}"),
      ),
    );
    for (let end = 0; end <= body.length; end += 1) {
      const events = await decode(body.subarray(0, end));
      expect(
        events.some((event) => event.type === "finish" || event.type === "error"),
        `cut at ${end}`,
      ).toBe(false);
      expect("日🦜 one".startsWith(textOf(assembleAnswer(events, target).message)), `cut at ${end}`).toBe(true);
    }
  });

  test("what follows the end is not read", async () => {
    const answer = await messageOf(done(0, message("x")), completed(), piece("output_text", 1, "y"), {
      type: "error",
      message: "late",
    });
    expect([textOf(answer), answer.finish]).toEqual(["x", "stop"]);
  });

  test("one object where a stream was asked for, with blanks before it", async () => {
    const response = { object: "response", status: "completed", output: [reasoning(), message("hi"), call("a", "{}")] };
    for (const sizes of [[], [1], [5, 2]]) {
      const answer = assembleAnswer(await decode(`\n    \n ${JSON.stringify(response)}`, sizes), target).message;
      expect([textOf(answer), answer.finish, callsIn(answer)]).toEqual(["hi", "tool_calls", [["a", "save", "{}"]]]);
    }
  });
});
