import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { array, assert, asyncProperty, constantFrom, integer } from "fast-check";
import { describe, expect, test } from "vitest";
import { collect, cutBody } from "../../testing/scripted-provider/body-cuts.ts";
import { readServerSentEvents, type ServerSentEvent } from "./sse.ts";

const read = async (body: string | Uint8Array, sizes: readonly number[] = []): Promise<ServerSentEvent[]> =>
  (await collect(readServerSentEvents(cutBody(body, sizes)))).flat();

const one = [{ event: "x", data: '{"a":1}' }];

describe("B06 line ends", () => {
  test.each([
    ["LF", 'event: x\ndata: {"a":1}\n\n'],
    ["CR LF", 'event: x\r\ndata: {"a":1}\r\n\r\n'],
    ["CR", 'event: x\rdata: {"a":1}\r\r'],
    ["no blank after the colon", 'event:x\ndata:{"a":1}\n\n'],
    ["a byte order mark", '\u{FEFF}event: x\ndata: {"a":1}\n\n'],
    ["comments between", ': hi\nevent: x\n: ping\ndata: {"a":1}\n\n: bye\n\n'],
    ["unknown fields", 'foo: 1\nid: 7\nretry: 5\nevent: x\ndata: {"a":1}\n\n'],
    ["no blank line at the end", 'event: x\ndata: {"a":1}\n'],
    ["no line end at the end", 'event: x\ndata: {"a":1}'],
    ["a lone CR at the end", 'event: x\r\ndata: {"a":1}\r'],
  ])("%s, cut anywhere", async (_name, body) => {
    const bytes = new TextEncoder().encode(body);
    expect(await read(bytes)).toEqual(one);
    for (let size = 1; size < bytes.length; size += 1) {
      expect(await read(bytes, [size, bytes.length]), `first ${size} bytes`).toEqual(one);
    }
    expect(await read(bytes, [1])).toEqual(one);
  });

  test("the three reads of the report dispatch one event, not early", async () => {
    const reads = ["event: x\r", '\ndata: {"a":1}\r\n\r', "\n"];
    const yielded: number[] = [];
    const feed = async function* (): AsyncGenerator<Uint8Array> {
      for (const [at, text] of reads.entries()) {
        yielded.push(at);
        yield new TextEncoder().encode(text);
      }
    };
    expect((await collect(readServerSentEvents(feed()))).flat()).toEqual(one);
    expect(yielded).toEqual([0, 1, 2]);
  });

  test("two data lines are one text of two lines", async () => {
    expect(await read("data: a\ndata: b\n\n")).toEqual([{ event: undefined, data: "a\nb" }]);
  });

  test("nothing but comments yields nothing", async () => {
    expect(await read(": ping\n\n: ping\n\n")).toEqual([]);
    expect(await read("")).toEqual([]);
  });
});

describe("B05 characters", () => {
  test("a character cut at any byte stays whole", async () => {
    const bytes = new TextEncoder().encode('data: "日🦜é"\n\n');
    for (let size = 1; size < bytes.length; size += 1) {
      expect(await read(bytes, [size, bytes.length])).toEqual([{ event: undefined, data: '"日🦜é"' }]);
    }
  });

  test("property: cuts change nothing", async () => {
    const piece = constantFrom(
      "data: 日🦜\n",
      "data:x\r\n",
      "\n",
      "\r\n",
      "\r",
      ": c\n",
      "event: e\r",
      "data",
      "id: 1\n",
      "\u{FEFF}",
    );
    await assert(
      asyncProperty(
        array(piece, { maxLength: 30 }),
        array(integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 9 }),
        async (pieces, sizes) => {
          const body = pieces.join("");
          expect(await read(body, sizes)).toEqual(await read(body));
        },
      ),
      { numRuns: 400 },
    );
  });
});

const VECTORS = join(import.meta.dirname, "../../../../shared/contracts/conformance/sse/sse-vectors.json");
const present = existsSync(VECTORS);

interface Vector {
  readonly name: string;
  readonly bytes_base64: string;
  readonly events: readonly { readonly event: string; readonly data: string }[];
}

describe.skipIf(!present)(`conformance vectors${present ? "" : " (skipped: ../shared is not here)"}`, () => {
  const vectors = present ? (JSON.parse(readFileSync(VECTORS, "utf8")) as Vector[]) : [];
  // Bodies that end inside an event: ours is the one documented rule, the event counts.
  const unfinished = (bytes: Buffer): boolean => !/(?:^|\n|\r)(?:\r\n|\n|\r)$/.test(bytes.toString("latin1"));

  test.each(vectors.map((vector) => [vector.name, vector] as const))("%s", async (_name, vector) => {
    const bytes = Buffer.from(vector.bytes_base64, "base64");
    const expected = vector.events.map(({ event, data }) => ({ event, data }));
    for (const sizes of [[], [1], [2, 3, 1]]) {
      const events = (await read(bytes, sizes)).map(({ event, data }) => ({ event: event ?? "message", data }));
      expect(events.slice(0, expected.length)).toEqual(expected);
      expect(events.length - expected.length).toBeLessThanOrEqual(unfinished(bytes) ? 1 : 0);
    }
  });
});
