import { array, assert, constantFrom, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { keyCredential, NO_CREDENTIAL } from "../../credential.ts";
import type { AssistantPart, Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { UNPARSED_ARGUMENTS } from "../replayed-call.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createBedrockConverseWire } from "./bedrock-converse.ts";
import { digestOf, opaquePart } from "./opaque.ts";

const wire = createBedrockConverseWire({ redact: (words) => words });

const targetOf = (changes: Partial<WireTarget> = {}): WireTarget => ({
  provider: "p",
  model: "m",
  baseUrl: "https://host/",
  credential: keyCredential("k"),
  quirks: { imagesInResults: true, resultStatus: true },
  stream: true,
  ...changes,
});

const tool = { name: "t", description: "d", parameters: { type: "object" } };
const requestOf = (messages: readonly Message[], changes: Partial<LlmRequest> = {}): LlmRequest => ({
  system: "sys",
  messages,
  tools: [tool],
  ...changes,
});

interface WireMessage {
  readonly role: string;
  readonly content: readonly Record<string, unknown>[];
}

const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);
const imageBlock = { image: { format: "png", source: { bytes: "QUJD" } } };
const POINT = { cachePoint: { type: "default" } };

const bodyOf = (request: LlmRequest, target = targetOf()): Record<string, unknown> =>
  JSON.parse(wire.encode(request, target, images).body) as Record<string, unknown>;

const messagesOf = (messages: readonly Message[], target = targetOf()): readonly WireMessage[] =>
  bodyOf(requestOf(messages), target)["messages"] as WireMessage[];

/** The blocks of one assistant message after a user's. */
const blocksOf = (parts: readonly AssistantPart[], target = targetOf()): readonly Record<string, unknown>[] =>
  messagesOf([user("x"), assistant(parts)], target)[1]?.content ?? [];

const signed = (value: string, changes: Partial<WireTarget> = {}): AssistantPart =>
  opaquePart(targetOf(changes), { block: "reasoning", signature: `sig(${value})`, textSha256: digestOf(value) });
const thought = (value: string) => ({
  reasoningContent: { reasoningText: { text: value, signature: `sig(${value})` } },
});

describe("the request around the messages", () => {
  test("address, headers, members in a fixed order", () => {
    const encoded = wire.encode(requestOf([user("hi")], { temperature: 0.5, maxOutputTokens: 9 }), targetOf());
    expect(encoded.url).toBe("https://host/model/m/converse-stream");
    expect(encoded.headers).toEqual({
      "content-type": "application/json",
      accept: "application/vnd.amazon.eventstream, application/json",
      authorization: "Bearer k",
    });
    expect(encoded.body).toBe(
      '{"inferenceConfig":{"maxTokens":9,"temperature":0.5},"system":[{"text":"sys"}],' +
        '"toolConfig":{"tools":[{"toolSpec":{"name":"t","description":"d","inputSchema":{"json":{"type":"object"}}}}]},' +
        '"messages":[{"role":"user","content":[{"text":"hi"}]}]}',
    );
  });

  test("a name of a model is one segment of the address; what is not asked for is not there", () => {
    const arn = "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
    const { url, headers, body } = wire.encode(
      requestOf([user("hi")], { system: " ", tools: [] }),
      targetOf({ model: arn, stream: false, credential: NO_CREDENTIAL, baseUrl: "http://h:1/base//" }),
    );
    expect(url).toBe(
      "http://h:1/base/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    );
    expect(headers).toEqual({ "content-type": "application/json", accept: "application/json" });
    expect(JSON.parse(body)).toEqual({ messages: [{ role: "user", content: [{ text: "hi" }] }] });
  });

  test("keys of AWS are in no header before the request is signed, and the signature holds for the host's own region", () => {
    const credential = { kind: "aws", region: "us-east-1", accessKeyId: "AKIDEXAMPLE", secretAccessKey: "s3" } as const;
    const target = targetOf({ credential, baseUrl: "https://bedrock-runtime.eu-west-1.amazonaws.com" });
    const encoded = wire.encode(requestOf([user("hi")]), target);
    expect(JSON.stringify(encoded)).not.toMatch(/AKIDEXAMPLE|s3/);
    const scopeOf = (at: WireTarget): string | undefined =>
      wire.sign?.(wire.encode(requestOf([user("hi")]), at), at, 0).headers["authorization"];
    expect(scopeOf(target)).toContain("Credential=AKIDEXAMPLE/19700101/eu-west-1/bedrock/aws4_request");
    const endpoint = "https://vpce-1-a.bedrock-runtime.eu-west-2.vpce.amazonaws.com";
    expect(scopeOf({ ...target, baseUrl: endpoint })).toContain("/eu-west-2/bedrock/");
    expect(scopeOf({ ...target, baseUrl: "http://127.0.0.1:1" })).toContain("/us-east-1/bedrock/");
    expect(wire.sign?.(encoded, targetOf(), 0)).toBe(encoded);
  });

  test("extra members, and a guardrail without what is said of streams where there is none", () => {
    const guardrailConfig = { guardrailIdentifier: "g", guardrailVersion: "1", streamProcessingMode: "async" };
    const extraBody = { guardrailConfig, performanceConfig: { latency: "optimized" } };
    expect(bodyOf(requestOf([user("x")]), targetOf({ extraBody }))).toMatchObject(extraBody);
    expect(bodyOf(requestOf([user("x")]), targetOf({ extraBody, stream: false }))).toMatchObject({
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
      performanceConfig: { latency: "optimized" },
    });
    const { guardrailConfig: sent } = bodyOf(requestOf([user("x")]), targetOf({ extraBody, stream: false }));
    expect(sent).not.toHaveProperty("streamProcessingMode");
  });

  test("a tool without words has no description: an empty one is refused", () => {
    const { toolConfig } = bodyOf(requestOf([user("x")], { tools: [{ ...tool, description: " " }] }));
    expect(toolConfig).toEqual({ tools: [{ toolSpec: { name: "t", inputSchema: { json: { type: "object" } } } }] });
  });
});

describe("thinking", () => {
  const asked = (quirks: WireTarget["quirks"], changes: Partial<LlmRequest> = {}) => {
    const request = requestOf([user("x")], { reasoningEffort: "high", temperature: 0.3, ...changes });
    const { inferenceConfig, additionalModelRequestFields } = bodyOf(request, targetOf({ quirks }));
    return { inferenceConfig, additionalModelRequestFields };
  };

  test("by a budget, beside a bound that leaves room for the answer, without a temperature", () => {
    expect(asked({ thinking: "budget" })).toEqual({
      inferenceConfig: { maxTokens: 8_192 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 4_096 } },
    });
    expect(asked({ thinking: "budget", thinksBetweenCalls: true }).additionalModelRequestFields).toEqual({
      thinking: { type: "enabled", budget_tokens: 4_096 },
      anthropic_beta: ["interleaved-thinking-2025-05-14"],
    });
    expect(asked({ thinking: "budget", thinksBetweenCalls: true }, { tools: [] }).additionalModelRequestFields).toEqual(
      {
        thinking: { type: "enabled", budget_tokens: 4_096 },
      },
    );
  });

  test("by a word, and not at all", () => {
    expect(asked({ thinking: "effort" }).additionalModelRequestFields).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    });
    expect(asked({ reasoningField: "reasoning_effort" })).toEqual({
      inferenceConfig: { temperature: 0.3 },
      additionalModelRequestFields: { reasoning_effort: "high" },
    });
    expect(asked({})).toEqual({ inferenceConfig: { temperature: 0.3 }, additionalModelRequestFields: undefined });
    expect(asked({ reasoningField: "reasoning_effort" }, { reasoningEffort: "none" })).toEqual({
      inferenceConfig: { temperature: 0.3 },
      additionalModelRequestFields: undefined,
    });
  });

  test("not where the turn goes on with calls whose reasoning is lost, which the API refuses", () => {
    const request = requestOf([user("x"), assistant([call("a")]), result("a", [text("r")])], {
      reasoningEffort: "high",
    });
    const target = targetOf({ quirks: { thinking: "budget" } });
    expect(bodyOf(request, target)["additionalModelRequestFields"]).toBeUndefined();
    const kept = assistant([reasoning("why"), signed("why"), call("a")]);
    const whole = { ...request, messages: [user("x"), kept, result("a", [text("r")])] };
    expect(bodyOf(whole, target)["additionalModelRequestFields"]).toMatchObject({ thinking: { type: "enabled" } });
  });
});

describe("cache points", () => {
  const turns = [1, 2, 3, 4].flatMap((n) => [user(`u${n}`), assistant([text(`a${n}`)])]);

  test("behind the system text and the three newest of the user's messages", () => {
    const body = bodyOf(requestOf(turns), targetOf({ quirks: { promptCache: "points" } }));
    expect(body["system"]).toEqual([{ text: "sys" }, POINT]);
    const marked = (body["messages"] as WireMessage[]).map(({ content }) => content.length);
    expect(marked).toEqual([1, 1, 2, 1, 2, 1, 2, 1]);
    expect(JSON.stringify(body).split("cachePoint").length - 1).toBe(4);
  });

  test("behind the system text alone, and nowhere for models that refuse them", () => {
    const body = bodyOf(requestOf(turns), targetOf({ quirks: { promptCache: "system_point" } }));
    expect(body["system"]).toEqual([{ text: "sys" }, POINT]);
    expect(JSON.stringify(body["messages"])).not.toContain("cachePoint");
    expect(wire.encode(requestOf(turns), targetOf()).body).not.toContain("cachePoint");
  });
});

describe("messages", () => {
  test("neighbours of one role are one message, and a conversation begins with a user's word", () => {
    expect(messagesOf([assistant([text("a")]), assistant([text("b")]), user("c"), user("d", image)])).toEqual([
      { role: "user", content: [{ text: expect.any(String) as string }] },
      { role: "assistant", content: [{ text: "a" }, { text: "b" }] },
      { role: "user", content: [{ text: "c" }, { text: "d" }, imageBlock] },
    ]);
  });

  test("blank texts are left out, and what would be empty is told in words", () => {
    expect(messagesOf([user(" \n"), assistant([text(" ")], { finish: "interrupted" }), user("x", " ")])).toEqual([
      { role: "user", content: [{ text: "(empty message)" }] },
      { role: "assistant", content: [{ text: "(interrupted)" }] },
      { role: "user", content: [{ text: "x" }] },
    ]);
  });

  test("the line of context is the last text of its message", () => {
    expect(messagesOf([{ ...user("x"), contextLine: "it is noon" }])[0]?.content).toEqual([
      { text: "x" },
      { text: "it is noon" },
    ]);
  });

  test("B16 images that are gone or of a kind that is not taken are told in words", () => {
    const gone = { ...image, hash: "h2" };
    const odd = { ...image, mediaType: "image/tiff" };
    expect(messagesOf([user(gone, odd)])[0]?.content).toEqual([
      { text: expect.stringContaining("its bytes are gone") as string },
      { text: expect.stringContaining("image/tiff") as string },
    ]);
  });

  test("results of one answer stand in one message in the order in which they came, one for each call", () => {
    const messages = [
      user("x"),
      assistant([call("a"), call("b"), call("c")]),
      result("b", [text("two")], "error"),
      result("a", [text("one"), image]),
      result("z", [text("stray")]),
      user("next"),
    ];
    expect(messagesOf(messages)[2]?.content).toEqual([
      { toolResult: { toolUseId: "b", content: [{ text: "two" }], status: "error" } },
      { toolResult: { toolUseId: "a", content: [{ text: "one" }, imageBlock] } },
      { toolResult: { toolUseId: "c", content: [{ text: "(no result was recorded)" }], status: "error" } },
      { text: "[a result of t (call z) without its call]" },
      { text: "stray" },
      { text: "next" },
    ]);
  });

  test("models that know less of results get their images behind them and no status", () => {
    const messages = [user("x"), assistant([call("a"), call("b")]), result("a", [image]), result("b", [], "error")];
    expect(messagesOf(messages, targetOf({ quirks: {} }))[2]?.content).toEqual([
      { toolResult: { toolUseId: "a", content: [{ text: "(the image follows)" }] } },
      { toolResult: { toolUseId: "b", content: [{ text: "(no output)" }] } },
      { text: "Image from t (call a):" },
      imageBlock,
    ]);
  });

  test("B07 arguments go back to the letter; cut ones as the one member of an object; names and ids are made legal", () => {
    const long = "i".repeat(65);
    const blocks = blocksOf([
      call("a", '{ "n": 12345678901234567890 }'),
      call("a", '{"cut": "o'),
      call("b|c", "", "my tool"),
      call(long, "[1]"),
    ]);
    expect(
      wire.encode(requestOf([user("x"), assistant([call("a", '{"n":12345678901234567890}')])]), targetOf()).body,
    ).toContain('"input":{"n":12345678901234567890}');
    const calls = blocks.map((block) => block["toolUse"] as { toolUseId: string; name: string; input: unknown });
    expect(calls.map(({ toolUseId }) => toolUseId)).toEqual([
      "a",
      "a_2",
      expect.stringMatching(/^call_\w+$/) as string,
      expect.stringMatching(/^call_\w+$/) as string,
    ]);
    expect(calls.map(({ name }) => name)).toEqual(["t", "t", "my_tool", "t"]);
    expect(calls.slice(1).map(({ input }) => input)).toEqual([
      { [UNPARSED_ARGUMENTS]: '{"cut": "o' },
      {},
      { [UNPARSED_ARGUMENTS]: "[1]" },
    ]);
  });

  test("without tools, calls and results are told in words: the API refuses them where none are offered", () => {
    const messages = [user("x"), assistant([text("so"), call("a", '{"p":1}')]), result("a", [text("no")], "denied")];
    const body = bodyOf(requestOf(messages, { tools: [] }));
    expect(body["toolConfig"]).toBeUndefined();
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ text: "x" }] },
      { role: "assistant", content: [{ text: "so" }, { text: '[called t with {"p":1}]' }] },
      { role: "user", content: [{ text: "[result of t, denied]" }, { text: "no" }] },
    ]);
  });
});

describe("B09 reasoning sent back", () => {
  const redacted = { reasoningContent: { redactedContent: "QUJD" } };

  test("interleaved with calls: the same blocks in the same order", () => {
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
      thought("one"),
      { toolUse: { toolUseId: "a", name: "t", input: {} } },
      redacted,
      thought("two\n"),
      { text: "so" },
      { toolUse: { toolUseId: "b", name: "t", input: {} } },
    ]);
  });

  test.each([
    ["a text that was masked since", [reasoning("my «secret:x:1234»"), signed("my key"), call("a")]],
    ["a text without a signature", [reasoning("plain"), call("a")]],
    ["another model's", [reasoning("one"), signed("one", { model: "other" }), call("a")]],
    ["another provider's", [reasoning("one"), signed("one", { provider: "other" }), call("a")]],
    [
      "another wire's",
      [reasoning("one"), { ...signed("one"), wire: "anthropic_messages" } as AssistantPart, call("a")],
    ],
  ])("%s is left out", (_, parts) => {
    expect(blocksOf(parts)).toEqual([{ toolUse: { toolUseId: "a", name: "t", input: {} } }]);
  });

  test("reasoning alone is no message that may be sent back", () => {
    expect(blocksOf([reasoning("one"), signed("one")])).toEqual([thought("one"), { text: "(no answer)" }]);
  });
});

describe("R-PROMPT-3 any conversation", () => {
  const words = string({ unit: "binary", maxLength: 12 });
  const ids = constantFrom("a", "b", "c d", "e".repeat(70));
  const parts = array(
    words.chain((value) =>
      constantFrom<AssistantPart>(
        text(value),
        reasoning(value),
        signed(value.toWellFormed()),
        call("a", value, value),
        call("b"),
        call("e".repeat(70), '{"x":"\\ud800"}'),
      ),
    ),
    { maxLength: 5 },
  );
  const results = array(record({ id: ids, said: words }), { maxLength: 3 });
  const turn = record({ asked: words, parts, results }).map(({ asked, parts, results }): readonly Message[] => [
    user(asked, image),
    assistant(parts),
    ...results.map(({ id, said }) => result(id, [text(said), image], "error")),
  ]);
  const isPoint = (block: Record<string, unknown>): boolean => "cachePoint" in block;
  const flat = (request: LlmRequest, target: WireTarget): string[] =>
    (bodyOf(request, target)["messages"] as WireMessage[]).flatMap(({ role, content }) =>
      content.filter((block) => !isPoint(block)).map((block) => `${role} ${JSON.stringify(block)}`),
    );

  test("is encoded the same each time, and a longer one begins with the blocks of the shorter one", () => {
    assert(
      property(array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
        for (const quirks of [{}, { promptCache: "points", imagesInResults: true, resultStatus: true } as const]) {
          const target = targetOf({ quirks });
          const whole = requestOf(turns.flat());
          const { body } = wire.encode(whole, target, images);
          expect(wire.encode(structuredClone(whole), target, images).body).toBe(body);
          for (let kept = 1; kept < turns.length; kept += 1) {
            const shorter = requestOf(turns.slice(0, kept).flat());
            const before = flat(shorter, target);
            expect(flat(whole, target).slice(0, before.length)).toEqual(before);
            // What stands before the messages is the same to the byte.
            const head = (text: string): string => text.slice(0, text.indexOf('"messages":'));
            expect(head(wire.encode(shorter, target, images).body)).toBe(head(body));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("is legal: roles take turns, a user begins, each call has its one result at once, no text is blank", () => {
    assert(
      property(array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
        for (const tools of [[tool], []]) {
          const sent = bodyOf(requestOf(turns.flat(), { tools }))["messages"] as WireMessage[];
          const open = new Set<string>();
          for (const [at, { role, content }] of sent.entries()) {
            expect(role).toBe(at % 2 === 0 ? "user" : "assistant");
            expect(content.length).toBeGreaterThan(0);
            for (const { toolUse, toolResult, text } of content as Record<string, never>[]) {
              if (text !== undefined) expect(String(text).trim()).not.toBe("");
              if (toolResult !== undefined) expect(open.delete(toolResult["toolUseId"])).toBe(true);
              else if (role === "user") expect(open.size).toBe(0);
              if (toolUse === undefined) continue;
              expect(toolUse["toolUseId"]).toMatch(/^[\w-]{1,64}$/);
              open.add(toolUse["toolUseId"]);
            }
            if (role === "user") expect(open.size).toBe(0);
            if (tools.length === 0) expect(JSON.stringify(content)).not.toMatch(/"tool(?:Use|Result)":/);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
