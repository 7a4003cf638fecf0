import { expect, test } from "vitest";
import { faultsAs, publishedMessages } from "../../../testing/published/protobuf-faults.ts";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { keyCredential } from "../../credential.ts";
import type { Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import type { WireTarget } from "../wire.ts";
import { createGeminiWire } from "./gemini.ts";
import { opaquePart, signedData } from "./opaque.ts";

/** Holds what is encoded against the vendor's own description of a request, a protobuf descriptor read as its JSON form. */
const published = publishedMessages();
const present = published !== undefined;

const wire = createGeminiWire({ redact: (text) => text });
const base: WireTarget = {
  provider: "p",
  model: "gemini-3-pro",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  credential: keyCredential("k"),
  quirks: {},
  stream: true,
};
const SIGNATURE = "c2lnbmF0dXJl";
const sealed = (of: "text" | "thought" | "call", value: string) => {
  const data = signedData(of, value, SIGNATURE);
  if (data === undefined) throw new Error("not well-formed");
  return opaquePart(base, data);
};
const code = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: SIGNATURE };
const messages: readonly Message[] = [
  assistant([text("first")]),
  { ...user("look", image, { ...image, mediaType: "image/tiff" }), contextLine: "ctx" },
  assistant([
    reasoning("hm"),
    sealed("thought", "hm"),
    opaquePart(base, { part: "verbatim", value: code }),
    call("fc:1|a", '{"x":1', "bad.name"),
    text("so it is"),
    sealed("text", " it is"),
    call("fc:1|a", "", ""),
    sealed("call", ""),
    sealed("text", ""),
  ]),
  result("fc:1|a", [text("")], "error"),
  result("fc:1|a", [text("see"), image]),
  result("gone", []),
  assistant([call("b")], { provider: "q" }),
  user(),
];
const request: LlmRequest = {
  system: "sys",
  messages,
  tools: [{ name: "t", description: "d", parameters: { type: "object", properties: { a: { type: "string" } } } }],
  temperature: 0.5,
  maxOutputTokens: 4_000,
  reasoningEffort: "high",
};

const cases: readonly (readonly [string, WireTarget["quirks"], Partial<LlmRequest>])[] = [
  ["a model that does not think", {}, {}],
  ["a budget", { googleThinking: { by: "budget", least: 1, most: 24_576, canBeOff: true } }, {}],
  [
    "a level",
    { googleThinking: { by: "level", levels: ["low", "high"] }, signedCalls: true, imagesInResults: true },
    {},
  ],
  ["bare", {}, { system: "", tools: [] }],
];

test.skipIf(!present).each(cases)(
  `a request with everything follows the vendor's description: %s${present ? "" : " (skipped: ../shared is not here)"}`,
  (...[, quirks, changes]) => {
    const check = (body: unknown): string[] => faultsAs(body, "GenerateContentRequest", published ?? {});
    const { body: sent } = wire.encode({ ...request, ...changes }, { ...base, quirks }, () => "QUJD");
    const body = JSON.parse(sent) as Record<string, unknown>;
    expect(check(body)).toEqual([]);
    // The check itself bites.
    expect(check({ ...body, extra: 1 })).toEqual(["$.extra: unknown"]);
    expect(check({ ...body, contents: undefined })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ text: 1 }] }] })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ text: "x", inlineData: {} }] }] })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ functionResponse: { name: "t" } }] }] })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ text: "", thoughtSignature: "no base64!" }] }] })).not.toEqual([]);
  },
);
