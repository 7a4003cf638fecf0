import * as fc from "fast-check";
import { expect, test } from "vitest";
import { estimateUnknown } from "../../llm/estimate.ts";
import { newestQuotes } from "./quotes.ts";

const tokensOf = (text: string): number => estimateUnknown(text);
const total = (quotes: readonly string[]): number => quotes.reduce((sum, quote) => sum + tokensOf(quote), 0);

test("the newest that fit, the oldest of them first, to the letter", () => {
  const said = Array.from({ length: 100 }, (_, at) => `ask number ${at}`);
  const quotes = newestQuotes(said, { tokensOf, most: 40 });
  expect(quotes.length).toBeGreaterThan(3);
  expect(quotes).toEqual(said.slice(-quotes.length));
  expect(total(quotes)).toBeLessThanOrEqual(40);
});

test("a pasted page is shortened and leaves room for what was said before it", () => {
  const quotes = newestQuotes(["keep the old path", `paste ${"tide ".repeat(5_000)}end`], { tokensOf, most: 200 });
  expect(quotes).toHaveLength(2);
  expect(quotes[0]).toBe("keep the old path");
  expect(quotes[1]).toMatch(/^paste .*characters left out.*end$/);
});

test("whatever was said and in whatever script, it is never more than there is room for", () => {
  const words = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3_000 }),
    fc.nat({ max: 3_000 }).map((length) => "潮🦜".repeat(length)),
    fc.nat({ max: 3_000 }).map((length) => "{}".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), fc.integer({ min: 1, max: 600 }), (said, most) => {
      expect(total(newestQuotes(said, { tokensOf, most }))).toBeLessThanOrEqual(most);
    }),
  );
});
