import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { createTokenEstimator, estimateTokens, estimateUnknown } from "./estimate.ts";
import type { Message } from "./message.ts";
import type { LlmRequest } from "./request.ts";

const words = (count: number): string => "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(count / 10));

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }], origin: { surface: "cli" } });

const requestOf = (messages: readonly Message[], changes: Partial<LlmRequest> = {}): LlmRequest => ({
  system: "",
  messages,
  tools: [],
  ...changes,
});

const tool = {
  name: "read_file",
  description: "Read a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

describe("a request", () => {
  test.each([
    ["English", words(2_000)],
    ["code", 'const answer = compute({ left: 1, right: "two" });\n'.repeat(100)],
    ["Chinese", "今天天气很好，我们去公园散步吧。".repeat(100)],
    ["German", "Die Donaudampfschifffahrtsgesellschaft fährt über größere Flüsse. ".repeat(60)],
    ["JSON", JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `item ${id}`, ok: true })))],
  ])("R-TIME-1 %s is estimated within 35 % of a real tokenizer", (_name, text) => {
    const real = countTokens(text);
    expect(Math.abs(estimateTokens(requestOf([user(text)])) - real) / real).toBeLessThan(0.35);
  });

  test("every part counts: system, tools, reasoning, calls, results, images, context line, opaque", () => {
    const empty = estimateTokens(requestOf([]));
    expect(empty).toBe(0);
    const parts: readonly LlmRequest[] = [
      requestOf([], { system: "s" }),
      requestOf([], { tools: [tool] }),
      requestOf([user("x")]),
      requestOf([{ ...user(""), role: "user", contextLine: "ctx" } as Message]),
      requestOf([
        {
          role: "user",
          parts: [{ type: "image", hash: "h", mediaType: "image/png", byteLength: 9 }],
          origin: { surface: "cli" },
        },
      ]),
      requestOf([
        {
          role: "tool",
          parts: [
            {
              type: "tool_result",
              callId: "c",
              name: "n",
              outcome: "ok",
              content: [{ type: "text", text: words(50) }],
            },
          ],
        },
      ]),
    ];
    for (const request of parts) expect(estimateTokens(request)).toBeGreaterThan(0);
    const said = (text: string): number =>
      estimateTokens(
        requestOf([
          {
            role: "assistant",
            provider: "p",
            model: "m",
            finish: "stop",
            parts: [
              { type: "reasoning", text },
              { type: "tool_call", id: "c", name: "n", arguments: text },
              { type: "opaque", wire: "chat_completions", provider: "p", model: "m", data: { text } },
            ],
          },
        ]),
      );
    expect(said(words(400)) - said("")).toBeGreaterThan(3 * 350);
  });

  test("messages are counted once in their life", () => {
    let reads = 0;
    const message = user("hello");
    const watched = new Proxy(message, {
      get: (target, key, receiver) => {
        if (key === "parts") reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const estimator = createTokenEstimator();
    const first = estimator.estimateTokens(requestOf([watched]));
    const readAtFirst = reads;
    for (let turn = 0; turn < 5; turn += 1) expect(estimator.estimateTokens(requestOf([watched]))).toBe(first);
    expect(reads).toBe(readAtFirst);
  });

  test("a long conversation is counted a piece a call, newest first, and estimated alike from the first call on", () => {
    const estimator = createTokenEstimator();
    const text = "The tide table of the harbour says high water at nine. ".repeat(20);
    const messages = Array.from({ length: 2_000 }, (): Message => ({
      role: "user",
      parts: [{ type: "text", text }],
      origin: { surface: "cli" },
    }));
    const first = estimator.estimateTokens(requestOf(messages));
    for (let call = 0; call < 60; call += 1) estimator.estimateTokens(requestOf(messages));
    const settled = estimator.estimateTokens(requestOf(messages));
    expect(settled).toBe(
      2_000 * estimator.estimateMessage(requestOf(messages).messages[0] ?? expect.fail("no message")),
    );
    expect(Math.abs(first - settled) / settled).toBeLessThan(0.35);
  });
});

describe("B18 R-TIME-1 payloads of every shape", () => {
  const text = words(4_000);
  const tools = [{ type: "function", function: tool }];
  const shapes: readonly (readonly [string, unknown])[] = [
    ["chat completions", { model: "m", messages: [{ role: "user", content: text }], tools }],
    [
      "Responses",
      {
        model: "m",
        input: [{ role: "user", content: [{ type: "input_text", text }] }],
        instructions: "be kind",
        tools,
      },
    ],
    ["Responses with a plain input", { model: "m", input: text }],
    ["Anthropic", { model: "m", system: "s", messages: [{ role: "user", content: [{ type: "text", text }] }], tools }],
    [
      "Gemini",
      { contents: [{ role: "user", parts: [{ text }] }], systemInstruction: { parts: [{ text: "s" }] }, tools },
    ],
    ["a bare list", [{ role: "user", content: text }]],
    ["an unknown object", { whatever: { deep: [text] } }],
    ["a text", text],
  ];
  const real = countTokens(text);
  test.each(shapes)("%s", (_name, payload) => {
    const tokens = estimateUnknown(payload);
    expect(tokens).toBeGreaterThan(real * 0.7);
    expect(tokens).toBeLessThan(real * 1.4);
  });

  test.each([{ model: "m" }, [1], { messages: [], model: "m" }, 5, true, { big: 10n }])("never 0 for %o", (payload) => {
    expect(estimateUnknown(payload)).toBeGreaterThan(0);
  });

  test.each([undefined, null, "", [], {}])("0 for nothing: %o", (payload) => {
    expect(estimateUnknown(payload)).toBe(0);
  });

  test("parameters do not count beside context, pictures count as pictures", () => {
    const messages = [{ role: "user", content: text }];
    expect(estimateUnknown({ messages, metadata: text })).toBe(estimateUnknown({ messages }));
    const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    expect(estimateUnknown({ messages: [{ content: [{ image_url: { url } }] }] })).toBeLessThan(2_000);
  });

  test("an object that holds itself is estimated all the same", () => {
    const circular: Record<string, unknown> = { text };
    circular.self = circular;
    expect(estimateUnknown(circular)).toBeGreaterThan(real * 0.7);
  });
});
