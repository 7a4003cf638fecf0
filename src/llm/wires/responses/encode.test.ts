import { array, assert, constantFrom, integer, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import type { AssistantMessage, AssistantPart, Message, ToolMessage, UserPart } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { REASONING_FILLER, UNPARSED_ARGUMENTS } from "../replayed-call.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createResponsesWire } from "./responses.ts";
import { keyCredential, NO_CREDENTIAL } from "../../credential.ts";

const wire = createResponsesWire({ redact: (text) => text });

const targetOf = (changes: Partial<WireTarget> = {}): WireTarget => ({
  provider: "p",
  model: "m",
  baseUrl: "https://host/v1/",
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

const user = (...parts: readonly (string | UserPart)[]): Message => ({
  role: "user",
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
  origin: { surface: "cli" },
});

const assistant = (parts: readonly AssistantPart[], changes: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  parts,
  provider: "p",
  model: "m",
  finish: "tool_calls",
  ...changes,
});

const text = (value: string): AssistantPart => ({ type: "text", text: value });
const call = (id: string, args = "{}"): AssistantPart => ({ type: "tool_call", id, name: "t", arguments: args });
const opaque = (data: unknown, changes: object = {}): AssistantPart => ({
  type: "opaque",
  wire: "codex_responses",
  provider: "p",
  model: "m",
  data,
  ...changes,
});
const encrypted = (value: string): AssistantPart => opaque({ item: "reasoning", encrypted: value });

const result = (callId: string, content: ToolMessage["parts"][0]["content"]): ToolMessage => ({
  role: "tool",
  parts: [{ type: "tool_result", callId, name: "t", outcome: "ok", content }],
});

const bodyOf = (request: LlmRequest, target = targetOf(), images?: ImageLookup): Record<string, unknown> =>
  JSON.parse(wire.encode(request, target, images).body) as Record<string, unknown>;

const inputOf = (messages: readonly Message[], target = targetOf(), images?: ImageLookup): Record<string, unknown>[] =>
  bodyOf(requestOf(messages), target, images).input as Record<string, unknown>[];

const image = { type: "image", hash: "h1", mediaType: "image/png", byteLength: 3 } as const;
const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);
const inputImage = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,QUJD" };
const inputText = (value: string): object => ({ type: "input_text", text: value });
const userItem = (...content: readonly object[]): object => ({ type: "message", role: "user", content });
const said = (content: string, more: object = {}): object => ({ type: "message", role: "assistant", content, ...more });
const reasoningItem = (value: string): object => ({ type: "reasoning", summary: [], encrypted_content: value });

describe("the request around the input", () => {
  test("address, key in one header, members in a fixed order, nothing stored", () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
    const encoded = wire.encode(requestOf([user("hi")], { tools, temperature: 0.5, maxOutputTokens: 90 }), targetOf());
    expect(encoded.url).toBe("https://host/v1/responses");
    expect(encoded.headers).toEqual({
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      authorization: "Bearer k",
    });
    expect(encoded.body).toBe(
      '{"model":"m","stream":true,"store":false,"max_output_tokens":90,"temperature":0.5,"instructions":"sys",' +
        '"parallel_tool_calls":true,' +
        '"tools":[{"type":"function","name":"t","description":"d","parameters":{"type":"object"},"strict":false}],' +
        '"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}',
    );
  });

  type Check = (body: Record<string, unknown>) => void;
  const effort = { reasoningEffort: "high" } as const;
  test.each([
    ["no key: no header", { credential: NO_CREDENTIAL }, {}, (body) => expect(body.model).toBe("m")],
    ["not streamed", { stream: false }, {}, (body) => expect(body.stream).toBe(false)],
    ["no system text", {}, { system: "" }, (body) => expect(body).not.toHaveProperty("instructions")],
    ["the least bound", {}, { maxOutputTokens: 7 }, (body) => expect(body.max_output_tokens).toBe(16)],
    [
      "a service that wants less: no bounds, instructions always",
      { quirks: { narrowRequest: true } },
      { system: "", maxOutputTokens: 90, temperature: 0.5 },
      (body) => {
        expect(Object.keys(body)).toEqual(["model", "stream", "store", "instructions", "input"]);
        expect(body.instructions).toMatch(/\S/);
      },
    ],
    [
      "all that a reasoning model is asked for",
      { quirks: { reasoningField: "reasoning_effort", reasoningSummary: true, encryptedReasoning: true } },
      effort,
      (body) =>
        expect([body.reasoning, body.include]).toEqual([
          { effort: "high", summary: "auto" },
          ["reasoning.encrypted_content"],
        ]),
    ],
    [
      "a summary without an effort",
      { quirks: { reasoningField: "reasoning", reasoningSummary: true } },
      {},
      (body) => expect(body.reasoning).toEqual({ summary: "auto" }),
    ],
    [
      "an effort that cannot be asked",
      { quirks: { encryptedReasoning: true } },
      effort,
      (body) => expect(body).not.toHaveProperty("reasoning"),
    ],
    ["nothing of it", {}, effort, (body) => expect(JSON.stringify(body)).not.toMatch(/reasoning|include|high/)],
    [
      "members of one's own win",
      { extraBody: { top_p: 0.4, store: true } },
      {},
      (body) => expect([body.top_p, body.store]).toEqual([0.4, true]),
    ],
  ] as readonly [string, Partial<WireTarget>, Partial<LlmRequest>, Check][])("%s", (...[, target, request, check]) => {
    const encoded = wire.encode(requestOf([user("x")], request), targetOf(target));
    check(JSON.parse(encoded.body) as Record<string, unknown>);
    expect("authorization" in encoded.headers).toBe(!("credential" in target));
  });
});

describe("messages", () => {
  test("images are data URLs; a lost one is a note; the context line is the last text", () => {
    const message = { ...user("look", image, { ...image, hash: "gone" }), contextLine: "ctx" } as Message;
    expect(inputOf([message], targetOf(), images)).toEqual([
      userItem(
        inputText("look"),
        inputImage,
        inputText("[an image (image/png) stood here; its bytes are gone]"),
        inputText("ctx"),
      ),
    ]);
  });

  test("the images of a group of results follow the group", () => {
    const history = [
      assistant([call("a"), call("b")]),
      result("a", [image]),
      result("b", [{ type: "text", text: "two" }, image]),
      user("and?"),
    ];
    expect(inputOf(history, targetOf(), images).slice(2)).toEqual([
      { type: "function_call_output", call_id: "a", output: "(the image follows)" },
      { type: "function_call_output", call_id: "b", output: "two" },
      userItem(inputText("Image from t (call a):"), inputImage, inputText("Image from t (call b):"), inputImage),
      userItem(inputText("and?")),
    ]);
  });

  test("B07 arguments that are no JSON object go back inside one, byte for byte", () => {
    const cut = '{"path":"n.txt","content":"line one\\nli';
    const items = inputOf([assistant([call("a", cut), call("b", ""), call("c", '{ "x": 1.0 }'), call("d", "[1]")])]);
    expect(items.map((item) => item.arguments)).toEqual([
      JSON.stringify({ [UNPARSED_ARGUMENTS]: cut }),
      "{}",
      '{ "x": 1.0 }',
      JSON.stringify({ [UNPARSED_ARGUMENTS]: "[1]" }),
    ]);
  });

  test("text and calls keep the order in which they came", () => {
    expect(inputOf([assistant([text("one"), call("a"), text("two"), text("")])])).toEqual([
      said("one"),
      { type: "function_call", call_id: "a", name: "t", arguments: "{}" },
      said("two"),
    ]);
  });

  test("an answer is never left out", () => {
    const items = inputOf([
      assistant([], { finish: "interrupted" }),
      assistant([{ type: "reasoning", text: "r" }], { finish: "stop" }),
      assistant([], { finish: "refusal", refusal: "cannot" }),
    ]);
    expect(items).toEqual([said("(interrupted)"), said("(no answer)"), said("cannot")]);
  });

  test("an empty result says so", () => {
    expect(inputOf([result("a", [])])).toEqual([{ type: "function_call_output", call_id: "a", output: "(no output)" }]);
  });

  test("lone surrogates never reach the body", () => {
    const broken = "a\ud83e b\udd9c";
    const history = [
      user(broken),
      assistant([text(broken), call("i\ud83e", `{"x":"${broken}"}`)]),
      result("i\ud83e", [{ type: "text", text: broken }]),
    ];
    const { body } = wire.encode(requestOf(history, { system: broken }), targetOf());
    expect(body).not.toMatch(/\\ud[89a-f]/i);
    expect(body).toContain("a\ufffd b\ufffd");
  });

  test("a name that no tool could have does not stop the conversation", () => {
    const named = (name: string): AssistantPart => ({ type: "tool_call", id: "a", name, arguments: "{}" });
    const [first, second] = inputOf([assistant([named("functions.read file\n"), named("")])]);
    for (const item of [first, second]) expect(item?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

describe("ids of other formats", () => {
  test.each(["toolu_01AbC-9", "call_1", "a".repeat(64)])("%s stays", (id) => {
    const items = inputOf([assistant([call(id)]), result(id, [])]);
    expect(items.map((item) => item.call_id)).toEqual([id, id]);
  });

  test.each(["functions.read:0", "a".repeat(65), "", "id with blanks", "日"])(
    "%j becomes a legal one, always the same, for the call and its result",
    (id) => {
      const ids = (): unknown[] => inputOf([assistant([call(id)]), result(id, [])]).map((item) => item.call_id);
      expect(ids()[0]).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(new Set([...ids(), ...ids()]).size).toBe(1);
    },
  );

  test("an id that every answer uses again stays unique, and each result belongs to the call before it", () => {
    const turn = [assistant([call("call_0")]), result("call_0", [])];
    const ids = inputOf([...turn, ...turn, ...turn]).map((item) => item.call_id);
    expect(ids[0]).toBe("call_0");
    expect(new Set(ids).size).toBe(3);
    for (const at of [0, 2, 4]) expect(ids[at + 1]).toBe(ids[at]);
  });
});

describe("B09 what only the provider can read", () => {
  test("goes back in its place between the other parts", () => {
    const parts = [encrypted("E1"), call("a"), encrypted("E2"), encrypted("E3"), text("so"), call("b")];
    expect(inputOf([assistant([{ type: "reasoning", text: "readable" }, ...parts])])).toEqual([
      reasoningItem("E1"),
      { type: "function_call", call_id: "a", name: "t", arguments: "{}" },
      reasoningItem("E2"),
      reasoningItem("E3"),
      said("so"),
      { type: "function_call", call_id: "b", name: "t", arguments: "{}" },
    ]);
  });

  test("is left out where nothing came of it", () => {
    expect(inputOf([assistant([text("so"), encrypted("E1")])])).toEqual([said("so")]);
    expect(inputOf([assistant([encrypted("E1")], { finish: "interrupted" })])).toEqual([said("(interrupted)")]);
  });

  test("the phase belongs to the message that follows it alone", () => {
    const phase = (value: string): AssistantPart => opaque({ item: "message", phase: value });
    expect(
      inputOf([assistant([phase("commentary"), text("I look."), text("More."), phase("final"), text("x")])]),
    ).toEqual([said("I look.", { phase: "commentary" }), said("More."), said("x", { phase: "final" })]);
  });

  test.each([
    ["another provider", { provider: "q" }],
    ["another model", { model: "n" }],
    ["another wire", { wire: "anthropic_messages" }],
    ["data of another shape", { data: { signature: "gAAA" } }],
  ])("%s gets none of it", (_name, changes) => {
    const parts = [
      opaque({ item: "reasoning", encrypted: "gAAA" }, changes),
      opaque({ item: "message", phase: "gAAA" }, changes),
      call("a"),
      text("x"),
    ];
    expect(JSON.stringify(inputOf([assistant(parts)]))).not.toMatch(/gAAA|reasoning|phase/);
  });
});

describe("B10 readable reasoning", () => {
  const quirks = { replaysReasoning: true };
  const kept = (value: string): object => ({
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: value }],
  });
  const first = (parts: readonly AssistantPart[]): unknown => inputOf([assistant(parts)], targetOf({ quirks }))[0];

  test("leads a turn with calls for a provider that wants it: the text, or the filler", () => {
    expect(first([{ type: "reasoning", text: "r" }, call("a")])).toEqual(kept("r"));
    expect(first([call("a")])).toEqual(kept(REASONING_FILLER));
  });

  test("is left out for others, and with turns that call nothing", () => {
    const parts: AssistantPart[] = [{ type: "reasoning", text: "r" }, text("t")];
    expect(first(parts)).toEqual(said("t"));
    expect(JSON.stringify(inputOf([assistant([...parts, call("a")])]))).not.toContain("reasoning");
  });
});

describe("R-PROMPT-3 bytes", () => {
  const words = string({ unit: "grapheme", maxLength: 20 });
  const turn = record({
    kind: constantFrom("plain", "tool", "image"),
    value: words,
    id: constantFrom("c", "functions.x:0"),
    count: integer({ min: 1, max: 3 }),
  }).map(({ kind, value, id, count }): readonly Message[] => {
    const ids = Array.from({ length: count }, (_, at) => `${id}${at}`);
    if (kind === "plain") return [user(value), assistant([encrypted("E"), text(value)], { finish: "stop" })];
    return [
      user(value, ...(kind === "image" ? [image] : [])),
      assistant([{ type: "reasoning", text: value }, encrypted("E"), ...ids.map((one) => call(one, value))]),
      ...ids.map((one) => result(one, kind === "image" ? [image] : [{ type: "text", text: value }])),
    ];
  });

  test("property: the same request is the same bytes, and a longer one begins with the shorter one's input", () => {
    assert(
      property(array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const whole = requestOf(turns.flat());
        expect(wire.encode(whole, targetOf(), images).body).toBe(
          wire.encode(structuredClone(whole), targetOf(), images).body,
        );
        for (let kept = 0; kept < turns.length; kept += 1) {
          const shorter = JSON.stringify(inputOf(turns.slice(0, kept).flat(), targetOf(), images));
          const longer = JSON.stringify(inputOf(turns.flat(), targetOf(), images));
          expect(longer.startsWith(shorter.slice(0, -1))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
