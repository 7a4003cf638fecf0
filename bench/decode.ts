/**
 * How fast a streamed answer is decoded: `node bench/decode.ts [megabytes]`. Prints chunks and megabytes per second of CPU
 * time for plain text in network-sized reads, alone and behind the stall guard, and the cost of estimating 10,000 messages.
 */
import { printFigure } from "./measure.ts";
import { createTokenEstimator } from "../src/llm/estimate.ts";
import { systemClock } from "../src/base/clock.ts";
import type { WireEvent } from "../src/llm/event.ts";
import type { Message } from "../src/llm/message.ts";
import { withStallGuard, type GuardedEvent } from "../src/llm/stall-guard.ts";
import { createChatCompletionsWire } from "../src/llm/wires/chat-completions/chat-completions.ts";
import { NO_CREDENTIAL } from "../src/llm/credential.ts";

const READ_BYTES = 16_384;
const megabytes = Number(process.argv[2] ?? "20");

const chunk = (word: string): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1_764_000_000,
    model: "bench-model",
    system_fingerprint: "fp_bench",
    choices: [{ index: 0, delta: { content: word }, logprobs: null, finish_reason: null }],
  })}\n\n`;

const buildBody = (): { readonly bytes: Uint8Array; readonly chunks: number } => {
  const block = ["The ", "quick ", "brown ", "fox ", "日本 ", "jumps. "].map(chunk).join("");
  const repeats = Math.ceil((megabytes * 1e6) / block.length);
  return { bytes: new TextEncoder().encode(`${block.repeat(repeats)}data: [DONE]\n\n`), chunks: repeats * 6 };
};

async function* reads(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += READ_BYTES) yield bytes.subarray(at, at + READ_BYTES);
}

const { bytes, chunks } = buildBody();
const wire = createChatCompletionsWire({ redact: (text) => text });
const target = {
  provider: "bench",
  model: "m",
  baseUrl: "http://127.0.0.1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};
const decode = (): AsyncIterable<WireEvent> => wire.decode(reads(bytes), { target, contentType: "text/event-stream" });

/** Time of this process alone, so that a busy machine does not count. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

const measure = async (name: string, open: () => AsyncIterable<GuardedEvent>): Promise<void> => {
  const started = process.cpuUsage();
  let words = 0;
  for await (const event of open()) words += event.type === "text" ? 1 : 0;
  const seconds = cpuMs(started) / 1000;
  if (words !== chunks) throw new Error(`${words} of ${chunks} chunks were decoded`);
  printFigure(name, bytes.length / 1e6 / seconds, { unit: "MB/s", target: ">= 30" });
  printFigure(name, chunks / seconds, { unit: "chunks/s", target: ">= 200000" });
};

const guarded = (): AsyncIterable<GuardedEvent> =>
  withStallGuard(
    decode,
    { firstTokenMs: 90_000, nextTokenMs: 90_000 },
    {
      clock: systemClock,
      signal: new AbortController().signal,
      work: { contextTokens: 0, streaming: true },
    },
  );

for (let round = 0; round < 3; round += 1) {
  await measure("decode", decode);
  await measure("decode behind the guard", guarded);
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
