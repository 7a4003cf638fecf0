import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPalette } from "../palette.ts";
import { measureText } from "../text-width.ts";
import {
  type AnswerPart,
  EMPTY_STREAM,
  feedMarkdown,
  finishMarkdown,
  type MarkdownStream,
  openParts,
  partsOfMarkdown,
} from "./markdown-stream.ts";
import { type MarkdownMode, renderAnswerPart } from "./render-markdown.ts";

const draw = (parts: readonly AnswerPart[], width = 60, mode: MarkdownMode = "render"): string[] =>
  parts.flatMap((part) => renderAnswerPart(part, { width, mode, palette: createPalette(false) }));

const drawColoured = (parts: readonly AnswerPart[], width = 60, mode: MarkdownMode = "render"): string[] =>
  parts.flatMap((part) => renderAnswerPart(part, { width, mode, palette: createPalette(true) }));

const drawText = (text: string, width = 60, mode: MarkdownMode = "render"): string[] =>
  draw(partsOfMarkdown(text), width, mode);

const feedAll = (pieces: readonly string[]): { stream: MarkdownStream; finished: AnswerPart[] } => {
  let stream = EMPTY_STREAM;
  const finished: AnswerPart[] = [];
  for (const piece of pieces) {
    const fed = feedMarkdown(stream, piece);
    stream = fed.stream;
    finished.push(...fed.finished);
  }
  return { stream, finished };
};

const SAMPLE_PIECES = [
  "# Head\n",
  "\n",
  "para ",
  "**bold** `c`",
  "- item\n",
  "  - nested\n",
  "1. one\n",
  "2. two\n",
  "```ts\n",
  "code();\n",
  "```\n",
  "~~~\n",
  "> quote\n",
  "| a | 漢 |\n",
  "|---|---|\n",
  "| 1 | 2 |\n",
  "---\n",
  "\u001B[31m",
  "[l](http://x)",
  "漢字\t",
  "\n\n",
];

describe("streaming", () => {
  test("a block is final as soon as the next one has begun, and only the last is drawn anew", () => {
    const { stream, finished } = feedAll(["First para", "graph.\n\nSecond par"]);
    expect(draw(finished)).toEqual([]);
    const more = feedMarkdown(stream, "agraph.\n");
    expect(draw(more.finished)).toEqual(["First paragraph."]);
    expect(draw(openParts(more.stream))).toEqual(["", "Second paragraph."]);
  });

  test("the lines of a half-open fence are final one by one and keep their frame", () => {
    const { stream, finished } = feedAll(["Look:\n\n```ts\nconst a = 1;\nconst b"]);
    expect(draw(finished)).toEqual(["Look:", "", "╭── ts", "  const a = 1;"]);
    expect(draw(openParts(stream))).toEqual(["  const b", "╰──"]);
    expect(draw(finishMarkdown(stream))).toEqual(["  const b", "╰──"]);
  });

  test("a fence closes only on its own kind and length", () => {
    expect(drawText("````\n```\nx\n```\n````\nafter")).toEqual(["╭──", "  ```", "  x", "  ```", "╰──", "", "after"]);
  });

  test("the items of a list become final one by one, numbered as they were", () => {
    const { stream, finished } = feedAll(["8. eight\n9. nine\n10. te"]);
    expect(draw(finished)).toEqual(["8. eight"]);
    const end = feedMarkdown(stream, "n\n\nAfter.");
    expect(draw([...finished, ...end.finished, ...finishMarkdown(end.stream)])).toEqual([
      "8. eight",
      "9. nine",
      "10. ten",
      "",
      "After.",
    ]);
  });

  test("an answer of thousands of lines keeps only its open end", () => {
    const { stream, finished } = feedAll(
      Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? `- item ${i}\n` : `  more ${i}\n`)),
    );
    expect(stream.tail.length).toBeLessThan(60);
    expect(finished.length).toBeGreaterThan(1000);
  });

  test("property: where the text is cut changes nothing, and every line fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SAMPLE_PIECES), { maxLength: 25 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 50 }),
        (pieces, sizes, width) => {
          const text = pieces.join("");
          const cut: string[] = [];
          for (let at = 0, n = 0; at < text.length; n += 1) {
            const size = sizes[n % sizes.length] ?? 1;
            cut.push(text.slice(at, at + size));
            at += size;
          }
          const { stream, finished } = feedAll(cut);
          const whole = partsOfMarkdown(text);
          expect([...finished, ...finishMarkdown(stream)]).toEqual(whole);
          for (const mode of ["render", "strip", "raw"] as const) {
            for (const line of [...drawColoured(whole, width, mode), ...drawColoured(openParts(stream), width, mode)]) {
              expect(measureText(line)).toBeLessThanOrEqual(width);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a sequence cut in two by the stream still does not reach the terminal", () => {
    const { stream, finished } = feedAll(["safe \u001B", "]52;c;ZXZpbA", "==\u0007 text\n\nnext"]);
    expect(draw([...finished, ...finishMarkdown(stream)])).toEqual(["safe  text", "", "next"]);
  });
});

describe("drawing", () => {
  test("weights and links", () => {
    const [line] = drawColoured(partsOfMarkdown("**b** *i* ~~s~~ `c`"));
    expect(line).toBe("\u001B[1mb\u001B[22m \u001B[3mi\u001B[23m \u001B[9ms\u001B[29m \u001B[36mc\u001B[39m");
    expect(drawText("[label](https://evil.example) <https://a.b> x &amp; y")).toEqual([
      "label (https://evil.example) https://a.b x & y",
    ]);
  });

  test("a table is aligned by columns of the terminal and shrinks to it", () => {
    const table = "| 名前 | Size |\n|:--|--:|\n| 漢字テスト | 10 |\n| b | 2000 |\n";
    expect(drawText(table, 40)).toEqual([
      "名前       │ Size",
      "───────────┼─────",
      "漢字テスト │   10",
      "b          │ 2000",
    ]);
    expect(drawText(table, 12)).toEqual([
      "名前  │ Size",
      "──────┼─────",
      "漢字  │   10",
      "テス  │",
      "ト    │",
      "b     │ 2000",
    ]);
    expect(drawText(table, 8)).toEqual(["名前: 漢", "  字テス", "  ト", "Size: 10", "", "名前: b", "Size:", "  2000"]);
  });

  test("lists, tasks and quotes keep their shape when they wrap", () => {
    expect(drawText("- one two three four\n- [x] done\n", 14)).toEqual(["• one two", "  three four", "• ☑ done"]);
    expect(drawText("> quoted words that wrap\n", 14)).toEqual(["│ quoted words", "│ that wrap"]);
  });

  test("display.final_response_markdown: strip leaves the words, raw the source", () => {
    const text = "# H\n\n**b** [l](http://x)\n\n```ts\ncode\n```\n";
    expect(drawText(text, 60, "strip")).toEqual(["H", "", "b l (http://x)", "", "code"]);
    expect(drawColoured(partsOfMarkdown(text), 60, "strip").join("")).not.toContain("\u001B");
    expect(drawText(text, 60, "raw")).toEqual(["# H", "", "**b** [l](http://x)", "", "```ts", "code", "```"]);
  });
});
