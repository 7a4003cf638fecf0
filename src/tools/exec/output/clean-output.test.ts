import { randomBytes } from "node:crypto";
import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { cleanOutput, looksBinary } from "./clean-output.ts";

test.each([
  ["colours", "\u001b[1;31mred\u001b[0m plain", "red plain"],
  ["erasing and moving", "a\u001b[2K\u001b[1Ab\u001b[?25l", "ab"],
  ["a title, ended by BEL", "\u001b]0;title\u0007text", "text"],
  ["a link, ended by ST", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["a title that is never ended stops at the line's end", "\u001b]0;title\nnext", "\nnext"],
  ["character sets and keypad modes", "\u001b(B\u001b=\u001b>x", "x"],
  ["C1 controls", "\u009b31mx\u0085", "x"],
  ["a progress bar shows its end", " 10%\r 50%\r100%\ndone", "100%\ndone"],
  ["a progress bar ended by a carriage return", "10%\r99%\r", "99%"],
  ["CRLF", "a\r\nb\r\n", "a\nb\n"],
  ["backspaces", "abc\b\bX", "aX"],
  ["overstruck bold", "N\bNA\bA", "NA"],
  ["other controls", "a\u0000b\u0007c\u007f", "abc"],
  ["tabs stay", "a\tb", "a\tb"],
  ["text", "é 漢字 😀\n", "é 漢字 😀\n"],
])("%s", (_name, raw, clean) => {
  expect(cleanOutput(raw)).toBe(clean);
});

test("no control character but tab and line feed is left, and clean text stays as it is", () => {
  const raw = string({ unit: "binary", maxLength: 300 });
  assert(
    property(raw, (text) => {
      const clean = cleanOutput(text);
      // oxlint-disable-next-line no-control-regex -- they are what must be absent
      expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(cleanOutput(clean)).toBe(clean);
    }),
    { verbose: true },
  );
});

test("pictures, random bytes and UTF-16 are binary; text, colours and lists with NUL are not", () => {
  expect(looksBinary(Buffer.from("89504e470d0a1a0a0000000d49484452000000100000", "hex"))).toBe(true);
  expect(looksBinary(randomBytes(5_000))).toBe(true);
  expect(looksBinary(Buffer.from("hello world", "utf16le"))).toBe(true);
  expect(looksBinary(Buffer.from("\u001b[31mé 漢字\u001b[0m\r\n".repeat(100)))).toBe(false);
  expect(looksBinary(Buffer.from("./a/long/enough/name\0./another/name\0"))).toBe(false);
  expect(looksBinary(Buffer.alloc(0))).toBe(false);
});
