import { createTwoFilesPatch } from "diff";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyHunks } from "./apply-hunks.ts";
import type { HunksOutcome } from "./apply-hunks.ts";
import { parsePatch } from "./parse-patch.ts";

const apply = (text: string, patch: string): HunksOutcome => {
  const parsed = parsePatch(patch, "file");
  if (parsed.kind === "invalid") throw new Error(parsed.why);
  const [file] = parsed.files;
  return file === undefined || file.kind === "add" ? { kind: "failed", why: "no hunks" } : applyHunks(text, file.hunks);
};

const applied = (text: string, patch: string): string => {
  const outcome = apply(text, patch);
  expect(outcome).toMatchObject({ kind: "applied" });
  return outcome.kind === "applied" ? outcome.text : "";
};

const failure = (text: string, patch: string): string => {
  const outcome = apply(text, patch);
  return outcome.kind === "failed" ? outcome.why : `applied: ${outcome.text}`;
};

const LINES = fc.array(fc.constantFrom("a", "b", "c", "d", "", "  e", "-- f", "++ g", "\\ h", "@@ i"), {
  maxLength: 30,
});
const TEXT = fc
  .tuple(LINES, fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

describe("applyHunks with unified diffs", () => {
  test("a diff of two texts turns the first into the second", () => {
    fc.assert(
      fc.property(TEXT, TEXT, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        fc.pre(before !== after);
        expect(applied(before, createTwoFilesPatch("f", "f", before, after, "", "", { context }))).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  test("the same in a CRLF file, which stays CRLF", () => {
    fc.assert(
      fc.property(TEXT, TEXT, (before, after) => {
        fc.pre(before !== after && before.includes("\n"));
        const patch = createTwoFilesPatch("f", "f", before, after, "", "");
        expect(applied(before.replaceAll("\n", "\r\n"), patch)).toBe(after.replaceAll("\n", "\r\n"));
      }),
      { numRuns: 500 },
    );
  });

  test("wrong counts and line numbers do no harm where the place is clear", () => {
    const text = "one\ntwo\nthree\nfour\nfive\n";
    expect(applied(text, "--- a/f\n+++ b/f\n@@ -40,9 +41,2 @@\n two\n-three\n+3\n four\n")).toBe(
      "one\ntwo\n3\nfour\nfive\n",
    );
  });

  test("the stated line decides between equal places, with the drift of the hunks before", () => {
    const text = "x\nsame\nx\nsame\nx\nsame\nx\n";
    expect(applied(text, "--- f\n+++ f\n@@ -4,1 +4,1 @@\n-same\n+changed\n")).toBe("x\nsame\nx\nchanged\nx\nsame\nx\n");
    const shifted = `new\n${text}head\nsame\ntail\n`;
    const patch = "--- f\n+++ f\n@@ -8,3 +8,3 @@\n head\n-same\n+1\n tail\n";
    expect(applied(shifted, patch)).toBe(`new\n${text}head\n1\ntail\n`);
  });

  test("equal places without a deciding line are an error with their lines", () => {
    expect(failure("same\nx\nsame\n", "--- f\n+++ f\n@@ -2,1 +2,1 @@\n-same\n+changed\n")).toContain("lines 1, 3");
  });

  test("outer context that differs is dropped, removed lines never", () => {
    const patch = "--- f\n+++ f\n@@ -1,3 +1,3 @@\n old head\n-two\n+2\n three\n";
    expect(apply("new head\ntwo\nthree\n", patch)).toEqual({
      kind: "applied",
      text: "new head\n2\nthree\n",
      places: [{ line: 2, fit: "context_dropped" }],
    });
    expect(failure("old head\nTWO\nthree\n", patch)).toContain("1\told head\n2\tTWO\n3\tthree");
  });

  test("context lines keep the file's white space; added lines take the shift", () => {
    const patch = "--- f\n+++ f\n@@ -1,3 +1,4 @@\n if a:\n     b()\n+    c()\n     d()\n";
    expect(applied("  if a: \n      b()\n      d()\t\n", patch)).toBe("  if a: \n      b()\n      c()\n      d()\t\n");
  });

  test("the end of the file: newline added, removed, kept", () => {
    const bare = "\\ No newline at end of file";
    expect(applied("a", `--- f\n+++ f\n@@ -1 +1 @@\n-a\n${bare}\n+a\n`)).toBe("a\n");
    expect(applied("a\n", `--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n${bare}\n`)).toBe("b");
    expect(applied("a\nb", "--- f\n+++ f\n@@ -2 +2 @@\n-b\n+c\n")).toBe("a\nc");
    expect(applied("", "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n")).toBe("a\n");
  });
});

describe("applyHunks with blocks", () => {
  const update = (...lines: readonly string[]): string =>
    ["*** Begin Patch", "*** Update File: f", ...lines, "*** End Patch"].join("\n");
  const classes = "class A:\n  def run(self):\n    return 1\n\nclass B:\n  def run(self):\n    return 1\n";

  test("hints tell which of equal places is meant", () => {
    const change = ["-    return 1", "+    return 2"];
    expect(applied(classes, update("@@ class B:", ...change))).toBe(classes.replace(/return 1\n$/u, "return 2\n"));
    expect(applied(classes, update("@@ class A:", "@@   def run(self):", ...change))).toBe(
      classes.replace("return 1", "return 2"),
    );
    expect(failure(classes, update(...change))).toContain("2 places (lines 3, 7)");
    expect(failure(classes, update("@@ def run(self):", ...change))).toContain("2 places");
  });

  test("of equal places the only one after the last hunk is meant", () => {
    const patch = update(" class B:", "-  def run(self):", "+  def go(self):", "@@", "-    return 1", "+    return 2");
    expect(applied(classes, patch)).toBe(
      classes.replace(/ {2}def run\(self\):\n {4}return 1\n$/u, "  def go(self):\n    return 2\n"),
    );
  });

  test("End of File means the end; hunks without old lines go after their hint or to the end", () => {
    expect(applied("a\nb\na\n", update("@@", "-a", "+c", "*** End of File"))).toBe("a\nb\nc\n");
    expect(applied("a\nb\n", update("@@ a", "+new"))).toBe("a\nnew\nb\n");
    expect(applied("a\nb", update("+last"))).toBe("a\nb\nlast");
    expect(failure("a\nb\n", update("@@ nowhere", "+new"))).toContain('"nowhere" is not in the file');
  });

  test("an empty line stands for an empty context line", () => {
    expect(applied("a\n\nb\n", update(" a", "", "-b", "+c"))).toBe("a\n\nc\n");
  });
});
