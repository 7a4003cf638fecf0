import { array, assert, constantFrom, integer, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import type { AssistantMessage, AssistantPart, Message, ToolMessage, UserPart } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createChatCompletionsWire } from "./chat-completions.ts";
import { REASONING_FILLER, UNPARSED_ARGUMENTS } from "../replayed-call.ts";
import { keyCredential, NO_CREDENTIAL } from "../../credential.ts";

const wire = createChatCompletionsWire({ redact: (text) => text });

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

const call = (id: string, args = "{}"): AssistantPart => ({ type: "tool_call", id, name: "t", arguments: args });

const result = (callId: string, content: ToolMessage["parts"][0]["content"]): ToolMessage => ({
  role: "tool",
  parts: [{ type: "tool_result", callId, name: "t", outcome: "ok", content }],
});

const bodyOf = (request: LlmRequest, target = targetOf(), images?: ImageLookup): Record<string, unknown> =>
  JSON.parse(wire.encode(request, target, images).body) as Record<string, unknown>;

const messagesOf = (messages: readonly Message[], target = targetOf(), images?: ImageLookup): unknown[] =>
  bodyOf(requestOf(messages, { system: "" }), target, images).messages as unknown[];

const image = { type: "image", hash: "h1", mediaType: "image/png", byteLength: 3 } as const;
const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);
const dataUrl = { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } };

describe("the request around the messages", () => {
  test("address, key in one header, members in a fixed order", () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
    const encoded = wire.encode(requestOf([user("hi")], { tools, temperature: 0.5, maxOutputTokens: 9 }), targetOf());
    expect(encoded.url).toBe("https://host/v1/chat/completions");
    expect(encoded.headers.authorization).toBe("Bearer k");
    expect(encoded.body).toBe(
      '{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"temperature":0.5,' +
        '"tools":[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}],' +
        '"messages":[{"role":"system","content":"sys"},{"role":"user","content":"hi"}]}',
    );
  });

  test.each([
    [
      "no key: no header",
      { credential: NO_CREDENTIAL },
      {},
      (body: Record<string, unknown>) => expect(body.model).toBe("m"),
    ],
    [
      "not streamed",
      { stream: false },
      {},
      (body) => expect([body.stream, body.stream_options]).toEqual([false, undefined]),
    ],
    [
      "no usage asked of servers that refuse the question",
      { quirks: { noStreamUsage: true } },
      {},
      (body) => expect(body.stream_options).toBeUndefined(),
    ],
    [
      "another name for the bound",
      { quirks: { maxTokensField: "max_completion_tokens" } },
      { maxOutputTokens: 5 },
      (body) => expect([body.max_completion_tokens, body.max_tokens]).toEqual([5, undefined]),
    ],
    [
      "effort as a text",
      { quirks: { reasoningField: "reasoning_effort" } },
      { reasoningEffort: "low" },
      (body) => expect(body.reasoning_effort).toBe("low"),
    ],
    [
      "effort as an object",
      { quirks: { reasoningField: "reasoning" } },
      { reasoningEffort: "high" },
      (body) => expect(body.reasoning).toEqual({ effort: "high" }),
    ],
    [
      "effort that cannot be asked",
      {},
      { reasoningEffort: "high" },
      (body) => expect(JSON.stringify(body)).not.toContain("high"),
    ],
    [
      "the developer's role",
      { quirks: { systemRole: "developer" } },
      {},
      (body) => expect(JSON.stringify(body.messages)).toContain('"developer"'),
    ],
    [
      "members of one's own win",
      { extraBody: { top_k: 4, stream: false } },
      {},
      (body) => expect([body.top_k, body.stream]).toEqual([4, false]),
    ],
  ] as readonly [string, Partial<WireTarget>, Partial<LlmRequest>, (body: Record<string, unknown>) => void][])(
    "%s",
    (...[, target, request, check]) => {
      const encoded = wire.encode(requestOf([user("x")], request), targetOf(target));
      check(JSON.parse(encoded.body) as Record<string, unknown>);
      expect("authorization" in encoded.headers).toBe(!("credential" in target));
    },
  );
});

describe("messages", () => {
  test("texts are one text, the context line the last of them", () => {
    const message: Message = { ...user("a", "b"), role: "user", contextLine: "[it is Tuesday]" } as Message;
    expect(messagesOf([message])).toEqual([{ role: "user", content: "a\n\nb\n\n[it is Tuesday]" }]);
  });

  test("images are data URLs; a lost one is a note; the context line stays last", () => {
    const message = { ...user("look", image, { ...image, hash: "gone" }), contextLine: "ctx" } as Message;
    expect(messagesOf([message], targetOf(), images)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          dataUrl,
          { type: "text", text: "[an image (image/png) stood here; its bytes are gone]" },
          { type: "text", text: "ctx" },
        ],
      },
    ]);
  });

  test("the images of a group of results follow the group", () => {
    const history = [
      assistant([call("a"), call("b")]),
      result("a", [image]),
      result("b", [{ type: "text", text: "two" }, image]),
      user("and?"),
    ];
    expect(messagesOf(history, targetOf(), images).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "(the image follows)" },
      { role: "tool", tool_call_id: "b", content: "two" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from t (call a):" },
          dataUrl,
          { type: "text", text: "Image from t (call b):" },
          dataUrl,
        ],
      },
      { role: "user", content: "and?" },
    ]);
  });

  test("B07 arguments that are no JSON object go back inside one, byte for byte", () => {
    const cut = '{"path":"n.txt","content":"line one\\nli';
    const [message] = messagesOf([
      assistant([call("a", cut), call("b", ""), call("c", '{ "x": 1.0 }'), call("d", "[1]")]),
    ]) as [{ tool_calls: { function: { arguments: string } }[] }];
    expect(message.tool_calls.map((one) => one.function.arguments)).toEqual([
      JSON.stringify({ [UNPARSED_ARGUMENTS]: cut }),
      "{}",
      '{ "x": 1.0 }',
      JSON.stringify({ [UNPARSED_ARGUMENTS]: "[1]" }),
    ]);
  });

  test("an assistant message is never empty", () => {
    const messages = messagesOf([
      assistant([], { finish: "interrupted" }),
      assistant([{ type: "reasoning", text: "r" }], { finish: "stop" }),
      assistant([], { finish: "refusal", refusal: "cannot" }),
      assistant([call("a")]),
    ]) as { content: unknown }[];
    expect(messages.map((message) => message.content)).toEqual(["(interrupted)", "(no answer)", "cannot", null]);
  });

  test("an empty result says so", () => {
    expect(messagesOf([result("a", [])])).toEqual([{ role: "tool", tool_call_id: "a", content: "(no output)" }]);
  });

  test("lone surrogates never reach the body", () => {
    const broken = "a\ud83e b\udd9c";
    const body = wire.encode(
      requestOf(
        [
          user(broken),
          assistant([{ type: "text", text: broken }, call("i\ud83e", `{"x":"${broken}"}`)]),
          result("i\ud83e", [{ type: "text", text: broken }]),
        ],
        { system: broken },
      ),
      targetOf(),
    ).body;
    expect(body).not.toMatch(/\\ud[89a-f]/i);
    expect(body).toContain("a\ufffd b\ufffd");
  });
});

describe("B10 reasoning sent back", () => {
  const turn = (parts: readonly AssistantPart[]): unknown =>
    messagesOf([user("x"), assistant(parts), result("a", [])], targetOf({ quirks: { replaysReasoning: true } }))[1];

  test("to a provider that wants it: the text, or the filler where none was recorded", () => {
    expect(turn([{ type: "reasoning", text: "r" }, call("a")])).toMatchObject({ reasoning_content: "r" });
    expect(turn([call("a")])).toMatchObject({ reasoning_content: REASONING_FILLER });
  });

  test("to others, and with turns that call nothing: the member is absent", () => {
    const message = assistant([{ type: "reasoning", text: "r" }, call("a")]);
    expect(messagesOf([message])[0]).not.toHaveProperty("reasoning_content");
    expect(
      turn([
        { type: "reasoning", text: "r" },
        { type: "text", text: "t" },
      ]),
    ).not.toHaveProperty("reasoning_content");
  });
});

describe("handing a conversation over to another provider", () => {
  const data = { field: "reasoning_details", value: [{ type: "reasoning.encrypted", data: "gAAA" }] };
  const extra = { field: "extra_content", callId: "a", value: { google: { thought_signature: "S" } } };
  const opaque = (changes: object, value: unknown = data): AssistantPart => ({
    type: "opaque",
    wire: "chat_completions",
    provider: "p",
    model: "m",
    data: value,
    ...changes,
  });

  test("its own opaque parts go back where they came from", () => {
    const [message] = messagesOf([assistant([opaque({}), call("a"), opaque({}, extra)])]);
    expect(message).toMatchObject({
      reasoning_details: data.value,
      tool_calls: [{ id: "a", extra_content: extra.value }],
    });
  });

  test.each([
    ["another provider", { provider: "q" }],
    ["another model", { model: "n" }],
    ["another wire", { wire: "anthropic_messages" }],
    ["data of another shape", { data: { signature: "x" } }],
  ])("%s gets none of them", (_name, changes) => {
    const text = JSON.stringify(
      messagesOf([assistant([opaque(changes), call("a"), { ...opaque(changes, extra), ...changes } as AssistantPart])]),
    );
    expect(text).not.toMatch(/gAAA|signature|reasoning_details|extra_content/);
  });
});

describe("R-PROMPT-3 bytes", () => {
  const text = string({ unit: "grapheme", maxLength: 20 });
  const turn = record({
    kind: constantFrom("plain", "tool", "image"),
    text,
    args: text,
    count: integer({ min: 1, max: 3 }),
  }).map(({ kind, text, args, count }): readonly Message[] => {
    const ids = Array.from({ length: count }, (_, at) => `c${at}`);
    if (kind === "plain") return [user(text), assistant([{ type: "text", text }], { finish: "stop" })];
    return [
      user(text, ...(kind === "image" ? [image] : [])),
      assistant([{ type: "reasoning", text }, ...ids.map((id) => call(id, args))]),
      ...ids.map((id) => result(id, kind === "image" ? [image] : [{ type: "text", text }])),
    ];
  });

  test("property: the same request is the same bytes, and a longer one begins with the shorter one's messages", () => {
    assert(
      property(array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const whole = requestOf(turns.flat());
        expect(wire.encode(whole, targetOf(), images).body).toBe(
          wire.encode(structuredClone(whole), targetOf(), images).body,
        );
        for (let kept = 0; kept < turns.length; kept += 1) {
          const shorter = JSON.stringify(bodyOf(requestOf(turns.slice(0, kept).flat()), targetOf(), images).messages);
          const longer = JSON.stringify(bodyOf(whole, targetOf(), images).messages);
          expect(longer.startsWith(shorter.slice(0, -1))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
