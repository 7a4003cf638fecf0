import { describe, expect, test } from "vitest";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import type { AssistantPart, Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { UNPARSED_ARGUMENTS } from "../replayed-call.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf, opaquePart } from "./opaque.ts";
import { keyCredential, NO_CREDENTIAL } from "../../credential.ts";

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

const requestOf = (messages: readonly Message[], changes: Partial<LlmRequest> = {}): LlmRequest => ({
  system: "sys",
  messages,
  tools: [],
  ...changes,
});

const signed = (value: string, signature: string | undefined = `sig(${value})`): AssistantPart =>
  opaquePart(targetOf(), {
    block: "thinking",
    ...(signature === "" ? {} : { signature }),
    textSha256: digestOf(value),
  });

type Body = Record<string, unknown>;
interface WireMessage {
  readonly role: string;
  readonly content: readonly Record<string, unknown>[];
}

const bodyOf = (request: LlmRequest, target = targetOf(), images?: ImageLookup): Body =>
  JSON.parse(wire.encode(request, target, images).body) as Body;

const messagesOf = (messages: readonly Message[], target = targetOf(), images?: ImageLookup): readonly WireMessage[] =>
  bodyOf(requestOf(messages, { system: "" }), target, images).messages as WireMessage[];

/** The blocks of one assistant message after a user's. */
const blocksOf = (parts: readonly AssistantPart[], target = targetOf()): readonly Record<string, unknown>[] =>
  messagesOf([user("x"), assistant(parts)], target)[1]?.content ?? [];

const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);
const imageBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } };

describe("the request around the messages", () => {
  test("address, headers, members in a fixed order", () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
    const encoded = wire.encode(requestOf([user("hi")], { tools, temperature: 0.5, maxOutputTokens: 9 }), targetOf());
    expect(encoded.url).toBe("https://host/v1/messages");
    expect(encoded.headers).toEqual({
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "anthropic-version": "2023-06-01",
      "x-api-key": "k",
    });
    expect(encoded.body).toBe(
      '{"model":"m","max_tokens":9,"stream":true,"temperature":0.5,"cache_control":{"type":"ephemeral"},' +
        '"system":[{"type":"text","text":"sys","cache_control":{"type":"ephemeral"}}],' +
        '"tools":[{"name":"t","description":"d","input_schema":{"type":"object"}}],' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}',
    );
  });

  test.each(["https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1/messages"])(
    "%s is the same address",
    (baseUrl) => {
      expect(wire.encode(requestOf([user("x")]), targetOf({ baseUrl })).url).toBe("https://h/v1/messages");
    },
  );

  test("a path of its own stays", () => {
    const { url } = wire.encode(requestOf([user("x")]), targetOf({ baseUrl: "https://api.minimax.io/anthropic" }));
    expect(url).toBe("https://api.minimax.io/anthropic/v1/messages");
  });

  test.each([
    ["no key", { credential: NO_CREDENTIAL }, {}],
    ["an ordinary key", { credential: keyCredential("sk-ant-api03-x") }, { "x-api-key": "sk-ant-api03-x" }],
    [
      "a login's token",
      { credential: keyCredential("sk-ant-oat01-x") },
      { authorization: "Bearer sk-ant-oat01-x", "anthropic-beta": "oauth-2025-04-20" },
    ],
    ["a provider that wants it so", { quirks: { bearerKey: true } }, { authorization: "Bearer k" }],
  ])("the key in one header: %s", (_name, changes, expected) => {
    const { headers, body } = wire.encode(requestOf([user("x")]), targetOf(changes));
    const { "content-type": _type, accept: _accept, "anthropic-version": _version, ...rest } = headers;
    expect(rest).toEqual(expected);
    expect(body).not.toContain("sk-ant");
  });

  test.each([
    [{ maxOutputTokens: 7 }, { info: { maxOutputTokens: 64_000 } }, 7],
    [{}, { info: { maxOutputTokens: 64_000 } }, 64_000],
    [{}, { info: {} }, 8_192],
    [{}, {}, 8_192],
    [{}, { quirks: { thinking: "budget" } }, 8_192],
    [{}, { quirks: { thinking: "effort" } }, 32_000],
    [{}, { quirks: { thinking: "effort_xhigh" }, info: { maxOutputTokens: 9 } }, 9],
  ] as const)("max_tokens of %j at %j is %i", (changes, target, expected) => {
    expect(bodyOf(requestOf([user("x")], changes), targetOf(target)).max_tokens).toBe(expected);
  });

  test("members of one's own win, in the messages' neighbourhood too", () => {
    const body = bodyOf(
      requestOf([user("x")]),
      targetOf({ extraBody: { top_k: 4, max_tokens: 3, service_tier: "auto" } }),
    );
    expect(body).toMatchObject({ top_k: 4, max_tokens: 3, service_tier: "auto" });
    expect(body.messages).toHaveLength(1);
  });

  test("an empty system text is not sent", () => {
    expect(bodyOf(requestOf([user("x")], { system: " " }))).not.toHaveProperty("system");
  });
});

describe("thinking", () => {
  const ask = (
    effort: LlmRequest["reasoningEffort"],
    thinking: "budget" | "effort" | "effort_xhigh" | undefined,
    more = {},
  ) =>
    bodyOf(
      requestOf([user("x")], {
        ...(effort === undefined ? {} : { reasoningEffort: effort }),
        temperature: 0.5,
        ...more,
      }),
      targetOf({ quirks: thinking === undefined ? {} : { thinking } }),
    );

  test.each([
    ["minimal", 64_000, 1_024],
    ["low", 64_000, 4_096],
    ["medium", 64_000, 8_192],
    ["high", 64_000, 16_384],
    ["xhigh", 64_000, 32_000],
    ["high", 8_192, 4_096],
  ] as const)("%s within %i is a budget of %i, without a temperature", (effort, maxOutputTokens, budget_tokens) => {
    const body = ask(effort, "budget", { maxOutputTokens });
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens });
    expect(body).not.toHaveProperty("temperature");
  });

  test.each([
    ["low", "effort", "low"],
    ["minimal", "effort", "low"],
    ["xhigh", "effort", "high"],
    ["xhigh", "effort_xhigh", "xhigh"],
  ] as const)("%s for %s is the word %s", (effort, kind, expected) => {
    const body = ask(effort, kind);
    expect(body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: expected } });
    expect(body).not.toHaveProperty("temperature");
  });

  test("nothing is asked without an effort, of unknown models, or where no budget fits", () => {
    for (const body of [
      ask(undefined, "budget"),
      ask("high", undefined),
      ask("high", "budget", { maxOutputTokens: 2_000 }),
    ]) {
      expect(body).not.toHaveProperty("thinking");
      expect(body.temperature).toBe(0.5);
    }
    expect(ask("none", "budget")).not.toHaveProperty("thinking");
    expect(ask("none", "effort").thinking).toEqual({ type: "disabled" });
  });

  test("with tools and a budget the model may think again between its calls, a login's token or not", () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
    const betaOf = (changes: Partial<LlmRequest>, target: Partial<WireTarget>): unknown =>
      wire.encode(requestOf([user("x")], { maxOutputTokens: 9_000, ...changes }), targetOf(target)).headers[
        "anthropic-beta"
      ];
    const budget = { quirks: { thinking: "budget" } } as const;
    const between = "interleaved-thinking-2025-05-14";
    expect(betaOf({ tools, reasoningEffort: "low" }, budget)).toBe(between);
    expect(betaOf({ tools, reasoningEffort: "low" }, { ...budget, credential: keyCredential("sk-ant-oat01-x") })).toBe(
      `oauth-2025-04-20,${between}`,
    );
    expect(betaOf({ reasoningEffort: "low" }, budget)).toBeUndefined();
    expect(betaOf({ tools }, budget)).toBeUndefined();
    expect(betaOf({ tools, reasoningEffort: "low" }, { quirks: { thinking: "effort" } })).toBeUndefined();
  });

  test("models that know no temperature get none, thinking or not", () => {
    expect(ask(undefined, "effort_xhigh")).not.toHaveProperty("temperature");
    expect(ask("none", "effort_xhigh")).not.toHaveProperty("temperature");
  });

  test("not while a turn goes on whose thinking is lost, which the API would refuse", () => {
    const budget = targetOf({ quirks: { thinking: "budget" } });
    const asks = (messages: readonly Message[]): boolean =>
      "thinking" in bodyOf(requestOf(messages, { reasoningEffort: "high", maxOutputTokens: 9_000 }), budget);
    const whole = [reasoning("r"), signed("r"), call("a")];
    const masked = [reasoning("«secret»"), signed("r"), call("a")];
    const answered = (parts: readonly AssistantPart[]): Message[] => [user("x"), assistant(parts), result("a", [])];
    expect(asks(answered(whole))).toBe(true);
    expect(asks(answered(masked))).toBe(false);
    expect(asks([...answered(whole), assistant([call("b")]), result("b", [])])).toBe(true);
    expect(asks([...answered(masked), user("and?")])).toBe(true);
  });
});

describe("messages", () => {
  test("texts are blocks, blank ones left out, the context line the last of them", () => {
    const message = { ...user("a", " \n", "b"), contextLine: "[it is Tuesday]" };
    expect(messagesOf([message])[0]?.content).toEqual([text("a"), text("b"), text("[it is Tuesday]")]);
    expect(messagesOf([user("  ")])[0]?.content).toEqual([text("(empty message)")]);
  });

  test("images by their bytes; a lost one and one of another kind are notes", () => {
    const message = user("look", image, { ...image, hash: "gone" }, { ...image, mediaType: "image/tiff" });
    expect(messagesOf([message], targetOf(), images)[0]?.content).toEqual([
      text("look"),
      imageBlock,
      text("[an image (image/png) stood here; its bytes are gone]"),
      text("[an image (image/tiff) stood here, of a kind that cannot be sent]"),
    ]);
  });

  test("all results of an answer stand in one user message, a steering word in its own", () => {
    const history = [
      user("go"),
      assistant([call("a"), call("b")]),
      result("a", [text("one"), image]),
      result("b", [text("two"), text("three")], "error"),
      user("stop that"),
    ];
    expect(messagesOf(history, targetOf(), images).slice(2)).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [text("one"), imageBlock] },
          { type: "tool_result", tool_use_id: "b", content: "two\nthree", is_error: true },
        ],
      },
      { role: "user", content: [text("stop that")] },
    ]);
  });

  test.each([
    ["ok", false],
    ["error", true],
    ["denied", true],
    ["interrupted", true],
  ] as const)("an outcome %s is an error: %s", (outcome, is) => {
    const history = [user("x"), assistant([call("a")]), result("a", [], outcome)];
    const block = messagesOf(history)[2]?.content[0];
    expect(block).toMatchObject({ content: "(no output)" });
    expect(block?.is_error === true).toBe(is);
  });

  test("each call has exactly one result: a missing one is said, a second and a stray one are text behind", () => {
    const history = [
      user("x"),
      assistant([call("a"), call("b")]),
      result("stray", [text("s")]),
      result("b", [text("1")]),
      result("b", [text("2")]),
      user("y"),
    ];
    const messages = messagesOf(history);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"]);
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "b", content: "1" },
      { type: "tool_result", tool_use_id: "a", content: "(no result was recorded)", is_error: true },
      text("[a result of t (call stray) without its call]"),
      text("s"),
      text("[a result of t (call b) without its call]"),
      text("2"),
    ]);
  });

  test("ids of other letters and ids used twice become ids of their own, results with them", () => {
    const history = [
      user("x"),
      assistant([call("call|1:ü"), call("call_0")]),
      result("call|1:ü", [text("one")]),
      result("call_0", [text("two")]),
      assistant([call("call_0"), call("call_0")]),
      result("call_0", [text("three")]),
      result("call_0", [text("four")]),
    ];
    const messages = messagesOf(history);
    const ids = messages.flatMap(({ content }) => content.flatMap(({ id }) => (typeof id === "string" ? [id] : [])));
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    const answered = messages.flatMap(({ content }) => content.flatMap((block) => block.tool_use_id ?? []));
    expect(answered).toEqual(ids);
    expect(messages[4]?.content.map(({ content }) => content)).toEqual(["three", "four"]);
  });

  test("a call's name is made legal, or the whole conversation would be refused", () => {
    expect(blocksOf([call("a", "{}", "mcp:do it"), call("b", "{}", "")]).map(({ name }) => name)).toEqual([
      "mcp_do_it",
      "unnamed",
    ]);
  });

  test("a conversation that begins with an answer gets a user's word before it", () => {
    expect(messagesOf([assistant([text("hello")])]).map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("an assistant message is never empty", () => {
    const contents = messagesOf([
      user("x"),
      assistant([], { finish: "interrupted" }),
      assistant([reasoning("r"), signed("r")], { finish: "stop" }),
      assistant([text(" ")], { finish: "refusal", refusal: "cannot" }),
    ]).map(({ content }) => content.at(-1)?.text);
    expect(contents).toEqual(["x", "(interrupted)", "(no answer)", "cannot"]);
  });

  test("lone surrogates never reach the body, also as escapes in arguments", () => {
    const broken = "a\ud83e b\udd9c";
    const body = wire.encode(
      requestOf(
        [
          user(broken),
          assistant([
            text(broken),
            call("i", `{"x":"${broken}","y":"\\ud83e\\u0041","z":"\\ud83e\\udd9c","w":"\\\\ud83e"}`),
          ]),
          result("i", [text(broken)]),
        ],
        { system: broken },
      ),
      targetOf(),
    ).body;
    expect(body.replaceAll("\\\\", "")).not.toMatch(/\\ud[89a-f]/i);
    const [, answer] = (JSON.parse(body) as { messages: WireMessage[] }).messages;
    expect(answer?.content[1]?.input).toEqual({ x: "a\ufffd b\ufffd", y: "\ufffdA", z: "🦜", w: "\\ud83e" });
  });
});

describe("B07 arguments", () => {
  test("stay the model's own text; what is no object goes inside one, byte for byte", () => {
    const exact = '{ "n": 12345678901234567890, "f": 1.0, "__proto__": {"a":1}, "n": 2 }';
    const cut = '{"path":"n.txt","content":"line one\\nli';
    const { body } = wire.encode(
      requestOf([user("x"), assistant([call("a", exact), call("b", cut), call("c", ""), call("d", "[1]")])]),
      targetOf(),
    );
    expect(body).toContain(`"input":${exact}}`);
    expect(body).toContain(`"input":${JSON.stringify({ [UNPARSED_ARGUMENTS]: cut })}}`);
    expect(body).toContain('"id":"c","name":"t","input":{}}');
    expect(body).toContain(`"input":${JSON.stringify({ [UNPARSED_ARGUMENTS]: "[1]" })}}`);
  });

  test("ten megabytes of them", () => {
    const large = JSON.stringify({ content: "x".repeat(10_000_000) });
    expect(wire.encode(requestOf([user("x"), assistant([call("a", large)])]), targetOf()).body).toContain(large);
  });
});
