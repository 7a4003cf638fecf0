import { gzipSync } from "node:zlib";
import { bodyOf, once, piecesOf, sendHead, answer, WHOLE, type Exchange, type Hazard } from "./hazard.ts";

const NOTHING = { kind: "empty_stream", requests: 3, says: /^the provider answered with nothing in it$/ } as const;
const BROKEN = { kind: "network", requests: 3, says: /broke/ } as const;

/** The first half of a good answer, then the end as if it were whole. */
const cutHalf = (exchange: Exchange): void => {
  sendHead(exchange);
  const pieces = piecesOf(exchange, WHOLE);
  exchange.response.end(
    exchange.mode === "streamed"
      ? Buffer.concat(pieces.slice(0, -3))
      : bodyOf(exchange).subarray(0, bodyOf(exchange).length / 2),
  );
};

const reset = ({ response }: Exchange): void => void response.socket?.resetAndDestroy();

/** Half a good answer, which has arrived, then a reset. */
const resetHalfway = async (exchange: Exchange): Promise<void> => {
  const { mode, response } = exchange;
  const taken = exchange.taken();
  sendHead(exchange);
  const pieces = piecesOf(exchange, WHOLE);
  response.write(mode === "streamed" ? Buffer.concat(pieces.slice(0, -3)) : bodyOf(exchange).subarray(0, 100));
  if (mode === "streamed") await taken;
  reset(exchange);
};

const LARGE = "0123456789abcdef".repeat(655_360);
const large = {
  finish: "tool_calls",
  calls: [{ id: "call_large", name: "write_file", arguments: JSON.stringify({ content: LARGE }) }],
} as const;

/** Every event that does not add to the answer is sent twice. */
const repeated = (exchange: Exchange): void => {
  sendHead(exchange);
  for (const { bytes, says } of exchange.bodies.stream(WHOLE)) {
    exchange.response.write(bytes);
    if (!says) exchange.response.write(bytes);
  }
  exchange.response.end();
};

const MARK = "@@";
const BAD_BYTES = Uint8Array.of(0xff, 0xc3);

/** Puts bytes that are no UTF-8 in place of a mark. */
const garbled = (json: Uint8Array): Uint8Array => {
  const at = Buffer.from(json).indexOf(MARK);
  return at < 0 ? json : Buffer.concat([json.subarray(0, at), BAD_BYTES, json.subarray(at + MARK.length)]);
};

const isWhole = { kind: "answer", requests: 1 } as const;

/** Answers that are cut, packed, damaged, repeated or huge (B01, B03, B05, B07). */
export const BODY_HAZARDS: readonly Hazard[] = [
  {
    name: "an empty body with 200",
    play: (exchange) => {
      sendHead(exchange);
      exchange.response.end();
    },
    ends: NOTHING,
  },
  {
    name: "nothing but the marks of an end",
    modes: ["streamed"],
    play: (exchange) => {
      sendHead(exchange);
      exchange.response.end(exchange.bodies.bareEnd);
    },
    ends: NOTHING,
  },
  {
    name: "signs of life, then the end",
    modes: ["streamed"],
    play: (exchange) => {
      sendHead(exchange);
      exchange.response.end(Buffer.concat(exchange.bodies.keepAlives));
    },
    ends: NOTHING,
  },
  {
    name: "cut before the end, closed properly",
    play: cutHalf,
    ends: (_bodies, mode) => (mode === "streamed" ? BROKEN : NOTHING),
  },
  { name: "cut before the end, once", play: once(cutHalf), ends: { kind: "answer", requests: 2, waits: [2_000] } },
  { name: "reset before the headers", play: reset, ends: BROKEN },
  { name: "reset before the headers, once", play: once(reset), ends: { kind: "answer", requests: 2, waits: [2_000] } },
  { name: "reset in the middle", play: resetHalfway, ends: BROKEN },
  {
    name: "reset in the middle, once",
    play: once(resetHalfway),
    ends: { kind: "answer", requests: 2, waits: [2_000] },
  },
  {
    name: "reset behind a whole answer",
    play: async (exchange) => {
      const taken = exchange.taken();
      sendHead(exchange);
      exchange.response.write(bodyOf(exchange));
      if (exchange.mode === "streamed") await taken;
      exchange.response.socket?.destroySoon();
    },
    ends: isWhole,
  },
  {
    name: "content-length larger than the body",
    play: (exchange) => {
      const body = bodyOf(exchange);
      sendHead(exchange, { "content-length": body.length + 10 });
      exchange.response.socket?.end(body);
    },
    ends: isWhole,
  },
  {
    name: "content-length smaller than the body",
    play: (exchange) => {
      const body = bodyOf(exchange);
      sendHead(exchange, { "content-length": Math.floor(body.length / 2) });
      exchange.response.socket?.end(body);
    },
    ends: (_bodies, mode) => (mode === "streamed" ? BROKEN : NOTHING),
  },
  {
    name: "every event twice that can be",
    modes: ["streamed"],
    play: repeated,
    ends: isWhole,
  },
  {
    name: "10 MB of arguments",
    play: async (exchange) => {
      sendHead(exchange);
      const body = bodyOf(exchange, large);
      for (let at = 0; at < body.length; at += 16_384) {
        if (exchange.response.write(body.subarray(at, at + 16_384))) continue;
        await new Promise((resolve) => exchange.response.once("drain", resolve));
      }
      exchange.response.end();
    },
    ends: { ...isWhole, said: large },
  },
  {
    name: "bytes that are no UTF-8",
    play: (exchange) => {
      const marked = { ...WHOLE, text: `It is ${MARK}.` };
      sendHead(exchange);
      exchange.response.end(
        exchange.mode === "streamed"
          ? Buffer.concat(exchange.bodies.stream(marked, garbled).map(({ bytes }) => bytes))
          : garbled(bodyOf(exchange, marked)),
      );
    },
    ends: { ...isWhole, said: { ...WHOLE, text: "It is \ufffd\ufffd." } },
  },
  {
    name: "packed with gzip, unasked",
    play: (exchange) => {
      sendHead(exchange, { "content-encoding": "gzip" });
      exchange.response.end(gzipSync(bodyOf(exchange)));
    },
    ends: isWhole,
  },
  {
    name: "packed with gzip and cut",
    play: (exchange) => {
      sendHead(exchange, { "content-encoding": "gzip" });
      const packed = gzipSync(bodyOf(exchange));
      exchange.response.end(packed.subarray(0, packed.length / 2));
    },
    ends: { kind: "network", requests: 3, says: /./ },
  },
  {
    name: "a stream where one value was asked for, and the other way round",
    play: (exchange) => {
      const mode = exchange.mode === "streamed" ? "at once" : "streamed";
      answer({ ...exchange, mode });
    },
    ends: isWhole,
  },
  {
    name: "cut by the model's own limit in the middle of a call",
    modes: ["streamed"],
    play: (exchange) => answer(exchange, { ...WHOLE, finish: "length" }),
    ends: { ...isWhole, said: { ...WHOLE, finish: "length" } },
  },
  {
    name: "a refusal",
    play: (exchange) => answer(exchange, { refusal: "I cannot help with that.", finish: "refusal" }),
    ends: { ...isWhole, said: { refusal: "I cannot help with that.", finish: "refusal" } },
  },
];
