import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readModelLine, writeModelLine } from "./model-facts.ts";
import { findLine, findOfAnyMaker, sortLines } from "./model-lines.ts";
import { readModelsDev } from "./read-models-dev.ts";

test("a model is read with everything that it states", () => {
  const data = {
    google: {
      models: {
        "gemini-x": {
          limit: { context: 1_048_576, output: 65_536 },
          tool_call: true,
          reasoning: false,
          temperature: true,
          modalities: { input: ["text", "image"], output: ["text"] },
          cost: {
            input: 1.25,
            output: 10,
            cache_read: 0.09999999999999999,
            cache_write: 0,
            context_over_200k: { input: 2.5, output: 15, cache_read: 0.2 },
            tiers: [
              { input: 5, output: 20, tier: { type: "context", size: 500_000 } },
              { input: 6, tier: { size: 9 } },
            ],
          },
        },
        painter: { limit: { context: 1000 }, modalities: { output: ["image"] } },
        "two words": { limit: { context: 1000 } },
        unlimited: { limit: { context: 0 } },
        free: { limit: { context: 1 }, cost: { input: 0, output: 0 } },
        "x:free": { limit: { context: 2 }, cost: { input: 0, output: 0 } },
        half: { limit: { context: 3 }, cost: { input: 1 } },
        negative: { limit: { context: 4 }, cost: { input: -1, output: 1 } },
      },
    },
    "github-copilot": { models: { "gpt-9": { limit: { context: 5 }, cost: { input: 1, output: 1 } } } },
  };
  expect(readModelsDev(data)).toEqual({
    gemini: [
      "free 1 - -",
      "gemini-x 1048576 65536 tiRc 1.25:10:0.1 200000>2.5:15:0.2 500000>5:20",
      "half 3 - -",
      "negative 4 - -",
      "x:free 2 - - 0:0:0",
    ],
    copilot: ["gpt-9 5 - -"],
  });
});

test("whatever is downloaded, reading never throws, and what is read can be found", () => {
  const ids = fc.constantFrom("openai", "openrouter", "xai", "__proto__");
  const members = fc.constantFrom("models", "limit", "context", "cost", "tiers", "input", "modalities", "output");
  const anything = fc.jsonValue({ maxDepth: 3 });
  const model = fc.record({
    limit: fc.oneof(anything, fc.record({ context: fc.integer(), output: fc.double() })),
    cost: fc.oneof(anything, fc.dictionary(members, anything), fc.record({ input: fc.double(), output: fc.double() })),
    modalities: anything,
  });
  const provider = fc.oneof(anything, fc.record({ models: fc.dictionary(fc.string(), fc.oneof(anything, model)) }));
  fc.assert(
    fc.property(fc.oneof(anything, fc.dictionary(ids, provider)), (data) => {
      for (const lines of Object.values(readModelsDev(data))) {
        for (const line of lines) {
          const facts = readModelLine(line);
          expect(facts?.contextWindow).toBeGreaterThan(0);
          expect(findLine(lines, facts?.name ?? "")).toEqual(facts);
        }
      }
    }),
  );
});

const usd = fc.double({ min: 0, max: 1000, noNaN: true }).map((value) => Number(value.toPrecision(6)) || 0);
const prices = fc.record(
  { input: usd, output: usd, cacheRead: usd, cacheWrite: usd },
  { requiredKeys: ["input", "output"] },
);
const facts = fc.record(
  {
    name: fc.stringMatching(/^[!-~]{1,40}$/),
    contextWindow: fc.integer({ min: 1, max: 10_000_000 }),
    maxOutputTokens: fc.integer({ min: 1, max: 1_000_000 }),
    abilities: fc.record(
      { tools: fc.boolean(), images: fc.boolean(), reasoning: fc.boolean(), temperature: fc.boolean() },
      { requiredKeys: [] },
    ),
    price: fc.oneof(
      prices,
      fc
        .tuple(prices, prices, fc.integer({ min: 1, max: 1_000_000 }))
        .map(([base, tier, above]) => ({ ...base, tiers: [{ above, ...tier }] })),
    ),
  },
  { requiredKeys: ["name", "contextWindow", "abilities"] },
);

test("a line gives back what was written into it", () => {
  fc.assert(
    fc.property(facts, (model) => {
      expect(readModelLine(writeModelLine(model))).toEqual(model);
    }),
  );
});

test("any line at all is read or refused, never thrown over", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (line) => {
      const read = readModelLine(line);
      expect(read === undefined || read.contextWindow >= 1).toBe(true);
    }),
  );
});

test("a model is found among others under its name, and under its makers'", () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9.:_-]{1,12}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 60 }), (names) => {
      const lines = sortLines(names.map((each) => `${each} 5 - -`));
      for (const each of names) expect(findLine(lines, each)?.name).toBe(each);
      const made = sortLines(names.map((each) => `maker/${each} 5 - -`));
      for (const each of names) {
        expect(findOfAnyMaker(made, each)?.name.toLowerCase().replace(/[.:_]/g, "-")).toBe(
          `maker/${each.toLowerCase().replace(/[.:_]/g, "-")}`,
        );
      }
      expect(findLine(lines, "not there at all")).toBeUndefined();
    }),
  );
});
