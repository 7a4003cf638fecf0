import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binaryTypeOf, decodeFile, encodeText, lineEndsOf, withoutCutTail } from "./text-file.ts";
import type { TextEncoding } from "./text-file.ts";

const ENCODINGS = fc.constantFrom<TextEncoding[]>("utf-8", "utf-16le", "utf-16be");

describe("decodeFile and encodeText", () => {
  test("what was encoded is decoded to the same text, encoding and mark", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), ENCODINGS, fc.boolean(), (raw, encoding, wantsMark) => {
        const text = raw.replaceAll("\0", "");
        fc.pre(!text.startsWith("\uFEFF"));
        const decoded = { text, encoding, hasMark: wantsMark || encoding !== "utf-8" };
        expect(decodeFile(encodeText(decoded))).toEqual({ kind: "text", ...decoded });
      }),
    );
  });

  test("any bytes that decode as text encode to the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (raw) => {
        const bytes = Buffer.from(raw);
        const decoded = decodeFile(bytes);
        // A lone surrogate in UTF-16 survives too: it is a unit like any other there.
        if (decoded.kind === "text") expect(encodeText(decoded)).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  test("bytes that are no UTF-8 and UTF-16 of odd length are lossy", () => {
    expect(decodeFile(Buffer.from("caf\xe9", "latin1"))).toEqual({ kind: "lossy", text: "caf\uFFFD" });
    expect(decodeFile(Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42])).kind).toBe("lossy");
  });
});

test("a signature alone is no binary file; with bytes that are no text it names the type", () => {
  expect(binaryTypeOf(Buffer.from("%PDF-1.7 is how PDF files begin"))).toBeUndefined();
  expect(binaryTypeOf(Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1"))).toBe("PDF document");
  expect(binaryTypeOf(Buffer.from([0x1f, 0x8b, 8, 0, 0]))).toBe("gzip archive");
  expect(binaryTypeOf(Buffer.from("text\0more"))).toBe("binary data");
});

test("a character cut by the sniffing window does not make a text binary", () => {
  const text = Buffer.from(`GIF89a${"x".repeat(8185)}é`);
  expect(binaryTypeOf(text)).toBeUndefined();
});

test.each([
  ["é", 1, 0],
  ["€", 2, 0],
  ["👍", 3, 0],
  ["a👍", 2, 1],
  ["ab", 2, 2],
])("withoutCutTail of %s after %i bytes keeps %i", (text, given, kept) => {
  expect(withoutCutTail(Buffer.from(text).subarray(0, given))).toHaveLength(kept);
});

test.each([
  ["", "none"],
  ["a", "none"],
  ["a\rb", "none"],
  ["a\n", "lf"],
  ["a\r\n", "crlf"],
  ["a\r\nb\n", "mixed"],
])("line ends of %j: %s", (text, expected) => {
  expect(lineEndsOf(text)).toBe(expected);
});
