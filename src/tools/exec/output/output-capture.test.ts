import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { array, assert, integer, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor, type Redactor } from "../../../base/redact/redact-text.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { createHead, createTail } from "./byte-ends.ts";
import { cutOutput, shortenLine } from "./cut-output.ts";
import { createLiteralMask } from "./mask-literal.ts";
import { createOutputCapture } from "./output-capture.ts";
import type { CapturedOutput } from "./output-capture.ts";

const limits = { maxBytes: 1_000, maxLines: 20, maxLineLength: 100 };

const masking = createRedactor({ enabled: true });
const plain = createRedactor({ enabled: false });

const capture = (
  spoolPath: string,
  pieces: Iterable<string | Uint8Array>,
  redactor: Redactor = plain,
): CapturedOutput => {
  const output = createOutputCapture({ limits, spoolPath, redactor });
  for (const piece of pieces) output.push(Buffer.from(piece));
  return output.finish();
};

describe("a command's output", () => {
  test("short output is given as it is, and no file is made", async () => {
    await using temp = createTempDirectory();
    const path = `${temp.path}/sub/full.txt`;
    expect(capture(path, ["a\n", "b\n"])).toEqual({ text: "a\nb" });
    expect(capture(path, [])).toEqual({ text: "" });
    expect(existsSync(`${temp.path}/sub`)).toBe(false);
  });

  test("R-REDACT-1: a file that holds the whole output is masked, however long it is; binary output stays as it came", async () => {
    await using temp = createTempDirectory();
    const token = ["ghp", "Ab3Cd5Ef7Gh9Ij1Kl2Mn4Op6Qr8St0Uv1Wx3"].join("_");
    const line = `GITHUB_TOKEN=${token} é\n`;
    for (const count of [50, 40_000]) {
      const path = `${temp.path}/${count}.txt`;
      const bytes = Buffer.from(line.repeat(count));
      const pieces = Array.from({ length: Math.ceil(bytes.length / 1013) }, (_, at) =>
        bytes.subarray(at * 1013, (at + 1) * 1013),
      );
      capture(path, pieces, masking);
      const kept = readFileSync(path, "utf8");
      expect(kept).not.toContain(token.slice(0, 12));
      expect(kept.trimEnd()).toBe(masking.text(line.repeat(count)).trimEnd());
    }
    const binary = Buffer.concat([Buffer.alloc(400), Buffer.from(line)]);
    capture(`${temp.path}/b`, [binary], masking);
    expect(readFileSync(`${temp.path}/b`).equals(binary)).toBe(true);
  });

  test("a character that is cut across pieces is whole; bytes that are no text are replaced", async () => {
    await using temp = createTempDirectory();
    const bytes = Buffer.from("é漢😀");
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(capture(`${temp.path}/x`, single).text).toBe("é漢😀");
    expect(capture(`${temp.path}/x`, ["plain text before ", Uint8Array.of(0xff), " and after it"]).text).toBe(
      "plain text before \ufffd and after it",
    );
  });

  test("of many lines the first and the last are shown, and the file has all of them, clean, for the owner alone", async () => {
    await using temp = createTempDirectory();
    const path = `${temp.path}/sub/full.txt`;
    const lines = Array.from({ length: 100 }, (_, at) => `\u001b[1mline ${at}\u001b[0m`);
    const { text, fullTextPath } = capture(path, [lines.join("\n")]);
    const shown = text.split("\n");
    expect(shown.slice(0, 9)).toEqual([
      ...Array.from({ length: 8 }, (_, at) => `line ${at}`),
      expect.stringMatching(/^\[… 80 lines \(\d+ bytes\) not shown; full output: .*\/sub\/full\.txt\]$/),
    ]);
    expect(shown.slice(9)).toEqual(Array.from({ length: 12 }, (_, at) => `line ${at + 88}`));
    expect(fullTextPath).toBe(path);
    expect(readFileSync(path, "utf8")).toBe(Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("a long line is cut with its length told", async () => {
    await using temp = createTempDirectory();
    const { text } = capture(`${temp.path}/f`, [`${"x".repeat(150)}\nshort`]);
    expect(text).toBe(
      `${"x".repeat(100)} […50 more characters]\nshort\n[1 long lines cut; full output: ${temp.path}/f]`,
    );
  });

  test("binary output is said and kept", async () => {
    await using temp = createTempDirectory();
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, at) => at % 256));
    const { text, fullTextPath } = capture(`${temp.path}/f`, [bytes]);
    expect(text).toBe(`[binary output of 300 bytes; full output: ${temp.path}/f]`);
    expect(readFileSync(fullTextPath ?? "")).toEqual(bytes);
  });

  test("of output over 1 MiB both ends are shown and the file has every byte", async () => {
    await using temp = createTempDirectory();
    const pieces = Array.from({ length: 3_000 }, (_, at) => `${String(at).padStart(999, ".")}\n`);
    const { text, fullTextPath } = capture(`${temp.path}/f`, pieces);
    expect(text.split("\n").at(-1)).toMatch(/^\.+ \[…899 more characters\]$/);
    expect(text).toMatch(/\n\[… \d+ bytes not shown; full output: /);
    expect(text.length).toBeLessThan(1_500);
    expect(readFileSync(fullTextPath ?? "", "utf8")).toBe(pieces.join(""));
  });

  test("more than 50 MiB is not written, and said", async () => {
    await using temp = createTempDirectory();
    const piece = Buffer.alloc(1024 * 1024, "0123456789abcde\n");
    const { text, fullTextPath } = capture(
      `${temp.path}/f`,
      Array.from({ length: 52 }, () => piece),
    );
    expect(text).toContain(`its first 50 MiB: ${temp.path}/f`);
    expect(statSync(fullTextPath ?? "").size).toBe(50 * 1024 * 1024);
  });

  test("a file that cannot be written is said and ends nothing", async () => {
    await using temp = createTempDirectory();
    writeFileSync(`${temp.path}/file`, "");
    const output = capture(`${temp.path}/file/full.txt`, ["x\n".repeat(100)]);
    expect(output.text).toMatch(/\[… 80 lines \(160 bytes\) not shown; not kept: .*(?:ENOTDIR|EEXIST)/);
    expect(output.fullTextPath).toBeUndefined();
  });
});

test("the parts of cut output are the input's, within the limits", () => {
  const lineLengths = array(integer({ min: 0, max: 150 }), { maxLength: 80 });
  assert(
    property(lineLengths, (lengths) => {
      const lines = lengths.map((length, at) => String(at % 10).repeat(length));
      const cut = cutOutput(lines, limits);
      const bounded = lines.map((line) => shortenLine(line, limits.maxLineLength));
      expect(cut.head).toEqual(bounded.slice(0, cut.head.length));
      expect(cut.tail).toEqual(bounded.slice(lines.length - cut.tail.length));
      expect(cut.head.length + cut.hiddenLines + cut.tail.length).toBe(lines.length);
      expect(cut.head.length + cut.tail.length).toBeLessThanOrEqual(limits.maxLines);
      expect(Buffer.byteLength([...cut.head, ...cut.tail].join("\n"))).toBeLessThanOrEqual(limits.maxBytes);
    }),
    { verbose: true },
  );
});

test("a surrogate pair is not cut", () => {
  expect(shortenLine("a😀b", 2)).toBe("a […3 more characters]");
});

test("the ends of a stream are the same however it is cut", () => {
  const pieces = array(uint8Array({ maxLength: 40 }), { maxLength: 30 });
  assert(
    property(pieces, integer({ min: 1, max: 64 }), (chunks, limit) => {
      const head = createHead(limit);
      const tail = createTail(limit);
      const rest: Uint8Array[] = [];
      for (const chunk of chunks) {
        rest.push(Buffer.from(head.push(chunk)));
        tail.push(chunk);
      }
      const all = Buffer.concat(chunks);
      expect(head.bytes()).toEqual(all.subarray(0, limit));
      expect(Buffer.concat(rest)).toEqual(all.subarray(limit));
      expect(tail.bytes()).toEqual(all.subarray(Math.max(0, all.length - limit)));
    }),
    { verbose: true },
  );
});

test("B47: a password is masked however the output is cut", () => {
  const cuts = array(integer({ min: 0, max: 60 }), { maxLength: 8 });
  const text = "aab aabaab|pass-pas-pass|aabb";
  assert(
    property(cuts, (places) => {
      for (const secret of ["pass", "aab", "ab"]) {
        const mask = createLiteralMask(secret);
        const sorted = [0, ...places.map((place) => Math.min(place, text.length)).sort((a, b) => a - b), text.length];
        const out = sorted.slice(1).map((end, at) => mask.push(Buffer.from(text.slice(sorted[at], end))));
        expect(Buffer.concat([...out, mask.end()]).toString()).toBe(text.replaceAll(secret, "***"));
      }
    }),
    { verbose: true },
  );
  expect(Buffer.from(createLiteralMask("").push(Buffer.from("x"))).toString()).toBe("x");
});
