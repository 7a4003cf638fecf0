import * as fc from "fast-check";
import { expect, test } from "vitest";
import { maskLines } from "./mask-lines.ts";

test("lines without secrets are the same lines", () => {
  const lines = ["a", "b"];
  expect(maskLines(lines, (text) => text)).toBe(lines);
});

test("a secret over several lines leaves its mask and gaps, also several of them", () => {
  const redact = (text: string): string => text.replace(/<[^>]*>/gu, "«m»");
  expect(maskLines(["a", "k=<1", "2", "3>;", "b", "<4", "5>", "c"], redact)).toEqual([
    "a",
    "k=«m»;",
    undefined,
    undefined,
    "b",
    "«m»",
    undefined,
    "c",
  ]);
});

test("every line that is not touched stays at its place, whatever is masked", () => {
  const LINE = fc.constantFrom("plain one", "plain two", "<open", "close>", "", "<both>");
  fc.assert(
    fc.property(fc.array(LINE, { minLength: 1, maxLength: 20 }), (lines) => {
      const redact = (text: string): string => text.replace(/<[^<>]*>/gu, "«m»");
      const masked = maskLines(lines, redact);
      expect(masked).toHaveLength(lines.length);
      expect(masked.filter((line) => line !== undefined).join("\n")).toBe(redact(lines.join("\n")));
    }),
    { numRuns: 500 },
  );
});
