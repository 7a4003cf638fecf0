import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { ASSUMED_WINDOW, costOf, createCatalogue, shippedCatalogue } from "./catalogue.ts";
import { PROVIDER_OF_MAKER, PROVIDER_SOURCES } from "./catalogue/provider-sources.ts";
import { EXAMPLE_MODELS } from "./catalogue/windows.ts";
import { PROVIDER_ROWS } from "./providers/rows.ts";

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
    ["a model of open weights at another host", "openrouter", "deepseek/deepseek-reasoner"],
    ["a model of open weights at a host whose prices are unknown", "arcee", "deepseek/deepseek-chat"],
    ["a local server", "ollama", "gpt-oss-20b"],
    ["a variant", "openrouter", "openai/gpt-4o:extended"],
    ["a plan", "copilot", "gpt-5.6-sol"],
    ["a plan's models at a provider that sells others", "kimi-coding", "k3"],
    ["two prices of 0 that do not mean free", "opencode-zen", "big-pickle"],
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

test.each([
  ["a host's own price of a model of open weights", "openrouter", "deepseek/deepseek-chat", { input: 0.2574 }],
  ["a closed model that the host does not list any more", "openrouter", "anthropic/claude-3.5-haiku", { input: 0.8 }],
  ["free", "openrouter", "google/gemma-4-31b-it:free", { input: 0, output: 0, cacheRead: 0 }],
  ["long requests", "gemini", "gemini-2.5-pro", { input: 1.25, tiers: [{ above: 200_000, input: 2.5, output: 15 }] }],
  ["a host's spelling", "huggingface", "deepseek-ai/deepseek-r1", { input: 0.7 }],
])("R-MONEY-1 the price of %s", (...[, provider, model, price]) => {
  expect(shippedCatalogue.find(provider, model).price).toMatchObject(price);
});

test.each([
  ["a local server's spelling", "ollama", "qwen3:32b", 40_960],
  ["a repository's name", "lmstudio", "Qwen/Qwen3-32B", 40_960],
  ["a model of one maker at an unknown host", "custom", "gpt-4o-2024-08-06", 128_000],
  ["a model that is only found at a host of many", "custom", "llama-3.1-8b-instruct", 131_072],
  ["another region", "bedrock", "apac.anthropic.claude-opus-4-5-20251101-v1:0", 200_000],
  ["a model that people run themselves", "ollama", "hermes-4:70b", 131_072],
  ["a proxy of many hosts", "kilocode", "anthropic/claude-opus-4.5", 200_000],
])("the window of %s", (...[, provider, model, contextWindow]) => {
  expect(shippedCatalogue.find(provider, model)).toMatchObject({ contextWindow, contextWindowFrom: "catalogue" });
});

test("what a model can do", () => {
  const { abilities, maxOutputTokens } = shippedCatalogue.find("anthropic", "claude-sonnet-5-5");
  expect(abilities).toEqual({ tools: true, images: true, reasoning: true, temperature: false });
  expect(maxOutputTokens).toBe(128_000);
});

test("what was fetched comes first, what ships still counts", () => {
  const fetched = { xai: ["grok-4.3 900000 1000 t 1:2", "grok-9 5000000 - -"] };
  const catalogue = createCatalogue({ fetched: () => fetched });
  expect(catalogue.find("xai", "grok-4.3")).toMatchObject({ contextWindow: 900_000, price: { input: 1, output: 2 } });
  expect(catalogue.find("xai", "grok-4.5").contextWindow).toBe(500_000);
  expect(catalogue.find("xai-oauth", "grok-9")).toEqual({ contextWindow: 5_000_000, contextWindowFrom: "catalogue" });
  expect(catalogue.find("xai-oauth", "grok-4.3").price).toBeUndefined();
  expect(catalogue.list("xai").map(({ name }) => name)).toEqual(["grok-4.3", "grok-9"]);
  expect(catalogue.list("openai-api").length).toBeGreaterThan(10);
  expect(catalogue.list("nowhere")).toEqual([]);
});

test("every listed model is found under its name, with what its line says", () => {
  for (const provider of Object.keys(PROVIDER_SOURCES)) {
    for (const { name, contextWindow, price } of shippedCatalogue.list(provider)) {
      const found = shippedCatalogue.find(provider, name);
      expect({ name, window: found.contextWindow, price: found.price }).toEqual({ name, window: contextWindow, price });
    }
  }
});

test("providers, makers and examples are those that there are", () => {
  const ids = PROVIDER_ROWS.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(Object.keys(PROVIDER_SOURCES)));
  expect(ids).toEqual(expect.arrayContaining(Object.values(PROVIDER_OF_MAKER)));
  for (const [provider, models] of Object.entries(EXAMPLE_MODELS)) {
    const listed = shippedCatalogue.list(provider).map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining([...models]));
  }
});

test("looking up never throws, and a window is always there", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "a/b:c", ":", "/"));
  const lines = fc.dictionary(fc.constantFrom("xai", "openrouter", "__proto__"), fc.array(fc.string()));
  fc.assert(
    fc.property(text, text, lines, (provider, model, fetched) => {
      const { contextWindow } = createCatalogue({ fetched: () => fetched }).find(provider, model);
      expect(contextWindow).toBeGreaterThan(0);
    }),
  );
});

describe("cost", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const tiered = {
    input: 1.25,
    output: 10,
    tiers: [
      { above: 200_000, input: 2, output: 18 },
      { above: 500_000, input: 4, output: 20, cacheRead: 0.4 },
    ],
  };
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
    ["up to the bound of long requests", { inputTokens: 200_000, outputTokens: 1_000 }, tiered, 0.26],
    ["a long request", { inputTokens: 200_001, outputTokens: 1_000 }, tiered, 0.418_002],
    ["a longer one", { inputTokens: 600_000, outputTokens: 0, cacheReadTokens: 600_000 }, tiered, 0.24],
    [
      "a long one, its cache's price unknown",
      { inputTokens: 300_000, outputTokens: 0, cacheReadTokens: 1 },
      tiered,
      null,
    ],
  ] as const)("R-MONEY-1 %s", (...[, usage, prices, expected]) => {
    const cost = costOf(usage, prices);
    if (expected === null) expect(cost).toBeNull();
    else expect(cost).toBeCloseTo(expected, 9);
  });
});
