import { array, assert, asyncProperty, integer, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { assembleAnswer } from "../../assemble.ts";
import type { WireEvent } from "../../event.ts";
import { textOf, type AssistantMessage } from "../../message.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { added, completed, created, done, message, piece, sse } from "../../../testing/responses-events.ts";
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

describe("B02 errors inside a 200 answer", () => {
  const failed = (error: unknown, more: object = {}): unknown => ({
    type: "response.failed",
    response: { status: "failed", error, ...more },
  });

  test.each([
    [
      "context_length_exceeded",
      failed({ code: "context_length_exceeded", message: "maximum context length is 9000 tokens, got 9400" }),
      { kind: "overflow", contextWindow: 9_000 },
    ],
    ["rate_limit_exceeded", failed({ code: "rate_limit_exceeded", message: "slow" }), { kind: "rate_limit" }],
    ["server_error", failed({ code: "server_error", message: "oops" }), { kind: "server", message: "oops" }],
    ["invalid_prompt", failed({ code: "invalid_prompt", message: "flagged" }), { kind: "policy" }],
    ["invalid_base64_image", failed({ code: "invalid_base64_image", message: "bad" }), { kind: "invalid_request" }],
    ["a code that is no code", failed({ code: "constructor", message: "x" }), { kind: "server" }],
    ["a failure without words", failed(null), { kind: "server" }],
    ["cancelled", { type: "response.cancelled", response: { status: "cancelled" } }, { kind: "server" }],
    [
      "an error event",
      { type: "error", code: "insufficient_quota", message: "You exceeded your current quota" },
      { kind: "billing" },
    ],
    [
      "an error event that holds an error",
      { type: "error", error: { type: "insufficient_quota", code: "insufficient_quota", message: "quota" } },
      { kind: "billing" },
    ],
    ["an error event without words", { type: "error", code: null }, { kind: "server" }],
    ["an error body", { error: { code: 400, message: "bad thing" } }, { kind: "invalid_request", status: 400 }],
    ["an end with an error in it", completed({ error: { code: "server_error", message: "x" } }), { kind: "server" }],
    ["masked", { type: "error", message: "password hunter2" }, { message: "password «secret»" }],
  ])("%s", async (_name, event, expected) => {
    const events = await decode(sse(created, event, completed()));
    expect(events).toEqual([{ type: "error", error: expect.objectContaining(expected) as unknown }]);
    if (!("type" in (event as object))) return;
    const whole = (event as { response?: object }).response ?? { error: event };
    expect((await decode(JSON.stringify(whole))).at(-1)).toMatchObject({ type: "error" });
  });

  test("an error ends the answer and keeps what had come", async () => {
    const events = await decode(
      sse(added(0, message("")), piece("output_text", 0, "a"), failed({ message: "x" }), piece("output_text", 0, "b")),
    );
    expect(events.map((event) => event.type)).toEqual(["text", "error"]);
  });

  test("words that are no JSON", async () => {
    expect(await decode("event: error\ndata: it broke\n\n")).toEqual([
      { type: "error", error: { kind: "server", message: "it broke" } },
    ]);
  });

  test("a page says what came instead of an answer", async () => {
    expect(await decode("\n<!DOCTYPE html><title>x")).toMatchObject([{ type: "error", error: { kind: "protocol" } }]);
  });
});

describe("anything at all", () => {
  const shapes: readonly unknown[] = [
    null,
    1,
    "x",
    [],
    { type: 5 },
    { type: "response.output_item.added" },
    { type: "response.output_item.added", item: 5 },
    { type: "response.output_item.done", output_index: "a", item: { type: "message", content: [null, 1, {}] } },
    { type: "response.output_item.done", item: { type: "reasoning", summary: 5, content: {}, encrypted_content: 5 } },
    { type: "response.output_text.delta" },
    { type: "response.output_text.delta", delta: 5, content_index: {} },
    { type: "response.function_call_arguments.delta", delta: [], output_index: 50 },
    { type: "response.some_new_event", item: { type: "message" } },
    { type: "constructor" },
    { type: "response.completed.twice", response: [] },
  ];
  test.each(shapes.map((shape) => [JSON.stringify(shape), shape] as const))("%s does no harm", async (_text, shape) => {
    const answer = await messageOf(
      shape,
      done(7, message("fine", { id: "last" })),
      completed({ output: [null, 5, {}] }),
    );
    expect(textOf(answer)).toBe("fine");
    await decode(JSON.stringify(shape));
  });

  test("bytes that are no UTF-8 are replaced, not fatal", async () => {
    const body = Buffer.concat([
      Buffer.from('data: {"type":"response.output_text.delta","delta":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(`b"}\n\n${sse(completed())}`),
    ]);
    expect(textOf(assembleAnswer(await decode(body), target).message)).toBe("a\ufffd\ufffdb");
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
