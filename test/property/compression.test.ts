import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { compress, type CompressDeps } from "../../src/agent/compression/compress.ts";
import type { CompressionOutcome, CompressionReason } from "../../src/agent/compression/compression.ts";
import { isFiller, isSummary } from "../../src/agent/compression/summary-message.ts";
import type { SummaryAnswer } from "../../src/agent/compression/summary-request.ts";
import { missingMessages } from "../../src/agent/history.ts";
import { createTokenEstimator } from "../../src/llm/estimate.ts";
import { textOf, toolCallsOf, type Message } from "../../src/llm/message.ts";
import { loadWire } from "../../src/llm/wires/load-wire.ts";
import type { Wire } from "../../src/llm/wires/wire.ts";
import {
  conversationOf,
  loadAnswerTemplates,
  targetOfWire,
  turnsOf,
  type AnswerTemplates,
} from "../../src/testing/random-conversation.ts";
import { WIRE_BODIES } from "../../src/testing/wire-bodies.ts";
import { illegalIn } from "../../src/testing/wire-legality.ts";

const SYSTEM = "Be brief.";
const TOOLS = [
  { name: "t", description: "Reads.", parameters: { type: "object", properties: { path: { type: "string" } } } },
];

let templates: AnswerTemplates;
let wires: readonly Wire[];
beforeAll(async () => {
  templates = await loadAnswerTemplates();
  wires = await Promise.all(WIRE_BODIES.map(({ wire }) => loadWire(wire, { redact: (words) => words })));
});

const said = (text: string): SummaryAnswer => ({ kind: "summary", text });

/** What a summariser may come to. */
const summary: fc.Arbitrary<SummaryAnswer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 4_000 }).map((length) => said("it was done\n".repeat(length / 12))),
  },
  { weight: 1, arbitrary: fc.constant(said("## Active Task\nx\n## Goal\n" + "very long ".repeat(20_000))) },
  { weight: 1, arbitrary: fc.constant(said("  \n")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<SummaryAnswer>(
      { kind: "failed", failure: "no_provider", because: "no key" },
      { kind: "failed", failure: "broken_answer", because: "the summary was cut off" },
    ),
  },
);
interface Round {
  readonly summary: SummaryAnswer;
  readonly contextWindow: number;
  readonly reason: CompressionReason;
  readonly focus: boolean;
  readonly protectFirstN: number;
  readonly protectLastN: number;
  readonly more: readonly Message[];
}

const rounds = (): fc.Arbitrary<readonly Round[]> =>
  fc.array(
    fc.record({
      summary,
      contextWindow: fc.oneof(
        fc.integer({ min: 8_000, max: 40_000 }),
        fc.constantFrom(8_000, 16_384, 32_000, 64_000, 128_000, 200_000),
      ),
      reason: fc.constantFrom<CompressionReason>("threshold", "overflow", "manual"),
      focus: fc.boolean(),
      protectFirstN: fc.constantFrom(0, 1, 3, 3, 8),
      protectLastN: fc.constantFrom(0, 2, 20, 20),
      more: conversationOf(templates, { minLength: 0, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 5 },
  );

const run = async (messages: readonly Message[], round: Round): Promise<CompressionOutcome> => {
  const estimator = createTokenEstimator();
  const { contextWindow, reason, focus, protectFirstN, protectLastN } = round;
  const deps: CompressDeps = {
    settings: {
      enabled: true,
      threshold: 0.5,
      targetRatio: 0.2,
      protectFirstN,
      protectLastN,
      abortOnSummaryFailure: false,
    },
    clock: systemClock,
    estimate: (request) => estimator.estimateTokens(request),
    estimateMessage: (message) => estimator.estimateMessage(message),
    redact: (text) => text,
    summarise: () => Promise.resolve(round.summary),
  };
  return await compress(deps, {
    compressible: { system: SYSTEM, messages, tools: TOOLS },
    window: { contextWindow, outputReserve: Math.min(8_000, Math.floor(contextWindow / 4)) },
    reason,
    ...(focus ? { focus: "the tide tables" } : {}),
    signal: new AbortController().signal,
  });
};

const sizeOf = (messages: readonly Message[]): number => {
  const estimator = createTokenEstimator();
  const base = estimator.estimateTokens({ system: SYSTEM, messages: [], tools: TOOLS });
  return messages.reduce((tokens, message) => tokens + estimator.estimateMessage(message), base);
};

const expectLegal = (messages: readonly Message[]): void => {
  const closed = [
    ...messages,
    ...(messages.at(-1)?.role === "user" ? [] : missingMessages(messages, { provider: "p", model: "m" })),
  ];
  for (const [at, bodies] of WIRE_BODIES.entries()) {
    const request = { system: SYSTEM, messages: closed, tools: TOOLS };
    const { body } = wires[at]!.encode(request, targetOfWire(bodies), (hash) => (hash === "h1" ? "QUJD" : undefined));
    expect(illegalIn(bodies.wire, body), bodies.wire).toEqual([]);
  }
};

/** Every answer with calls is followed by exactly its results, in the order in which they came. */
const expectWholeGroups = (messages: readonly Message[]): void => {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open.shift()).toBe(message.parts[0].callId);
      continue;
    }
    expect(open).toEqual([]);
    if (message.role === "assistant") open = toolCallsOf(message).map(({ id }) => id);
  }
  expect(open).toEqual([]);
};

const SHORTENED = /This result was too long for what is left/;
const isShortened = (message: Message): boolean =>
  message.role === "tool" && message.parts[0].content.some((part) => part.type === "text" && SHORTENED.test(part.text));

const newestOfPerson = (messages: readonly Message[]): Message | undefined =>
  messages.findLast((message) => message.role === "user" && message.origin.surface === "cli");

/** What stands behind the summary is the end of the conversation as it was. */
const expectSameTail = (before: readonly Message[], after: readonly Message[]): void => {
  const at = after.findLastIndex((message) => isSummary(message) && !before.includes(message));
  if (at < 0) return;
  const behind = after.slice(at + 1).filter((message) => !isFiller(message) || before.includes(message));
  const anchor = newestOfPerson(before);
  const tail = behind[0] === anchor && before.at(-behind.length) !== anchor ? behind.slice(1) : behind;
  expect(tail.length).toBeGreaterThan(0);
  for (const [index, message] of before.slice(-tail.length).entries()) {
    if (!isShortened(tail[index]!)) expect(tail[index]).toBe(message);
    else expect(message.role).toBe("tool");
  }
};

const expectCompressed = (
  before: readonly Message[],
  outcome: Extract<CompressionOutcome, { kind: "compressed" }>,
  { contextWindow }: Round,
): void => {
  const { messages } = outcome;
  expect(outcome.before).toBe(sizeOf(before));
  expect(outcome.after).toBe(sizeOf(messages));
  expect(outcome.after).toBeLessThan(outcome.before);
  expect(messages).toContain(newestOfPerson(before));
  expectWholeGroups(messages);
  expectSameTail(before, messages);
  for (const message of messages) {
    if (isSummary(message) && !before.includes(message)) expect(sizeOf([message])).toBeLessThan(contextWindow / 4);
  }
  for (let at = 1; at < messages.length; at += 1) {
    const pair = [messages[at - 1]!, messages[at]!];
    // Two user messages in a row are the person's own: a word of steering.
    if (pair.every(({ role }) => role === "user")) {
      const first = before.indexOf(pair[0]!);
      expect(before[first + 1], textOf(pair[0]!)).toBe(pair[1]);
    }
  }
};

describe("any conversation, compressed up to five times", { timeout: 120_000 }, () => {
  test("R-COMP-4 B09 B10 B19 B20 is legal in every format, whole, smaller, and keeps what the person said last", async () => {
    const kinds = { compressed: 0, other: 0 };
    await fc.assert(
      fc.asyncProperty(conversationOf(templates, { minLength: 2, maxLength: 12 }), rounds(), async (first, all) => {
        let messages = first;
        expectLegal(messages);
        for (const round of all) {
          const outcome = await run(messages, round);
          expect(outcome.kind).not.toBe("failed");
          if (outcome.kind === "compressed") {
            kinds.compressed += 1;
            expectCompressed(messages, outcome, round);
            expectLegal(outcome.messages);
            messages = outcome.messages;
          } else kinds.other += 1;
          const closed =
            messages.at(-1)?.role === "user" ? missingMessages(messages, { provider: "p", model: "m" }) : [];
          messages = [...messages, ...closed, ...round.more];
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
    // A compression that never happens would prove nothing.
    expect(kinds.compressed).toBeGreaterThan(kinds.other);
  });

  test("what is far too long comes within the window, whoever summarises", async () => {
    const long = turnsOf(templates, { minLength: 20, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(long, rounds(), async (before, [round]) => {
        const tail = [
          { role: "user", parts: [{ type: "text", text: "and now?" }], origin: { surface: "cli" } },
        ] as const;
        const messages = [...before, ...tail];
        const { contextWindow } = round!;
        fc.pre(sizeOf(messages) > contextWindow * 2);
        const outcome = await run(messages, { ...round!, reason: "threshold" });
        expect(outcome.kind).toBe("compressed");
        if (outcome.kind === "compressed") expect(outcome.after).toBeLessThan(0.85 * contextWindow * 0.75);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});
