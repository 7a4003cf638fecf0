import { describe, expect, test } from "vitest";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { keyCredential, NO_CREDENTIAL } from "../../credential.ts";
import type { Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { UNPARSED_ARGUMENTS } from "../replayed-call.ts";
import type { ImageLookup, ProviderQuirks, WireTarget } from "../wire.ts";
import { createGeminiWire } from "./gemini.ts";

const wire = createGeminiWire({ redact: (text) => text });

const targetOf = (changes: Partial<WireTarget> = {}): WireTarget => ({
  provider: "p",
  model: "m",
  baseUrl: "https://host/v1beta",
  credential: keyCredential("k"),
  quirks: {},
  stream: true,
  ...changes,
});

const requestOf = (messages: readonly Message[], changes: Partial<LlmRequest> = {}): LlmRequest => ({
  system: "sys",
  messages,
  tools: [],
  ...changes,
});

type Fields = Record<string, unknown>;
interface Content {
  readonly role: string;
  readonly parts: readonly Fields[];
}

const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);
const inlineData = { mimeType: "image/png", data: "QUJD" };

const bodyOf = (request: LlmRequest, target = targetOf()): Fields =>
  JSON.parse(wire.encode(request, target, images).body) as Fields;
const contentsOf = (messages: readonly Message[], target = targetOf()): readonly Content[] =>
  bodyOf(requestOf(messages), target).contents as Content[];

const answered = (id: string, response: object, name = "t"): Fields => ({ functionResponse: { id, name, response } });
const called = (id: string, args: object = {}, name = "t"): Fields => ({ functionCall: { id, name, args } });

describe("the request around the contents", () => {
  test("address, headers, members in a fixed order", () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object", properties: {}, $defs: {} } }];
    const request = requestOf([user("hi")], { tools, temperature: 0.5, maxOutputTokens: 9 });
    const encoded = wire.encode(request, targetOf());
    expect(encoded.url).toBe("https://host/v1beta/models/m:streamGenerateContent?alt=sse");
    expect(encoded.headers).toEqual({
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "x-goog-api-key": "k",
    });
    expect(encoded.body).toBe(
      '{"generationConfig":{"maxOutputTokens":9,"temperature":0.5},"systemInstruction":{"parts":[{"text":"sys"}]},' +
        '"tools":[{"functionDeclarations":[{"name":"t","description":"d",' +
        '"parametersJsonSchema":{"type":"object","properties":{},"$defs":{}}}]}],' +
        '"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
    );
    expect(wire.encode(requestOf([user("hi")], { system: " " }), targetOf()).body).toBe(
      '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
    );
  });

  test.each([
    ["https://h/v1beta", "m", "https://h/v1beta/models/m"],
    ["https://h/v1beta/", "models/m", "https://h/v1beta/models/m"],
    ["https://h", "m", "https://h/v1beta/models/m"],
    ["https://h/proxy/", "m", "https://h/proxy/v1beta/models/m"],
    ["https://h/v1", "m", "https://h/v1/models/m"],
    ["https://h/v1beta/models", "m", "https://h/v1beta/models/m"],
    ["https://h/v1beta/models/x:generateContent", "m", "https://h/v1beta/models/m"],
    ["https://h/v1beta", "tunedModels/mine", "https://h/v1beta/tunedModels/mine"],
    ["https://h/v1beta", "a b?x", "https://h/v1beta/models/a%20b%3Fx"],
    [
      "https://h/v1beta1/projects/p/locations/l/publishers/google",
      "m",
      "https://h/v1beta1/projects/p/locations/l/publishers/google/models/m",
    ],
  ])("%s with %s is %s", (baseUrl, model, expected) => {
    const urlOf = (stream: boolean): string =>
      wire.encode(requestOf([user("x")]), targetOf({ baseUrl, model, stream })).url;
    expect(urlOf(true)).toBe(`${expected}:streamGenerateContent?alt=sse`);
    expect(urlOf(false)).toBe(`${expected}:generateContent`);
  });

  test.each([
    ["no key", { credential: NO_CREDENTIAL }, {}],
    ["an ordinary key", { credential: keyCredential("AIza-x") }, { "x-goog-api-key": "AIza-x" }],
    ["a login's token", { credential: keyCredential("ya29.x") }, { authorization: "Bearer ya29.x" }],
    ["a provider that wants it so", { quirks: { bearerKey: true } }, { authorization: "Bearer k" }],
  ])("the key in one header: %s", (_name, changes, expected) => {
    const { url, headers, body } = wire.encode(requestOf([user("x")]), targetOf(changes));
    const { "content-type": _type, accept: _accept, ...rest } = headers;
    expect(rest).toEqual(expected);
    expect(url + body).not.toMatch(/AIza|ya29/);
  });

  test("members of one's own win", () => {
    const extraBody = { generationConfig: { topK: 4 }, safetySettings: [] };
    expect(bodyOf(requestOf([user("x")], { temperature: 1 }), targetOf({ extraBody }))).toMatchObject(extraBody);
  });

  test("Code Assist's envelope: the login's project stands in the body and in no header", () => {
    const credential = { kind: "key", value: "ya29.x", headers: { "x-login": "l" }, project: "proj-1" } as const;
    const target = targetOf({
      model: "models/gemini-3-pro",
      baseUrl: "https://cloudcode-pa.googleapis.com",
      credential,
      quirks: { cloudCode: true, bearerKey: true },
    });
    const encoded = wire.encode(requestOf([user("hi")]), target);
    expect(encoded.url).toBe("https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse");
    expect(encoded.headers).toMatchObject({ authorization: "Bearer ya29.x", "x-login": "l" });
    expect(JSON.stringify(encoded.headers)).not.toContain("proj-1");
    expect(encoded.body).toBe(
      '{"model":"gemini-3-pro","project":"proj-1","request":{"systemInstruction":{"parts":[{"text":"sys"}]},' +
        '"contents":[{"role":"user","parts":[{"text":"hi"}]}]}}',
    );
    const own = { ...target, baseUrl: "http://127.0.0.1:1/v1internal/", stream: false, extraBody: { project: "mine" } };
    expect(wire.encode(requestOf([user("hi")]), own).url).toBe("http://127.0.0.1:1/v1internal:generateContent");
    expect(bodyOf(requestOf([user("hi")]), own)).toMatchObject({ project: "mine" });
    const { project: _project, ...without } = credential;
    expect(bodyOf(requestOf([user("hi")]), { ...target, credential: without })).not.toHaveProperty("project");
  });
});

describe("thinking", () => {
  const pro = { by: "budget", least: 128, most: 32_768, canBeOff: false } as const;
  const flash = { by: "budget", least: 1, most: 24_576, canBeOff: true } as const;
  const lite = { ...flash, least: 512 } as const;
  const all = { by: "level", levels: ["minimal", "low", "medium", "high"] } as const;
  const two = { by: "level", levels: ["low", "high"] } as const;
  const three = { by: "level", levels: ["low", "medium", "high"] } as const;

  test.each([
    [undefined, "high", undefined, undefined],
    [flash, undefined, undefined, { includeThoughts: true }],
    [all, undefined, undefined, { includeThoughts: true }],
    [flash, "none", undefined, { includeThoughts: false, thinkingBudget: 0 }],
    [flash, "minimal", undefined, { includeThoughts: true, thinkingBudget: 1_024 }],
    [flash, "medium", undefined, { includeThoughts: true, thinkingBudget: 8_192 }],
    [flash, "xhigh", undefined, { includeThoughts: true, thinkingBudget: 24_576 }],
    [pro, "xhigh", undefined, { includeThoughts: true, thinkingBudget: 32_768 }],
    [pro, "none", undefined, { includeThoughts: false, thinkingBudget: 128 }],
    [pro, "high", 8_000, { includeThoughts: true, thinkingBudget: 4_000 }],
    [pro, "high", 100, { includeThoughts: true, thinkingBudget: 128 }],
    [lite, "high", 100, { includeThoughts: true, thinkingBudget: 0 }],
    [all, "none", undefined, { includeThoughts: false, thinkingLevel: "MINIMAL" }],
    [all, "minimal", undefined, { includeThoughts: true, thinkingLevel: "MINIMAL" }],
    [all, "xhigh", undefined, { includeThoughts: true, thinkingLevel: "HIGH" }],
    [two, "none", undefined, { includeThoughts: false, thinkingLevel: "LOW" }],
    [two, "minimal", undefined, { includeThoughts: true, thinkingLevel: "LOW" }],
    [two, "medium", undefined, { includeThoughts: true, thinkingLevel: "HIGH" }],
    [three, "medium", undefined, { includeThoughts: true, thinkingLevel: "MEDIUM" }],
  ] as const)("%j asked for %s within %s tokens", (...[googleThinking, reasoningEffort, maxOutputTokens, expected]) => {
    const quirks: ProviderQuirks = googleThinking === undefined ? {} : { googleThinking };
    const request = requestOf([user("x")], {
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    });
    const config = bodyOf(request, targetOf({ quirks })).generationConfig as Fields | undefined;
    expect(config?.thinkingConfig).toEqual(expected);
  });
});

describe("contents", () => {
  test("a user's words, images and context line", () => {
    const message = { ...user("look", image, " "), contextLine: "ctx" };
    expect(contentsOf([message, user()])).toEqual([
      { role: "user", parts: [text("look"), { inlineData }, text("ctx")].map(withoutType) },
      { role: "user", parts: [{ text: "(empty message)" }] },
    ]);
  });

  test("images that cannot be sent become notes", () => {
    const lost = { ...image, hash: "h2" };
    const gif = { ...image, mediaType: "image/gif" };
    expect(contentsOf([user(lost, gif)])[0]?.parts).toEqual([
      { text: "[an image (image/png) stood here; its bytes are gone]" },
      { text: "[an image (image/gif) stood here, of a kind that cannot be sent]" },
    ]);
  });

  test("results of parallel calls: one content, in the order of the calls, by their ids and names", () => {
    const messages = [
      user("x"),
      assistant([call("a", '{"n":1}', "one"), call("b", "", "two"), call("c")]),
      result("b", [text("B1"), text("B2")], "error"),
      result("a", [text(" ")]),
      user("y"),
    ];
    expect(contentsOf(messages).slice(1)).toEqual([
      { role: "model", parts: [called("a", { n: 1 }, "one"), called("b", {}, "two"), called("c")] },
      {
        role: "user",
        parts: [
          answered("a", { output: "(no output)" }, "one"),
          answered("b", { error: "B1\nB2" }, "two"),
          answered("c", { error: "(no result was recorded)" }),
        ],
      },
      { role: "user", parts: [{ text: "y" }] },
    ]);
  });

  test("images of results stand inside where the model reads them there, else behind the results", () => {
    const messages = [
      user("x"),
      assistant([call("a"), call("b")]),
      result("a", [text("see"), image]),
      result("b", [image]),
    ];
    const inside = contentsOf(messages, targetOf({ quirks: { imagesInResults: true } }));
    const holding = (id: string, output: string): Fields => ({
      functionResponse: { id, name: "t", response: { output }, parts: [{ inlineData }] },
    });
    expect(inside[2]?.parts).toEqual([holding("a", "see"), holding("b", "(the image follows)")]);
    expect(contentsOf(messages)[2]?.parts).toEqual([
      answered("a", { output: "see" }),
      answered("b", { output: "(the image follows)" }),
      { text: "Image from t (call a):" },
      { inlineData },
      { text: "Image from t (call b):" },
      { inlineData },
    ]);
    const lost = [...messages.slice(0, 2), result("a", [{ ...image, hash: "h2" }]), result("b", [])];
    expect(JSON.stringify(contentsOf(lost, targetOf({ quirks: { imagesInResults: true } }))[2])).toContain("are gone");
  });

  test("a result without its call, and a second one to the same call, are told", () => {
    const messages = [
      user("x"),
      result("z", [text("stray")]),
      assistant([call("a")]),
      result("a", []),
      result("a", [image]),
    ];
    expect(contentsOf(messages).map(({ role, parts }) => [role, parts])).toEqual([
      ["user", [{ text: "x" }]],
      ["user", [{ text: "[a result of t (call z) without its call]" }, { text: "stray" }]],
      ["model", [called("a")]],
      ["user", [answered("a", { output: "(no output)" })]],
      ["user", [{ text: "[a result of t (call a) without its call]" }, { inlineData }]],
    ]);
  });

  test("a conversation that begins with an answer, and answers in a row, keep the order that the API wants", () => {
    const messages = [assistant([text("one")]), assistant([call("a")]), assistant([text("two")]), user("x")];
    expect(contentsOf(messages)).toEqual([
      { role: "user", parts: [{ text: "(the conversation goes on)" }] },
      { role: "model", parts: [{ text: "one" }, called("a")] },
      { role: "user", parts: [answered("a", { error: "(no result was recorded)" })] },
      { role: "model", parts: [{ text: "two" }] },
      { role: "user", parts: [{ text: "x" }] },
    ]);
  });

  test.each([
    ["nothing", [], {}, "(no answer)"],
    ["blanks", [text(" \n")], {}, "(no answer)"],
    ["thoughts alone", [reasoning("r")], {}, "(no answer)"],
    ["a refusal", [], { refusal: "No." }, "No."],
    ["an interrupted answer", [], { finish: "interrupted" as const }, "(interrupted)"],
  ])("%s is sent as words", (...[, parts, changes, expected]) => {
    expect(contentsOf([user("x"), assistant(parts, changes)])[1]?.parts).toEqual([{ text: expected }]);
  });

  test("calls of other wires get ids and names that are legal, and each its own", () => {
    const odd = [
      user("x"),
      assistant([call("fc|1", "{}", "a b"), call("fc|1")]),
      result("fc|1", [text("1")]),
      result("fc|1", [text("2")]),
    ];
    const [, model, results] = contentsOf([...odd, ...odd.slice(1)]);
    const ids = model?.parts.map(({ functionCall }) => (functionCall as { id: string; name: string }).id) ?? [];
    expect(ids.every((id) => /^[\w-]+$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(2);
    expect(results?.parts).toEqual([
      answered(ids[0] ?? "", { output: "1" }, "a_b"),
      answered(ids[1] ?? "", { output: "2" }),
    ]);
    const all = contentsOf([...odd, ...odd.slice(1)]).flatMap(({ parts }) =>
      parts.flatMap((part) => part.functionCall ?? []),
    );
    expect(new Set(all.map((one) => (one as { id: string }).id)).size).toBe(4);
  });

  test("B07 arguments go back byte for byte, broken ones inside an object", () => {
    const body = wire.encode(
      requestOf([user("x"), assistant([call("a", '{"n":12345678901234567890, "f":1.0}')])]),
      targetOf(),
    ).body;
    expect(body).toContain('"args":{"n":12345678901234567890, "f":1.0}');
    const cut = contentsOf([user("x"), assistant([call("a", '{"path":"n.t')])])[1];
    expect(cut?.parts).toEqual([called("a", { [UNPARSED_ARGUMENTS]: '{"path":"n.t' })]);
  });

  test("lone surrogates reach no body", () => {
    const half = "a\ud83d";
    const messages = [user(half), assistant([text(half), call("a", `{"x":"${half}"}`)]), result("a", [text(half)])];
    const { body } = wire.encode(requestOf(messages, { system: half }), targetOf());
    expect(body).not.toMatch(/\\ud83d/i);
    expect(body.isWellFormed()).toBe(true);
  });
});

function withoutType(part: object): Fields {
  const { type: _type, ...rest } = part as { type?: string };
  return rest;
}
