import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanChunk, cleanOutput, cleanText, revealText } from "./text-safety.ts";

// oxlint-disable-next-line no-control-regex -- what must not be left
const DANGEROUS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u;

describe("cleanText: text from a model cannot control the terminal", () => {
  test.each([
    ["a colour", "a\u001B[31mb\u001B[0mc", "abc"],
    ["a screen clear", "a\u001B[2J\u001B[Hb", "ab"],
    ["a window title (OSC, BEL)", "a\u001B]0;owned\u0007b", "ab"],
    ["the clipboard (OSC 52, ST)", "a\u001B]52;c;ZXZpbA==\u001B\\b", "ab"],
    ["a device string", "a\u001BPq#0\u001B\\b", "ab"],
    ["8-bit CSI and OSC", "a\u009B31mb\u009D0;x\u009Cc", "abc"],
    ["an OSC without an end stops at the line", "a\u001B]0;x\nb", "a\nb"],
    ["bells and backspaces", "a\u0007\b\u007Fb", "ab"],
    ["a lone escape", "a\u001B", "a"],
    ["a bidi override", "user\u202Eexe.txt", "user⟦U+202E⟧exe.txt"],
    ["an isolate", "\u2066x\u2069", "⟦U+2066⟧x⟦U+2069⟧"],
    ["tabs and line ends stay", "a\tb\r\nc\n", "a\tb\nc\n"],
    ["emoji joiners stay", "👨‍👩‍👧", "👨‍👩‍👧"],
  ])("%s", (_, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  test("property: nothing is left that a terminal obeys, in one piece or in many", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\u001B",
        "[",
        "]8;;",
        "31m",
        "\u0007",
        "\u001B\\",
        "\u009B",
        "P",
        "?25l",
        "\n",
        "a",
        "\u202E",
        "\r",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(cleanText(pieces.join(""))).not.toMatch(DANGEROUS);
        let held = "";
        let streamed = "";
        for (const next of pieces) {
          const chunk = cleanChunk(held, next);
          held = chunk.held;
          streamed += chunk.clean;
        }
        streamed += cleanText(held);
        expect(streamed).not.toMatch(DANGEROUS);
        // Cutting a stream elsewhere must not change what is shown.
        expect(streamed).toBe(cleanText(pieces.join("")));
      }),
      { numRuns: 500 },
    );
  });

  test("a sequence that never ends is not waited for", () => {
    const chunk = cleanChunk("", `\u001B]0;${"x".repeat(1000)}`);
    expect(chunk.held).toBe("");
  });
});

test("cleanOutput shows a progress bar's last state", () => {
  expect(cleanOutput("10%\r50%\r100%\ndone\r\n")).toBe("100%\ndone\n");
});

test("revealText hides nothing", () => {
  expect(revealText("rm\u001B[2K\r\u0007 -rf\t/\u202E\u200Bx\nnext")).toBe(
    "rm\\x1b[2K\\r\\x07 -rf\\t/⟦U+202E⟧⟦U+200B⟧x\nnext",
  );
  expect(revealText("\u{E0041}")).toBe("⟦U+E0041⟧");
});
