/**
 * Measures the ledger of calls on 100,000 calls of a year: `node bench/spend.ts [calls]`. Printed are processor time for what stands
 * before and after each call of a model, and how long sums and insights take.
 */
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import type { SpendEntry } from "../src/llm/spend/spend-book.ts";
import { createCalendar, shiftDay } from "../src/llm/spend/calendar.ts";
import { createSpendLedger } from "../src/llm/spend/create-spend-ledger.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/store.ts";
import { createTempDirectory } from "../src/testing/temp-home.ts";
import { printFigure } from "./measure.ts";

const CALLS = Number(process.argv[2] ?? 100_000);
const DAYS = 365;
const ROUNDS = 500;
const CAPS = { day_usd: 1e6, month_usd: 1e6, session_usd: 1e6, month_tokens: 1e12, session_tokens: 1e12 };

const calendar = createCalendar("UTC");
const today = calendar.day(systemClock.now());
const models = ["opus", "sonnet", "haiku", "gpt", "flash", "qwen"];
const sources = ["cli", "telegram", "cron", "acp"];

const entry = (n: number): SpendEntry => ({
  at: systemClock.now(),
  day: shiftDay(today, -Math.floor((n * DAYS) / CALLS)),
  provider: "openrouter",
  model: models[n % models.length] ?? "",
  purpose: "turn",
  source: sources[Math.floor(n / 7) % sources.length] ?? "",
  session: `session-${Math.floor(n / 10_000)}`,
  job: undefined,
  tokens: 50_000,
  micros: 200_000,
});

const usage = { inputTokens: 40_000, outputTokens: 700, cacheReadTokens: 38_000, cacheWriteTokens: 900 };

const fill = async (store: Store): Promise<void> => {
  for (let n = 0; n < CALLS; n += 1) {
    const answer = await store.spend.reserve(entry(n), []);
    if (answer.kind === "reserved") {
      await store.spend.settle(answer.id, { provider: "openrouter", model: entry(n).model, usage, micros: 31_000 });
    }
  }
};

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

const measure = async (rounds: number, work: () => Promise<unknown>): Promise<{ wall: number[]; cpu: number }> => {
  for (let n = 0; n < 20; n += 1) await work();
  const wall: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let n = 0; n < rounds; n += 1) {
    const began = systemClock.monotonic();
    await work();
    wall.push(systemClock.monotonic() - began);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall, cpu: (user + system) / 1_000 / rounds };
};

const print = (name: string, values: readonly number[], target?: string): void => {
  printFigure(`${name}, p50`, percentile(values, 0.5), { unit: "ms" });
  printFigure(`${name}, p95`, percentile(values, 0.95), { unit: "ms", ...(target === undefined ? {} : { target }) });
};

await using temp = createTempDirectory();
const store = await openStore({
  path: join(temp.path, "hermes.db"),
  blobsDirectory: join(temp.path, "blobs"),
  locksDirectory: join(temp.path, "locks"),
  clock: systemClock,
  owner: { pid: process.pid, surface: "bench" },
});
await fill(store);

for (const [name, caps] of [
  ["no caps", {}],
  ["5 caps", CAPS],
] as const) {
  const ledger = createSpendLedger({ book: store.spend, clock: systemClock, calendar, caps: () => caps });
  const { wall, cpu } = await measure(ROUNDS, async () => {
    const decision = await ledger.reserve(
      { purpose: "turn", source: "cli", session: "session-0" },
      { provider: "openrouter", model: "opus", tokens: 50_000, costUsd: 0.2 },
    );
    if (decision.kind === "refused") throw new Error("the bench's caps are out of reach");
    await decision.reservation.settle({ provider: "openrouter", model: "opus", usage, costUsd: 0.031 });
  });
  printFigure(`reserve and settle, ${name}: processor time`, cpu, { unit: "ms", target: "under 2" });
  print(`reserve and settle, ${name}`, wall);
}
for (const days of [30, 365]) {
  const range = { from: shiftDay(today, 1 - days), to: today };
  const { wall, cpu } = await measure(50, () => store.spend.insights(range));
  printFigure(`insights, ${days} days: processor time`, cpu, { unit: "ms" });
  print(`insights, ${days} days`, wall, "under 20");
}
print("sum of a month", (await measure(50, () => store.spend.sum({ period: "month", key: today.slice(0, 7) }))).wall);
print(
  "sum of a session of 10,000 calls",
  (await measure(50, () => store.spend.sum({ period: "session", key: "session-0" }))).wall,
);
await store.close();
