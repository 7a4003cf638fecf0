import type { StreamPiece } from "../wire-bodies/wire-body.ts";
import { answer, bodyOf, once, piecesOf, sendHead, untilGone, WHOLE, type Exchange, type Hazard } from "./hazard.ts";

const STALLED = {
  kind: "stalled",
  requests: 3,
  says: /^No response from provider for 90s \((?:non-)?streaming, context=~\d+ tokens\)$/,
} as const;

/** Nothing more comes, and nobody hangs up. */
const stop = async (exchange: Exchange): Promise<void> => {
  exchange.silent();
  await untilGone(exchange.gone);
};

/** Writes the first half of a good answer. */
const writeHalf = (exchange: Exchange): void => {
  sendHead(exchange);
  const pieces = piecesOf(exchange, WHOLE);
  if (exchange.mode === "streamed")
    for (const piece of pieces.slice(0, pieces.length / 2)) exchange.response.write(piece);
  else exchange.response.write(bodyOf(exchange).subarray(0, 120));
};

/** Writes something every ten seconds, for as long as anybody listens. */
const writeForEver = async (exchange: Exchange, next: (turn: number) => Uint8Array): Promise<void> => {
  exchange.silent();
  for (let turn = 0; !exchange.gone.aborted; turn += 1) {
    exchange.response.write(next(turn));
    if (!(await sleepUnlessGone(exchange, 10_000))) return;
  }
};

/** Providers, proxies and networks that say nothing, or nothing of use (R-TIME-3, R-TIME-4, B17). */
export const SILENCE: readonly Hazard[] = [
  { name: "silence before the headers", play: stop, ends: STALLED },
  {
    name: "silence before the headers, once",
    play: once(stop),
    ends: { kind: "answer", requests: 2, waits: [2_000] },
  },
  {
    name: "silence after the headers",
    play: (exchange) => {
      sendHead(exchange);
      return stop(exchange);
    },
    ends: STALLED,
  },
  {
    name: "silence in the middle of the answer",
    play: (exchange) => {
      writeHalf(exchange);
      return stop(exchange);
    },
    ends: STALLED,
  },
  {
    name: "silence in the middle of the answer, once",
    play: once((exchange) => {
      writeHalf(exchange);
      return stop(exchange);
    }),
    ends: { kind: "answer", requests: 2, waits: [2_000] },
  },
  {
    name: "signs of life and nothing else",
    modes: ["streamed"],
    play: (exchange) => {
      sendHead(exchange);
      const { keepAlives } = exchange.bodies;
      return writeForEver(exchange, (turn) => keepAlives[turn % keepAlives.length] ?? new Uint8Array());
    },
    ends: STALLED,
  },
  {
    name: "signs of life after half an answer",
    modes: ["streamed"],
    play: (exchange) => {
      writeHalf(exchange);
      const { keepAlives } = exchange.bodies;
      return writeForEver(exchange, (turn) => keepAlives[turn % keepAlives.length] ?? new Uint8Array());
    },
    ends: STALLED,
  },
  {
    name: "blanks and nothing else",
    modes: ["at once"],
    play: (exchange) => {
      sendHead(exchange);
      return writeForEver(exchange, () => Buffer.from("\n"));
    },
    ends: STALLED,
  },
  {
    name: "headers that never end, a byte at a time",
    play: async (exchange) => {
      const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-padding: ${"x".repeat(4_000)}`);
      exchange.silent();
      for (const byte of head) {
        exchange.response.socket?.write(Uint8Array.of(byte));
        if (!(await sleepUnlessGone(exchange, 10_000))) return;
      }
    },
    ends: STALLED,
  },
  {
    name: "a sign of life that never ends, a byte at a time",
    modes: ["streamed"],
    play: (exchange) => {
      sendHead(exchange);
      const [sign = new Uint8Array([0x20])] = exchange.bodies.keepAlives;
      return writeForEver(exchange, (turn) => sign.subarray(turn % (sign.length - 1), (turn % (sign.length - 1)) + 1));
    },
    ends: STALLED,
  },
  {
    name: "a slow answer: half a minute after each word",
    modes: ["streamed"],
    play: async (exchange) => {
      sendHead(exchange);
      await writeSlowly(exchange, exchange.bodies.stream(WHOLE));
      exchange.response.end();
    },
    ends: { kind: "answer", requests: 1 },
  },
  {
    name: "a byte at a time",
    play: async (exchange) => {
      sendHead(exchange);
      for (const byte of bodyOf(exchange)) {
        if (!exchange.response.write(Uint8Array.of(byte)))
          await new Promise((resolve) => exchange.response.once("drain", resolve));
      }
      exchange.response.end();
    },
    ends: { kind: "answer", requests: 1 },
  },
  {
    name: "an answer without end, longer than the whole call may take",
    modes: ["streamed"],
    requestTimeoutMs: 300_000,
    play: async (exchange) => {
      sendHead(exchange);
      await writeSlowly(exchange, exchange.bodies.stream({ text: "and so on ".repeat(8), finish: "stop" }));
    },
    ends: { kind: "timeout", requests: 3, says: /^the call took longer than 300s$/ },
  },
  {
    name: "a whole answer whose end is never sent",
    play: (exchange) => {
      sendHead(exchange);
      exchange.response.write(bodyOf(exchange));
      return stop(exchange);
    },
    // One value is read when its body ends.
    ends: (_bodies, mode) => (mode === "streamed" ? { kind: "answer", requests: 1 } : STALLED),
  },
  {
    name: "the caller ends the call before the headers",
    play: async (exchange) => {
      exchange.abort();
      await untilGone(exchange.gone);
    },
    ends: { kind: "aborted", requests: 1 },
  },
  {
    name: "the caller ends the call, and the answer goes on",
    modes: ["streamed"],
    play: async (exchange) => {
      const taken = exchange.taken();
      writeHalf(exchange);
      await taken;
      exchange.abort();
      for (let more = 0; more < 50 && !exchange.gone.aborted; more += 1) {
        for (const piece of piecesOf(exchange, WHOLE)) exchange.response.write(piece);
      }
      await untilGone(exchange.gone);
    },
    ends: { kind: "aborted", requests: 1 },
  },
  { name: "none: a good answer", play: (exchange) => answer(exchange), ends: { kind: "answer", requests: 1 } },
];

/** Some time passes; the test's clock goes in steps in which what was written arrives. */
const pause = async (exchange: Exchange): Promise<void> => {
  exchange.silent();
  await sleepUnlessGone(exchange, 30_000);
};

/** Whether the client is still there afterwards. */
const sleepUnlessGone = async ({ clock, gone }: Exchange, ms: number): Promise<boolean> => {
  try {
    await clock.sleep(ms, gone);
    return true;
  } catch {
    // The sleep is ended by nothing else.
    return false;
  }
};

/** Writes events; after each that adds something half a minute passes. */
const writeSlowly = async (exchange: Exchange, pieces: readonly StreamPiece[]): Promise<void> => {
  for (const { bytes, says } of pieces) {
    if (exchange.gone.aborted) return;
    exchange.response.write(bytes);
    if (says) await pause(exchange);
  }
};
