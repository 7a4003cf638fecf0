import { EventStreamCodec } from "@smithy/eventstream-codec";
import { array, assert, asyncProperty, integer, nat, record, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { streamMessage } from "../../../testing/event-stream.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { readEventStream, type StreamRead } from "./event-stream.ts";

const read = async (body: Uint8Array, sizes: readonly number[] = []): Promise<StreamRead> => {
  const reads = await collect(readEventStream(cutBody(body, sizes)));
  return { messages: reads.flatMap(({ messages }) => messages), damage: reads.at(-1)?.damage };
};

const shown = ({ messages, damage }: StreamRead): unknown => ({
  damage,
  messages: messages.map(({ headers, payload }) => [Object.fromEntries(headers), Buffer.from(payload).toString("hex")]),
});

const header = string({ minLength: 1, maxLength: 40, unit: "binary" });

describe("event streams", () => {
  test("what Amazon's writer wrote comes back, whatever the cuts", async () => {
    const message = record({ name: header, value: header, payload: uint8Array({ maxLength: 2_000 }) });
    await assert(
      asyncProperty(array(message, { maxLength: 6 }), array(integer({ min: 1, max: 300 })), async (sent, sizes) => {
        const body = Buffer.concat(sent.map(({ name, value, payload }) => streamMessage({ [name]: value }, payload)));
        expect(shown(await read(body, sizes))).toEqual({
          damage: undefined,
          messages: sent.map(({ name, value, payload }) => [{ [name]: value }, Buffer.from(payload).toString("hex")]),
        });
      }),
    );
  });

  test("headers of every type are stepped over, texts are kept", async () => {
    const codec = new EventStreamCodec(
      (bytes) => Buffer.from(bytes).toString("utf8"),
      (text) => Buffer.from(text, "utf8"),
    );
    const body = codec.encode({
      headers: {
        a: { type: "boolean", value: true },
        b: { type: "boolean", value: false },
        c: { type: "byte", value: 1 },
        d: { type: "short", value: 2 },
        e: { type: "integer", value: 3 },
        f: { type: "binary", value: new Uint8Array([1, 2, 3]) },
        g: { type: "timestamp", value: new Date(5) },
        h: { type: "uuid", value: "01234567-89ab-cdef-0123-456789abcdef" },
        i: { type: "string", value: "kept" },
      },
      body: new Uint8Array([7]),
    });
    expect(shown(await read(body))).toEqual({ damage: undefined, messages: [[{ i: "kept" }, "07"]] });
  });

  test("one flipped bit anywhere is damage, and what came before it is kept", async () => {
    const first = streamMessage({ n: "1" }, "first");
    const second = streamMessage({ n: "2" }, "second");
    await assert(
      asyncProperty(nat(second.length * 8 - 1), integer({ min: 1, max: 40 }), async (bit, size) => {
        const broken = Uint8Array.from(second);
        broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const { messages, damage } = await read(Buffer.concat([first, broken]), [size]);
        expect(messages.map(({ headers }) => headers.get("n"))).toEqual(["1"]);
        expect(damage).toBe("a checksum is wrong");
      }),
    );
  });

  test("a cut anywhere leaves the whole messages before it, without damage", async () => {
    const parts = ["1", "2", "3"].map((n) => streamMessage({ n }, `payload ${n}`));
    const body = Buffer.concat(parts);
    for (let end = 0; end <= body.length; end += 1) {
      const whole = parts.filter((_, at) => Buffer.concat(parts.slice(0, at + 1)).length <= end).length;
      const { messages, damage } = await read(body.subarray(0, end));
      expect([messages.length, damage], `cut at ${end}`).toEqual([whole, undefined]);
    }
  });

  test("bytes that are no stream, and lengths that cannot be", async () => {
    expect((await read(Buffer.from([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))).damage).toBe("a checksum is wrong");
    const { crc32 } = await import("node:zlib");
    const prelude = (length: number, headers: number): Buffer => {
      const bytes = Buffer.alloc(12);
      bytes.writeUInt32BE(length, 0);
      bytes.writeUInt32BE(headers, 4);
      bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
      return bytes;
    };
    for (const [length, headers] of [
      [15, 0],
      [20, 5],
      [0xff_ff_ff_ff, 0],
    ] as const) {
      expect((await read(prelude(length, headers))).damage, String(length)).toBe("a length is impossible");
    }
    const message = Buffer.concat([prelude(19, 3), Buffer.from([1, 0x61, 99]), Buffer.alloc(4)]);
    message.writeUInt32BE(crc32(message.subarray(0, 15)), 15);
    expect((await read(message)).damage).toBe("its headers cannot be read");
  });

  test("a message of megabytes in small cuts is put together once", async () => {
    const payload = Buffer.alloc(8_000_000, 0x61);
    const { messages, damage } = await read(streamMessage({ n: "big" }, payload), [1_400]);
    expect(damage).toBeUndefined();
    expect(Buffer.compare(Buffer.from(messages[0]?.payload ?? []), payload)).toBe(0);
  });
});
