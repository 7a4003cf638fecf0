import { expect, test } from "vitest";
import { createTokenEstimator } from "../../llm/estimate.ts";
import type { Message } from "../../llm/message.ts";
import { assistant, call, result, text, user } from "../../testing/conversation-parts.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { compress, type CompressDeps } from "./compress.ts";
import type { CompressionSettings } from "./compression.ts";
import { createCompressionPolicy } from "./policy.ts";
import { largestRequest } from "./window.ts";

const SETTINGS: CompressionSettings = {
  enabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectLastN: 20,
  protectFirstN: 3,
  abortOnSummaryFailure: false,
};

const words = (count: number): string => "tide ".repeat(count);
const turn = (at: number): readonly Message[] => [
  assistant([call(`call-${at}`, `{"path":"gate-${at}.ts"}`)]),
  result(`call-${at}`, [text(`gate ${at} ${words(at % 7 === 0 ? 400 : 40)}`)]),
  assistant([text(`gate ${at}: ${words(60)}`)], { finish: "stop" }),
];

/** A counting estimator with what the policy and the compressor need. */
const rigOf = (summary: string) => {
  const estimator = createTokenEstimator();
  const counts = { estimated: 0, masked: 0, summaries: 0 };
  const deps: CompressDeps = {
    settings: SETTINGS,
    clock: createFakeClock(),
    estimate: (compressible) => estimator.estimateTokens(compressible),
    estimateMessage: (message) => {
      counts.estimated += 1;
      return estimator.estimateMessage(message);
    },
    redact: (words) => {
      counts.masked += 1;
      return words;
    },
    summarise: () => {
      counts.summaries += 1;
      return Promise.resolve({ kind: "summary", text: summary });
    },
  };
  return { deps, counts, estimator };
};

const talk = async (turns: number, contextWindow: number) => {
  const { deps, counts, estimator } = rigOf(`## Active Task\n${words(500)}`);
  const policy = createCompressionPolicy({ settings: SETTINGS, clock: deps.clock, history: [] });
  const window = { contextWindow, outputReserve: Math.min(8_000, contextWindow / 4) };
  let messages: readonly Message[] = [];
  let largest = 0;
  let sent = 0;
  for (let at = 0; at < turns; at += 1) {
    messages = [...messages, user(`what of gate ${at}?`)];
    const tokens = estimator.estimateTokens({ system: "", messages, tools: [] });
    if (policy.decide(tokens, window).kind === "compress") {
      const compressible = { system: "", messages, tools: [] };
      const outcome = await compress(deps, {
        compressible,
        window,
        reason: "threshold",
        signal: new AbortController().signal,
      });
      policy.recordOutcome(outcome);
      if (outcome.kind === "compressed") messages = outcome.messages;
      expect(outcome.kind).toBe("compressed");
    }
    const request = estimator.estimateTokens({ system: "", messages, tools: [] });
    largest = Math.max(largest, request);
    sent += request;
    messages = [...messages, ...turn(at)];
  }
  return { ...counts, largest, sent, limit: largestRequest(window) };
};

test.each([64_000, 16_000, 8_000])(
  "R-COMP-1 2,000 turns in a window of %d: never over it, no loop, a cost that grows with the turns alone",
  async (contextWindow) => {
    const half = await talk(1_000, contextWindow);
    const whole = await talk(2_000, contextWindow);
    expect(whole.largest).toBeLessThanOrEqual(whole.limit);
    // A run frees enough for many turns.
    expect(whole.summaries).toBeLessThan(2_000 / 4);
    expect(whole.summaries).toBeGreaterThan(1);
    expect(whole.summaries / half.summaries).toBeLessThan(2.5);
    expect(whole.sent / half.sent).toBeLessThan(2.2);
  },
);

test("compressing ten times the messages counts and masks ten times as much", async () => {
  const workFor = async (turns: number) => {
    const { deps, counts } = rigOf("## Active Task\nNone");
    const messages = Array.from({ length: turns }, (_, at) => [user(`what of gate ${at}?`), ...turn(at)]).flat();
    const window = { contextWindow: 64_000, outputReserve: 8_000 };
    const compressible = { system: "", messages: [...messages, user("and now?")], tools: [] };
    await compress(deps, { compressible, window, reason: "threshold", signal: new AbortController().signal });
    return counts.estimated + counts.masked;
  };
  const few = await workFor(250);
  // Of few messages the tail, which is not read, is a larger part; what is quadratic would be a hundred times as much.
  expect((await workFor(2_500)) / few).toBeLessThan(14);
});
