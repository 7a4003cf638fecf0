import { describe, expect, test } from "vitest";
import { ASSUMED_WINDOW, costOf, shippedCatalogue } from "./catalogue.ts";

describe("looking up", () => {
  test.each([
    ["openai-api", "gpt-4o", 128_000, 2.5],
    ["openai-api", "gpt-4o-2024-08-06", 128_000, 2.5],
    ["openrouter", "openai/gpt-4o", 128_000, 2.5],
    ["openrouter", "anthropic/claude-opus-4.5", 200_000, 5],
    ["anthropic", "claude-opus-4-5-20251101", 200_000, 5],
    ["anthropic", "CLAUDE-OPUS-4-5", 200_000, 5],
    ["deepseek", "deepseek-chat", 128_000, 0.28],
  ])("%s %s", (...[provider, model, contextWindow, input]) => {
    expect(shippedCatalogue.find(provider, model)).toMatchObject({
      contextWindow,
      contextWindowFrom: "catalogue",
      price: { input },
    });
  });

  test.each([
    ["a model of open weights at another host", "openrouter", "deepseek/deepseek-chat"],
    ["a local server", "ollama", "gpt-oss-20b"],
    ["a variant", "openrouter", "openai/gpt-4o:extended"],
    ["a price that depends on the length", "gemini", "gemini-2.5-pro"],
    ["somebody else's endpoint", "custom", "gpt-4o"],
    ["a contract's price", "azure-foundry", "gpt-4o"],
  ])("%s: the window is known, the price is not", (...[, provider, model]) => {
    const entry = shippedCatalogue.find(provider, model);
    expect(entry.contextWindowFrom).toBe("catalogue");
    expect(entry.price).toBeUndefined();
  });

  test.each([
    ["openai-api", "gpt-5.9-turbo", 400_000],
    ["openrouter", "anthropic/claude-next-9", 200_000],
    ["custom", "my-finetune", ASSUMED_WINDOW],
  ])("unlisted: the family's window, else the assumption (%s %s)", (provider, model, contextWindow) => {
    expect(shippedCatalogue.find(provider, model)).toEqual({ contextWindow, contextWindowFrom: "assumed" });
  });
});

describe("cost", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  test.each([
    ["plain", { inputTokens: 1_000_000, outputTokens: 100_000 }, price, 4.5],
    ["cached", { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 900_000 }, price, 0.57],
    ["written", { inputTokens: 1_000_000, outputTokens: 0, cacheWriteTokens: 1_000_000 }, price, 3.75],
    [
      "written at the price of input",
      { inputTokens: 1_000_000, outputTokens: 0, cacheWriteTokens: 1_000_000 },
      { input: 3, output: 15 },
      3,
    ],
    ["no price", { inputTokens: 1, outputTokens: 1 }, undefined, null],
    ["half a price", { inputTokens: 1, outputTokens: 1 }, { input: 3 }, null],
    ["no counts", {}, price, null],
    ["nothing counted", undefined, price, null],
    [
      "cached without its price",
      { inputTokens: 9, outputTokens: 1, cacheReadTokens: 5 },
      { input: 3, output: 15 },
      null,
    ],
    ["free", { inputTokens: 9, outputTokens: 1 }, { input: 0, output: 0 }, 0],
  ] as const)("R-MONEY-1 %s", (...[, usage, prices, expected]) => {
    const cost = costOf(usage, prices);
    if (expected === null) expect(cost).toBeNull();
    else expect(cost).toBeCloseTo(expected, 9);
  });
});
