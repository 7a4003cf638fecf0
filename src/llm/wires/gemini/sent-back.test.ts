import { array, assert, constantFrom, integer, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { keyCredential } from "../../credential.ts";
import type { AssistantPart, Message, OpaquePart } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createGeminiWire } from "./gemini.ts";
import { opaquePart, signedData, type Signed } from "./opaque.ts";

const wire = createGeminiWire({ redact: (text) => text });

const targetOf = (changes: Partial<WireTarget> = {}): WireTarget => ({
  provider: "p",
  model: "gemini-3-pro",
  baseUrl: "https://host",
  credential: keyCredential("k"),
  quirks: { signedCalls: true, imagesInResults: true },
  stream: true,
  ...changes,
});
const older = targetOf({ quirks: {} });
const SKIP = "skip_thought_signature_validator";

const requestOf = (messages: readonly Message[]): LlmRequest => ({
  system: "sys",
  messages,
  tools: [{ name: "t", description: "d", parameters: { type: "object" } }],
});
const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);

const signed = (of: Signed["of"], value: string, signature = `sig(${value})`): OpaquePart => {
  const data = signedData(of, value, signature);
  if (data === undefined) throw new Error("not well-formed");
  return opaquePart(targetOf(), data);
};
const verbatim = (value: Record<string, unknown>): OpaquePart => opaquePart(targetOf(), { part: "verbatim", value });

type Fields = Record<string, unknown>;
const partsOf = (parts: readonly AssistantPart[], target = targetOf()): readonly Fields[] => {
  const body = JSON.parse(wire.encode(requestOf([user("x"), assistant(parts)]), target).body) as {
    contents: { parts: Fields[] }[];
  };
  return body.contents[1]?.parts ?? [];
};
const called = (id: string, args: object, thoughtSignature?: string): Fields => ({
  functionCall: { id, name: "t", args },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});

describe("B09 signatures sent back", () => {
  test("on the very parts that they came on", () => {
    const code = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "c" };
    const parts = [
      reasoning("unsigned, then signed"),
      signed("thought", "signed"),
      verbatim(code),
      text("so it is"),
      signed("text", " it is"),
      text("!"),
      call("a", '{"n": 1.0}'),
      signed("call", '{"n": 1.0}'),
      call("b"),
      signed("text", "", "end"),
    ];
    expect(partsOf(parts)).toEqual([
      { text: "signed", thought: true, thoughtSignature: "sig(signed)" },
      code,
      { text: "so" },
      { text: " it is", thoughtSignature: "sig( it is)" },
      { text: "!" },
      called("a", { n: 1 }, 'sig({"n": 1.0})'),
      called("b", {}),
      { text: "", thoughtSignature: "end" },
    ]);
  });

  test.each([
    ["a text", [text("my «secret:x:1234»"), signed("text", "my key")], [{ text: "my «secret:x:1234»" }]],
    ["a thought", [reasoning("my «m»"), signed("thought", "my key"), text("x")], [{ text: "x" }]],
    ["a text that is gone", [signed("text", "my key"), text("x")], [{ text: "x" }]],
    ["another kind of part", [reasoning("same"), signed("text", "same"), text("x")], [{ text: "x" }]],
    ["arguments", [call("a", '{"k":"«m»"}'), signed("call", '{"k":"key"}')], [called("a", { k: "«m»" }, SKIP)]],
  ])("never over what was changed since: %s", (_name, parts, expected) => {
    expect(partsOf(parts)).toEqual(expected);
  });

  test("the later models get a placeholder on the first call that has none; the older ones nothing", () => {
    const foreign = [reasoning("r"), text("t"), call("a"), call("b")];
    expect(partsOf(foreign)).toEqual([{ text: "t" }, called("a", {}, SKIP), called("b", {})]);
    expect(partsOf(foreign, older)).toEqual([{ text: "t" }, called("a", {}), called("b", {})]);
    expect(partsOf([call("a"), signed("call", "{}", "s"), call("b")])).toEqual([called("a", {}, "s"), called("b", {})]);
  });

  test.each([
    ["another provider", { provider: "q" }],
    ["another family of models", { model: "gemini-2.5-pro" }],
    ["a later version", { model: "gemini-3.1-pro" }],
    ["a model of no version", { model: "gemini-pro-latest" }],
    ["another wire", { wire: "chat_completions" as const }],
    ["data of another shape", { data: { signature: "sig" } }],
  ])("%s: none of it", (_name, changes) => {
    const own = [signed("text", "", "sig"), verbatim({ toolCall: { id: "sig" } })];
    const foreign = own.map((part): AssistantPart => ({ ...part, ...changes }));
    expect(partsOf([text("x"), ...foreign, call("a")])).toEqual([{ text: "x" }, called("a", {}, SKIP)]);
  });

  test("models of one version read each other's", () => {
    const parts = [call("a"), signed("call", "{}", "s")];
    for (const model of ["gemini-3-flash-preview", "models/gemini-3-pro-preview"]) {
      expect(partsOf(parts, targetOf({ model }))).toEqual([called("a", {}, "s")]);
    }
  });

  test("a signature alone is no answer", () => {
    expect(partsOf([signed("text", "", "s")])).toEqual([{ text: "", thoughtSignature: "s" }, { text: "(no answer)" }]);
  });
});

describe("R-PROMPT-3 bytes", () => {
  const words = string({ unit: "grapheme", maxLength: 20 });
  const turn = record({
    kind: constantFrom("plain", "tool", "image", "masked", "foreign"),
    value: words,
    args: words,
    count: integer({ min: 1, max: 3 }),
    id: constantFrom("c", "ü:"),
  }).map(({ kind, value, args, count, id }): readonly Message[] => {
    const ids = Array.from({ length: count }, (_, at) => `${id}${at}`);
    const sealed = kind === "masked" ? `${value}!` : value;
    if (kind === "plain") return [user(value), assistant([text(value), signed("text", sealed)], { finish: "stop" })];
    const calls = ids.flatMap((one) => [call(one, args), ...(kind === "foreign" ? [] : [signed("call", args)])]);
    return [
      user(value, ...(kind === "image" ? [image] : [])),
      assistant([reasoning(value), signed("thought", sealed), ...calls]),
      ...ids.map((one) => result(one, kind === "image" ? [image] : [text(value)])),
    ];
  });

  const contentsText = (body: string): string => body.slice(body.indexOf('"contents":'), -1);
  const fixedText = (body: string): string => body.slice(0, body.indexOf('"contents":'));

  test("property: the same request is the same bytes; a longer one begins with the shorter one's", () => {
    assert(
      property(array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        for (const target of [targetOf(), older]) {
          const encoded = (count: number): string =>
            wire.encode(requestOf(turns.slice(0, count).flat()), target, images).body;
          const whole = encoded(turns.length);
          expect(wire.encode(structuredClone(requestOf(turns.flat())), target, images).body).toBe(whole);
          JSON.parse(whole);
          for (let kept = 1; kept < turns.length; kept += 1) {
            expect(contentsText(whole).startsWith(contentsText(encoded(kept)).slice(0, -1))).toBe(true);
            expect(fixedText(encoded(kept))).toBe(fixedText(whole));
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
