import { applyPatch, diffLines as exactDiff } from "diff";
import { array, assert, constantFrom, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines } from "./line-diff.ts";

const names = { before: "a", after: "b" };
const seed = 20_261_201;

const text = tuple(array(constantFrom("", "a", "b", "c", "d\r"), { maxLength: 24 }), constantFrom("", "\n")).map(
  ([lines, end]) => lines.join("\n") + end,
);

const countOf = (before: string, after: string, side: "added" | "removed"): number =>
  exactDiff(before, after).reduce((sum, change) => sum + (change[side] ? change.count : 0), 0);

describe(`diffLines (seed ${seed})`, () => {
  test("the diff leads from one text to the other, with no line more than the exact one has", () => {
    assert(
      property(text, text, (before, after) => {
        const { diff, added, removed } = diffLines(names, before, after);
        expect([added, removed]).toEqual([countOf(before, after, "added"), countOf(before, after, "removed")]);
        // Carriage returns are not shown, so they are no part of what the diff says.
        const [from, to] = [before, after].map((each) => each.replaceAll("\r", ""));
        if (before.includes("\r") || after.includes("\r")) return;
        expect(applyPatch(from ?? "", diff)).toBe(to);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  test("a changed line between many shows where it stands and what is around it", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const before = `${lines.join("\n")}\n`;
    expect(diffLines(names, before, before.replace("line 50\n", "line fifty\nand one\n"))).toEqual({
      diff: "--- a\n+++ b\n@@ -47,7 +47,8 @@\n line 47\n line 48\n line 49\n-line 50\n+line fifty\n+and one\n line 51\n line 52\n line 53\n",
      added: 2,
      removed: 1,
    });
  });
});
