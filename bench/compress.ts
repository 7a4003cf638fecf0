/**
 * What it takes to make a smaller conversation, without the model's own time: `node bench/compress.ts`.
 * Clearing and cutting must be linear in the number of messages; counting tokens and masking are shown apart, because both are done
 * once in a message's life elsewhere.
 */
import { compress, type CompressDeps } from "../src/agent/compression/compress.ts";
import { createRedactor } from "../src/base/redact/redact-text.ts";
import { systemClock } from "../src/base/clock.ts";
import { createTokenEstimator } from "../src/llm/estimate.ts";
import type { Message } from "../src/llm/message.ts";
import { median, printFigure } from "./measure.ts";

const ROUNDS = 5;
const LINE = "src/tide/gate.ts:120 the sluice opens at nine, high water at a quarter past\n";

/** Turns of a question, a call with its result, and an answer. */
const conversation = (count: number): readonly Message[] =>
  Array.from({ length: Math.floor(count / 4) }, (_, at): Message[] => [
    { role: "user", parts: [{ type: "text", text: `Where does gate ${at} open?` }], origin: { surface: "cli" } },
    {
      role: "assistant",
      parts: [{ type: "tool_call", id: `call_${at}`, name: "search_files", arguments: `{"pattern":"gate ${at}"}` }],
      provider: "p",
      model: "m",
      finish: "tool_calls",
    },
    {
      role: "tool",
      parts: [
        {
          type: "tool_result",
          callId: `call_${at}`,
          name: "search_files",
          outcome: "ok",
          content: [{ type: "text", text: LINE.repeat(at % 24) }],
        },
      ],
    },
    {
      role: "assistant",
      parts: [{ type: "text", text: `Gate ${at} opens in src/tide/gate.ts, at nine. ${LINE}` }],
      provider: "p",
      model: "m",
      finish: "stop",
    },
  ]).flat();

interface Used {
  readonly cpuMs: number;
  readonly longestMs: number;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Runs it once; `longestMs` is the most processor time for which nothing else could run. */
const measured = async (work: () => Promise<unknown>): Promise<Used> => {
  let last = cpuMs();
  let longestMs = 0;
  const ended = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await systemClock.sleep(0);
      const now = cpuMs();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }
  };
  const watched = watch();
  const before = cpuMs();
  await work();
  const used = cpuMs() - before;
  ended.abort();
  await watched;
  return { cpuMs: used, longestMs };
};

const redactor = createRedactor({ enabled: true });

const run = async (
  messages: readonly Message[],
  deps: Pick<CompressDeps, "estimateMessage" | "redact">,
): Promise<void> => {
  const outcome = await compress(
    {
      ...deps,
      settings: {
        enabled: true,
        threshold: 0.5,
        targetRatio: 0.2,
        protectFirstN: 3,
        protectLastN: 20,
        abortOnSummaryFailure: false,
      },
      clock: systemClock,
      estimate: () => 2_500,
      summarise: () => Promise.resolve({ kind: "summary", text: "## Active Task\nNone" }),
    },
    {
      compressible: { system: "", messages, tools: [] },
      window: { contextWindow: 200_000, outputReserve: 8_000 },
      reason: "threshold",
      focus: "gates",
      signal: new AbortController().signal,
    },
  );
  if (outcome.kind !== "compressed" || outcome.by !== "model") throw new Error(`not compressed: ${outcome.kind}`);
};

const mid = (all: readonly Used[], of: keyof Used): number => median(all.map((used) => used[of]));

/** Every message has been counted and masked before, as in a conversation that was being held. */
const cutting = async (count: number): Promise<number> => {
  const messages = conversation(count);
  const estimator = createTokenEstimator();
  for (const message of messages) estimator.estimateMessage(message);
  const all: Used[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    all.push(
      await measured(() =>
        run(messages, { estimateMessage: (message) => estimator.estimateMessage(message), redact: (text) => text }),
      ),
    );
  }
  printFigure(`clear and cut ${count} messages, CPU`, mid(all, "cpuMs"), { unit: "ms" });
  return mid(all, "cpuMs");
};

const few = await cutting(1_000);
const many = await cutting(10_000);
printFigure("ten times the messages take, times", many / few, { unit: "", target: "about 10: linear" });

const fresh: Used[] = [];
const messages = conversation(10_000);
for (let round = 0; round < ROUNDS; round += 1) {
  const estimator = createTokenEstimator();
  fresh.push(
    await measured(() =>
      run(messages, {
        estimateMessage: (message) => estimator.estimateMessage(message),
        redact: (text) => redactor.text(text),
      }),
    ),
  );
}
printFigure("10,000 messages never counted before, masked as well, CPU", mid(fresh, "cpuMs"), { unit: "ms" });
printFigure("longest processor time without a turn of the event loop", mid(fresh, "longestMs"), {
  unit: "ms",
  target: "under 100",
});
