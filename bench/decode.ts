/**
 * How fast streamed answers are decoded: `node bench/decode.ts [megabytes]`. For each format, in reads as the network brings them:
 * megabytes per second of this process's CPU time and microseconds per event, of the wire, of the wire behind the stall guard, of
 * the vendor's own client over the same bytes, and of nothing but finding the events and parsing their JSON. All are run in turn,
 * so that a busy machine is busy for all; the least disturbed of five rounds counts. Last, the cost of estimating 10,000 messages.
 */
import { Stream as AnthropicStream } from "@anthropic-ai/sdk/core/streaming";
import { createParser } from "eventsource-parser";
import { Stream as OpenAiStream } from "openai/core/streaming";
import { systemClock } from "../src/base/clock.ts";
import { NO_CREDENTIAL } from "../src/llm/credential.ts";
import { createTokenEstimator } from "../src/llm/estimate.ts";
import type { Message } from "../src/llm/message.ts";
import { withStallGuard } from "../src/llm/stall-guard.ts";
import { loadWire } from "../src/llm/wires/load-wire.ts";
import type { Wire } from "../src/llm/wires/wire.ts";
import { buildCorpora, type Corpus } from "./decode-corpora.ts";
import { printFigure } from "./measure.ts";

const READ_BYTES = 16_384;
const ROUNDS = 5;
const corpora = buildCorpora(Number(process.argv[2] ?? "20"));

async function* reads({ bytes }: Corpus): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += READ_BYTES) yield bytes.subarray(at, at + READ_BYTES);
}

/** Time of this process alone, so that a busy machine does not count. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Reads a corpus; answers how many events or words came out, which proves that it did. */
type Contestant = (corpus: Corpus) => Promise<{ readonly came: number; readonly expected: number }>;

const decodeWith =
  (wire: Wire): Contestant =>
  async (corpus) => {
    let came = 0;
    for await (const event of decodeOf(wire, corpus)) came += event.type === "text" ? 1 : 0;
    return { came, expected: corpus.words };
  };

const decodeOf = (wire: Wire, corpus: Corpus): ReturnType<Wire["decode"]> => {
  const target = {
    provider: "bench",
    model: "m",
    baseUrl: "http://127.0.0.1",
    credential: NO_CREDENTIAL,
    quirks: {},
    stream: true,
  };
  return wire.decode(reads(corpus), { target, contentType: corpus.contentType });
};

const guardedWith =
  (wire: Wire): Contestant =>
  async (corpus) => {
    let came = 0;
    const guarded = withStallGuard(
      () => decodeOf(wire, corpus),
      { firstTokenMs: 90_000, nextTokenMs: 90_000 },
      {
        clock: systemClock,
        signal: new AbortController().signal,
        work: { contextTokens: 0, streaming: true },
      },
    );
    for await (const event of guarded) came += event.type === "text" ? 1 : 0;
    return { came, expected: corpus.words };
  };

/** The vendors' clients read a response whose body need only be iterable, so they have no web stream to pay for either. */
const responseOf = (corpus: Corpus): Response => ({ body: reads(corpus) }) as unknown as Response;

const openAiClient: Contestant = async (corpus) => {
  let came = 0;
  for await (const _ of OpenAiStream.fromSSEResponse(responseOf(corpus), new AbortController())) came += 1;
  return { came, expected: corpus.events - (corpus.wire === "chat_completions" ? 1 : 0) };
};

const anthropicClient: Contestant = async (corpus) => {
  let came = 0;
  for await (const _ of AnthropicStream.fromSSEResponse(responseOf(corpus), new AbortController())) came += 1;
  return { came, expected: corpus.events };
};

const ceiling: Contestant = async (corpus) => {
  let came = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]") JSON.parse(data);
      came += 1;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of reads(corpus)) parser.feed(decoder.decode(bytes, { stream: true }));
  return { came, expected: corpus.events };
};

const CLIENTS: Readonly<Partial<Record<Corpus["wire"], readonly [string, Contestant]>>> = {
  chat_completions: ["openai", openAiClient],
  codex_responses: ["openai", openAiClient],
  anthropic_messages: ["@anthropic-ai/sdk", anthropicClient],
};

const run = async (contestant: Contestant, corpus: Corpus): Promise<number> => {
  const started = process.cpuUsage();
  const { came, expected } = await contestant(corpus);
  if (came !== expected) throw new Error(`${corpus.wire}: ${came} came of ${expected}`);
  return cpuMs(started);
};

for (const corpus of corpora) {
  const wire = await loadWire(corpus.wire, { redact: (text) => text });
  const client = CLIENTS[corpus.wire];
  const contestants: readonly (readonly [string, Contestant])[] = [
    ["decode", decodeWith(wire)],
    ["decode behind the guard", guardedWith(wire)],
    ...(client === undefined ? [] : [client]),
    ...(corpus.wire === "bedrock_converse" ? [] : [["finding and parsing alone", ceiling] as const]),
  ];
  const times = contestants.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, [, contestant]] of contestants.entries()) {
      const ms = await run(contestant, corpus);
      // The first round warms up.
      if (round > 0) times[at]?.push(ms);
    }
  }
  for (const [at, [name]] of contestants.entries()) {
    const ms = Math.min(...(times[at] ?? []));
    printFigure(`${corpus.wire}, ${name}`, corpus.bytes.length / 1e3 / ms, {
      unit: "MB/s",
      ...(at === 0 ? { target: ">= 100" } : {}),
    });
    printFigure(`${corpus.wire}, ${name}`, (ms * 1e3) / corpus.events, {
      unit: "µs per event",
      ...(at < 2 ? { target: "< 5" } : {}),
    });
  }
}

const messages: Message[] = Array.from({ length: 10_000 }, (_, at) => ({
  role: "user",
  parts: [{ type: "text", text: `Message ${at}: ${"some words of a long conversation ".repeat(20)}` }],
  origin: { surface: "bench" },
}));
const estimator = createTokenEstimator();
for (const name of ["first", "again"]) {
  const started = process.cpuUsage();
  estimator.estimateTokens({ system: "", messages, tools: [] });
  printFigure(`estimate of 10,000 messages, ${name}`, cpuMs(started), { unit: "ms" });
}
