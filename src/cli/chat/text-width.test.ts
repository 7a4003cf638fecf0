import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { cutText, graphemesOf, measureText, padText, wrapText } from "./text-width.ts";

const WIDTHS = [1, 2, 7, 80];
const SAMPLES: Readonly<Record<string, string>> = {
  "CJK mix": "关于潮汐 notes 的记录 and カタカナ 한국어 mixed",
  "ZWJ emoji": "family 👨‍👩‍👧‍👦 and 🧑🏽‍💻 here",
  flag: "🇩🇪🇯🇵 flags 🇫🇷",
  "combining marks": "e\u0301le\u0300ve Z\u0351\u036Balgo \u0301lone",
  tabs: "a\tb\t\tc\td\te",
  colours: "\u001B[1;31mred and bold\u001B[0m plain \u001B[38;5;200mpink\u001B[39m \u001B[48;2;1;2;3mbg\u001B[49m",
  link: "see \u001B]8;;https://example.org/a\u001B\\the page\u001B]8;;\u001B\\ there",
  "a wide glyph at the last column": "123456漢",
};
// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const STYLED = /\u001B\[[0-9;:]*m|\u001B\]8;[^\u0007\u001B]*(?:\u0007|\u001B\\)/gu;

const open = (line: string): boolean => {
  // Whatever was switched on in the line must be switched off in it.
  const on = new Set<string>();
  for (const [sequence] of line.matchAll(STYLED)) {
    if (sequence.startsWith("\u001B]")) {
      if (sequence.includes(";;\u001B")) on.delete("link");
      else on.add("link");
      continue;
    }
    const code = Number(sequence.slice(2, -1).split(";")[0]);
    if (code === 22) on.delete("weight");
    else if (code === 1 || code === 2) on.add("weight");
    else if (code === 39) on.delete("fg");
    else if (code === 49) on.delete("bg");
    else if (code >= 30 && code <= 38) on.add("fg");
    else if (code === 48) on.add("bg");
  }
  return on.size > 0;
};

describe("B65: one measure for everything that is drawn", () => {
  for (const [name, text] of Object.entries(SAMPLES)) {
    for (const width of WIDTHS) {
      test(`B65 ${name} at ${width} columns`, () => {
        for (const mode of ["words", "hard"] as const) {
          for (const line of wrapText(text, width, { mode })) {
            expect(measureText(line)).toBeLessThanOrEqual(width);
            expect(open(line)).toBe(false);
          }
        }
        expect(measureText(cutText(text, width))).toBeLessThanOrEqual(width);
        expect(open(cutText(text, width))).toBe(false);
      });
    }
  }

  test("B65 a two-column glyph that does not fit at the line's end goes to the next line", () => {
    expect(wrapText("123456漢字", 7)).toEqual(["123456", "漢字"]);
    expect(wrapText("漢字", 1)).toEqual(["?", "?"]);
    expect(wrapText("漢字", 3)).toEqual(["漢", "字"]);
  });

  test("B65 a colour that runs over a break is closed and opened again", () => {
    expect(wrapText("\u001B[31mab cd\u001B[39m", 2)).toEqual(["\u001B[31mab\u001B[39m", "\u001B[31mcd\u001B[39m"]);
    expect(cutText("\u001B[31mabcdef\u001B[39m", 4)).toBe("\u001B[31mabc…\u001B[39m");
  });

  test("B65 property: never throws, every line fits, no visible character is lost in hard mode", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...Object.values(SAMPLES), "\u001B[", "\u001B]8;;x", "\uD800", "\u0000\r\n\t", " ", "漢"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.integer({ min: 1, max: 90 }), (pieces, width) => {
        const text = pieces.join("");
        for (const line of [
          ...wrapText(text, width),
          ...wrapText(text, width, { mode: "hard" }),
          cutText(text, width),
        ]) {
          expect(measureText(line)).toBeLessThanOrEqual(width);
          // The terminal layer measures whole lines for itself; it must never find one longer than we did.
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expect(open(line)).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "漢", "é", "👍", " ") }),
        fc.integer({ min: 2, max: 20 }),
        (text, width) => {
          expect(wrapText(text, width, { mode: "hard" }).join("")).toBe(text);
          expect(wrapText(text, width).join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        },
      ),
    );
  });
});

describe("wrapText", () => {
  test("breaks at spaces and keeps indentation and line ends", () => {
    expect(wrapText("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(wrapText("  indented text", 20)).toEqual(["  indented text"]);
    expect(wrapText("a\n\nb", 5)).toEqual(["a", "", "b"]);
    expect(wrapText("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
  });

  test("puts prefixes before the lines, and leaves them out where they would leave no room", () => {
    expect(wrapText("one two three", 9, { first: "> ", rest: "  " })).toEqual(["> one two", "  three"]);
    expect(wrapText("ab", 2, { first: "> " })).toEqual(["ab"]);
  });

  test("tabs go to the next stop", () => {
    expect(wrapText("a\tb", 20)).toEqual(["a   b"]);
    expect(measureText("a\tb")).toBe(5);
  });
});

test("padText fills by columns, not by characters", () => {
  expect(padText("漢", 4)).toBe("漢  ");
  expect(padText("漢", 5, "right")).toBe("   漢");
  expect(padText("ab", 5, "center")).toBe(" ab  ");
});

test("graphemesOf counts as a person does", () => {
  expect(graphemesOf("e\u0301👨‍👩‍👧🇩🇪a")).toHaveLength(4);
});
