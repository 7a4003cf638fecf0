import * as fc from "fast-check";
import { expect, test } from "vitest";
import { maskLines } from "./mask-lines.ts";

const MASK = "«secret:test:0a1b»";

test("lines without secrets are the same lines", () => {
  const lines = ["a", "b"];
  expect(maskLines(lines, (text) => text)).toBe(lines);
});

test("a secret over several lines leaves its mask and gaps, also several of them", () => {
  const redact = (text: string): string => text.replace(/<[^>]*>/gu, MASK);
  expect(maskLines(["a", "k=<1", "2", "3>;", "b", "<4", "5>", "c"], redact)).toEqual([
    "a",
    `k=${MASK};`,
    undefined,
    undefined,
    "b",
    MASK,
    undefined,
    "c",
  ]);
});

test("every line that is not touched stays at its place, whatever is masked", () => {
  const LINE = fc.constantFrom("plain one", "plain two", "<open", "close>", "", "<both>");
  fc.assert(
    fc.property(fc.array(LINE, { minLength: 1, maxLength: 20 }), (lines) => {
      const redact = (text: string): string => text.replace(/<[^<>]*>/gu, MASK);
      const masked = maskLines(lines, redact);
      expect(masked).toHaveLength(lines.length);
      expect(masked.filter((line) => line !== undefined).join("\n")).toBe(redact(lines.join("\n")));
    }),
    { numRuns: 500 },
  );
});

test("what no reading of masks explains is told at the first place, and nothing is lost", () => {
  expect(maskLines(["a", "b", "c"], () => "something else")).toEqual(["something else", undefined, undefined]);
});
