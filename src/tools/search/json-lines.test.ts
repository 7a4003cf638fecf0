import { array, assert, asyncProperty, constantFrom, integer, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonLines } from "./json-lines.ts";

const seed = 20_261_201;

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<string> {
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = Math.max(1, sizes[index % Math.max(1, sizes.length)] ?? text.length);
    yield text.slice(at, at + size);
    at += size;
  }
}

const linesOf = async (text: string, sizes: readonly number[] = []): Promise<unknown[]> => {
  const lines: unknown[] = [];
  for await (const line of jsonLines(cut(text, sizes))) lines.push(JSON.parse(line));
  return lines;
};

/** Words that look like the JSON around them. */
const text = array(
  constantFrom('"submatches":[', '"end":7}', "\\", '"', "\n", "é", "]}}", '{"start":1,"end":2}', "x"),
  { maxLength: 6 },
).map((words) => words.join(""));
const match = record({ match: record({ text }), start: integer({ min: 0 }), end: integer({ min: 0 }) });
const event = record({
  type: constantFrom("match", "context"),
  data: record({ lines: record({ text }), line_number: integer(), submatches: array(match, { maxLength: 4 }) }),
});

describe(`jsonLines (seed ${seed})`, () => {
  test("every line comes whole wherever the output is cut, with the first submatch of each", async () => {
    await assert(
      asyncProperty(
        array(event, { maxLength: 4 }),
        array(integer({ min: 1, max: 90 }), { maxLength: 5 }),
        async (events, sizes) => {
          const output = events.map((each) => `${JSON.stringify(each)}\n`).join("");
          const expected = events.map(({ type, data }) => ({
            type,
            data: { ...data, submatches: data.submatches.slice(0, 1) },
          }));
          expect(await linesOf(output, sizes)).toEqual(expected);
        },
      ),
      { seed, numRuns: 1_000 },
    );
  });

  test("a million submatches take no more room than one", async () => {
    const one = '{"match":{"text":"q"},"start":0,"end":1}';
    const longest = { length: 0 };
    const pieces = async function* (): AsyncGenerator<string> {
      yield `{"type":"match","data":{"lines":{"text":"q"},"submatches":[${one}`;
      for (let index = 0; index < 1_000; index += 1) yield `,${one}`.repeat(1_000);
      yield "]}}\n";
    };
    for await (const line of jsonLines(pieces())) longest.length = Math.max(longest.length, line.length);
    expect(longest.length).toBeLessThan(200);
    expect(longest.length).toBeGreaterThan(50);
  });

  test("any text is taken line by line, and what has no line end is left", async () => {
    await assert(
      asyncProperty(array(string()), integer({ min: 1, max: 9 }), async (texts, size) => {
        const output = texts.map((each) => `${JSON.stringify(each)}\n`).join("");
        expect(await linesOf(`${output}{"type":"sum`, [size])).toEqual(texts);
      }),
      { seed, numRuns: 300 },
    );
  });
});
