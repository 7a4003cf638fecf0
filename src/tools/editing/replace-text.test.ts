import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { replaceText } from "./replace-text.ts";
import type { ReplaceOutcome } from "./replace-text.ts";

const replace = (text: string, oldText: string, newText: string): ReplaceOutcome =>
  replaceText(text, { oldText, newText, replacesAll: false });

const replaced = (text: string, oldText: string, newText: string): string => {
  const outcome = replace(text, oldText, newText);
  expect(outcome.kind).toBe("replaced");
  return outcome.kind === "replaced" ? outcome.text : "";
};

describe("replaceText", () => {
  test("B48 lines of a CRLF file keep their indentation and line ends", () => {
    const text = "def o():\r\n    if k:\r\n        m()\r\n        n()\r\n";
    const expected = "def o():\r\n    if k:\r\n        m2()\r\n        n()\r\n";
    expect(replaced(text, "if k:\n        m()\n        n()", "if k:\n        m2()\n        n()")).toBe(expected);
  });

  test("B48 the same with spaces at line ends, and with a new first line that brings its indentation", () => {
    const text = "def o():\r\n    if k:  \r\n        m()\r\n        n()\r\n";
    const expected = "def o():\r\n    if j:\r\n        m()\r\n        n()\r\n";
    expect(replaced(text, "if k:\n        m()\n        n()", "if j:\n        m()\n        n()")).toBe(expected);
    expect(replaced(text, "if k:\n        m()\n        n()", "    if j:\n        m()\n        n()")).toBe(expected);
  });

  test("a uniform shift of indentation is applied to all new lines, in both directions and with tabs", () => {
    expect(replaced("  a {\n    b\n\n  }\n", "a {\n  b\n\n}", "a {\n  c\n    d\n\n}")).toBe(
      "  a {\n    c\n      d\n\n  }\n",
    );
    expect(replaced("a {\n  b\n}\n", "    a {\n      b\n    }", "    a {\n      c\n    }")).toBe("a {\n  c\n}\n");
    expect(replaced("\t\ta\n\t\t\tb\n", "a\n\tb", "x\n\ty")).toBe("\t\tx\n\t\t\ty\n");
  });

  test("an indentation that differs line by line is no match", () => {
    expect(replace("a\n  b\n   c\n", "a\n    b\n    c", "x").kind).toBe("not_found");
  });

  test("a new line that cannot lose the shift is refused", () => {
    expect(replace("a\nb\n", "  a\n  b", "  a\n b")).toEqual({ kind: "unshiftable", line: 1 });
  });

  test("trailing spaces do not matter, and the untouched lines keep theirs", () => {
    expect(replaced("x  \na \nb\t\ny  \n", "a\nb", "c")).toBe("x  \nc\ny  \n");
  });

  test("several places are an error with all lines, also overlapping ones, unless all are meant", () => {
    expect(replace("a\nb\na\n", "a", "c")).toEqual({ kind: "ambiguous", lines: [1, 3] });
    expect(replace("aaa", "aa", "b")).toEqual({ kind: "ambiguous", lines: [1, 1] });
    expect(replaceText("aaaa a", { oldText: "aa", newText: "b", replacesAll: true })).toMatchObject({
      text: "bb a",
      lines: [1, 1],
    });
    expect(replace("  a\nx\n    a\n", "a \n", "c\n")).toEqual({ kind: "ambiguous", lines: [1, 3] });
  });

  test("new line ends are those in force at the place, in files that mix them", () => {
    const text = "one\ntwo\r\nthree\r\nfour\n";
    expect(replaced(text, "two", "2\n2b")).toBe("one\n2\r\n2b\r\nthree\r\nfour\n");
    expect(replaced(text, "four", "4\n4b")).toBe("one\ntwo\r\nthree\r\n4\n4b\n");
    expect(replaced("a\r\nlast", "last", "x\ny")).toBe("a\r\nx\r\ny");
  });

  test("a line end in the old text takes its line with it", () => {
    expect(replaced("a\r\nb\r\nc", "b\n", "")).toBe("a\r\nc");
    expect(replaced("a\nb \nc", "b\n", "")).toBe("a\nc");
  });

  test("a lone carriage return is a character like others", () => {
    expect(replaced("a\rb\nc", "a\rb", "x")).toBe("x\nc");
    expect(replaced("a\r\nb", "a\r", "x")).toBe("x\nb");
  });

  test("what is not there is shown by the nearest lines, and told when the new text stands there already", () => {
    const text = "import x\n\nfunction add(a, b) {\n  return a + b;\n}\n";
    const outcome = replace(text, "function add(a, c) {\n  return a + b;\n}", "function sub(a, b) {");
    expect(outcome).toEqual({
      kind: "not_found",
      nearest: "3\tfunction add(a, b) {\n4\t  return a + b;\n5\t}\n6\t",
      newTextAtLine: undefined,
    });
    expect(replace(text, "return b + a", "return a + b")).toMatchObject({ kind: "not_found", newTextAtLine: 4 });
    expect(replace(text, "§§§ completely different §§§", "x")).toMatchObject({ nearest: undefined });
  });

  const LINE = fc.string({ unit: fc.constantFrom("a", "b", " ", "\t", "é", "👍", "(", ";"), maxLength: 8 });

  const slices = (lineEnd: string): fc.Arbitrary<{ text: string; start: number; end: number; newText: string }> =>
    fc
      .record({
        lines: fc.array(LINE, { minLength: 1, maxLength: 12 }),
        from: fc.nat(),
        length: fc.integer({ min: 1, max: 40 }),
        newText: fc.array(LINE, { maxLength: 4 }),
      })
      .map(({ lines, from, length, newText }) => {
        const text = lines.join(lineEnd);
        const start = from % Math.max(1, text.length);
        return { text, start, end: Math.min(text.length, start + length), newText: newText.join("\n") };
      })
      .filter(
        ({ text, start, end }) =>
          end > start &&
          text.indexOf(text.slice(start, end)) === start &&
          !text.includes(text.slice(start, end), start + 1),
      );

  test("replacing a unique slice of an LF file gives exactly the expected text", () => {
    fc.assert(
      fc.property(slices("\n"), ({ text, start, end, newText }) => {
        expect(replaced(text, text.slice(start, end), newText)).toBe(text.slice(0, start) + newText + text.slice(end));
      }),
      { numRuns: 500 },
    );
  });

  test("a CRLF file changes like the LF file that the model sees, and stays CRLF", () => {
    fc.assert(
      fc.property(slices("\n"), ({ text, start, end, newText }) => {
        const real = text.replaceAll("\n", "\r\n");
        const expected = (text.slice(0, start) + newText + text.slice(end)).replaceAll("\n", "\r\n");
        // Without any line end the file tells nothing about which to use.
        fc.pre(text.includes("\n"));
        expect(replaced(real, text.slice(start, end), newText)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["\n", "aa", "b"],
    ["\n", "a", "b\n"],
    ["\r\n", "a", "b\n"],
  ])(
    "a line of megabytes before %j takes %j for %j everywhere (it once took for ever)",
    (lineEnd, oldText, newText) => {
      const count = 500_000;
      const outcome = replaceText(`x${lineEnd}${"a".repeat(count)}`, { oldText, newText, replacesAll: true });
      const expected = newText.replaceAll("\n", lineEnd).repeat(count / oldText.length);
      expect(outcome.kind === "replaced" && outcome.text === `x${lineEnd}${expected}`).toBe(true);
    },
  );
});
