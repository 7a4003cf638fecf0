import { array, assert, constantFrom, integer, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import type { AssistantPart, Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { REASONING_FILLER } from "../replayed-call.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf, opaquePart } from "./opaque.ts";
import { keyCredential } from "../../credential.ts";

const wire = createAnthropicMessagesWire({ redact: (text) => text });

const targetOf = (changes: Partial<WireTarget> = {}): WireTarget => ({
  provider: "p",
  model: "m",
  baseUrl: "https://host/",
  credential: keyCredential("k"),
  quirks: { promptCache: "automatic" },
  stream: true,
  ...changes,
});
const marking = targetOf({ quirks: {} });

const requestOf = (messages: readonly Message[]): LlmRequest => ({ system: "sys", messages, tools: [] });

const signed = (value: string, signature: string | undefined = `sig(${value})`): AssistantPart =>
  opaquePart(targetOf(), {
    block: "thinking",
    ...(signature === "" ? {} : { signature }),
    textSha256: digestOf(value),
  });

interface WireMessage {
  readonly role: string;
  readonly content: readonly Record<string, unknown>[];
}

const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);

const bodyOf = (request: LlmRequest, target = targetOf()): Record<string, unknown> =>
  JSON.parse(wire.encode(request, target, images).body) as Record<string, unknown>;

/** The blocks of one assistant message after a user's. */
const blocksOf = (parts: readonly AssistantPart[], target = targetOf()): readonly Record<string, unknown>[] =>
  (bodyOf(requestOf([user("x"), assistant(parts)]), target).messages as WireMessage[])[1]?.content ?? [];

describe("B09 thinking sent back", () => {
  const thinking = (value: string, signature = `sig(${value})`) => ({ type: "thinking", thinking: value, signature });

  test("interleaved with calls: the same blocks in the same order", () => {
    const redacted = { type: "redacted_thinking", data: "EN==" };
    const parts = [
      reasoning("one"),
      signed("one"),
      call("a"),
      opaquePart(targetOf(), { block: "verbatim", value: redacted }),
      reasoning("two\n"),
      signed("two\n"),
      text("so"),
      call("b"),
    ];
    expect(blocksOf(parts)).toEqual([
      thinking("one"),
      expect.objectContaining({ type: "tool_use", id: "a" }),
      redacted,
      thinking("two\n"),
      text("so"),
      expect.objectContaining({ type: "tool_use", id: "b" }),
    ]);
  });

  test("two in a row, and one whose text the provider keeps to itself", () => {
    const parts = [reasoning("one"), signed("one"), reasoning("two"), signed("two"), signed("", "hidden"), call("a")];
    expect(blocksOf(parts).slice(0, 3)).toEqual([thinking("one"), thinking("two"), thinking("", "hidden")]);
  });

  test.each([
    ["a text that was masked since", [reasoning("my «secret:x:1234»"), signed("my key"), call("a")]],
    ["a text that is gone", [signed("my key"), call("a")]],
    ["no signature", [reasoning("r"), signed("r", ""), call("a")]],
    ["an answer that was cut before it was signed", [reasoning("r"), call("a")]],
  ])("never under a stale signature: %s", (_name, parts) => {
    expect(blocksOf(parts).map(({ type }) => type)).toEqual(["tool_use"]);
  });

  test.each([
    ["another provider", { provider: "q" }],
    ["another model", { model: "n" }],
    ["another wire", { wire: "chat_completions" as const }],
    ["data of another shape", { data: { signature: "sig" } }],
  ])("%s gets none of it, and neither do others get what is its own", (_name, changes) => {
    const redacted = opaquePart(targetOf(), { block: "verbatim", value: { type: "redacted_thinking", data: "EN" } });
    const foreign = [signed("r"), redacted].map((part) => ({ ...part, ...changes }));
    expect(JSON.stringify(blocksOf([reasoning("r"), ...foreign, call("a")]))).not.toMatch(/sig|EN|thinking/);
  });

  test("B10 a provider that wants the reasoning of tool turns gets it unsigned, or the filler", () => {
    const wants = targetOf({ quirks: { replaysReasoning: true } });
    const unsigned = (value: string) => ({ type: "thinking", thinking: value });
    expect(blocksOf([reasoning("r"), call("a")], wants)[0]).toEqual(unsigned("r"));
    expect(blocksOf([reasoning("masked"), signed("r"), call("a")], wants)[0]).toEqual(unsigned("masked"));
    expect(blocksOf([reasoning("r"), signed("r"), call("a")], wants)[0]).toEqual(thinking("r"));
    expect(blocksOf([call("a")], wants)[0]).toEqual(unsigned(REASONING_FILLER));
    expect(blocksOf([reasoning("r"), text("t")], wants)).toEqual([text("t")]);
  });
});

describe("R-PROMPT-3 bytes and marks", () => {
  const CACHED = { type: "ephemeral" };
  const markedIn = (messages: readonly WireMessage[]): number[] =>
    messages.flatMap(({ content }, at) => (content.some((block) => "cache_control" in block) ? [at] : []));

  test("compat 4.3: four marks, on the system text and the last three user messages", () => {
    const history = [
      user("1"),
      assistant([call("a")]),
      result("a", [image]),
      assistant([text("2")]),
      user("3"),
      assistant([call("b"), call("c")]),
      result("b", []),
      result("c", []),
    ];
    const body = bodyOf(requestOf(history), marking);
    const messages = body.messages as WireMessage[];
    expect(markedIn(messages)).toEqual([2, 4, 6]);
    expect(messages[6]?.content.map((block) => block.cache_control)).toEqual([undefined, CACHED]);
    expect(body.system).toEqual([{ ...text("sys"), cache_control: CACHED }]);
    expect(body).not.toHaveProperty("cache_control");
  });

  test("where the API moves the mark itself the messages hold none", () => {
    const body = bodyOf(requestOf([user("1"), assistant([text("2")]), user("3")]));
    expect(markedIn(body.messages as WireMessage[])).toEqual([]);
    expect(body.cache_control).toEqual(CACHED);
  });

  const words = string({ unit: "grapheme", maxLength: 20 });
  const turn = record({
    kind: constantFrom("plain", "tool", "image", "masked"),
    value: words,
    args: words,
    count: integer({ min: 1, max: 3 }),
    id: constantFrom("c", "ü:"),
  }).map(({ kind, value, args, count, id }): readonly Message[] => {
    const ids = Array.from({ length: count }, (_, at) => `${id}${at}`);
    if (kind === "plain") return [user(value), assistant([text(value)], { finish: "stop" })];
    return [
      user(value, ...(kind === "image" ? [image] : [])),
      assistant([
        reasoning(value),
        signed(kind === "masked" ? `${value}!` : value),
        ...ids.map((one) => call(one, args)),
      ]),
      ...ids.map((one) => result(one, kind === "image" ? [image] : [text(value)])),
    ];
  });

  test("property: the same request is the same bytes; a longer one begins with the shorter one's, marks apart", () => {
    const withoutMarks = (body: string): string => body.replaceAll(',"cache_control":{"type":"ephemeral"}', "");
    const messagesText = (body: string): string => body.slice(body.indexOf('"messages":'), -1);
    assert(
      property(array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const encoded = (count: number, target: WireTarget): string =>
          messagesText(wire.encode(requestOf(turns.slice(0, count).flat()), target, images).body);
        const whole = requestOf(turns.flat());
        for (const target of [targetOf(), marking]) {
          const { body } = wire.encode(whole, target, images);
          expect(wire.encode(structuredClone(whole), target, images).body).toBe(body);
          JSON.parse(body);
        }
        for (let kept = 1; kept < turns.length; kept += 1) {
          expect(encoded(turns.length, targetOf()).startsWith(encoded(kept, targetOf()).slice(0, -1))).toBe(true);
          const marked = withoutMarks(encoded(kept, marking)).slice(0, -1);
          expect(withoutMarks(encoded(turns.length, marking)).startsWith(marked)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
