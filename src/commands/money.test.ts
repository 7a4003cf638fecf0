import { expect, test } from "vitest";
import type { SpendSum } from "../llm/spend/spend-book.ts";
import type { InsightsReport, PeriodUse } from "../llm/spend/spend-status.ts";
import type { CommandResult } from "./command.ts";
import { insights } from "./insights.ts";
import type { CommandPorts } from "./ports.ts";
import { barsOf, drawBars, formatTokensHeld } from "./spend-words.ts";
import { usage } from "./usage.ts";

const sumOf = (more: Partial<SpendSum>): SpendSum => ({
  calls: 0,
  uncounted: 0,
  unpriced: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  costUsd: 0,
  heldTokens: 0,
  heldUsd: 0,
  ...more,
});

/** What the two commands ask of a surface. */
const createDesk = () => {
  const desk = {
    periods: [] as PeriodUse[],
    insights: {
      from: "2026-11-30",
      to: "2026-12-01",
      total: sumOf({}),
      byModel: [],
      bySource: [],
      byDay: [],
    } as InsightsReport,
    insightDays: 0,
  };
  const ports = {
    conversation: { usage: async () => ({ usage: {}, modelCalls: 0, toolCalls: 0, costUsd: null }) },
    money: {
      status: async () => desk.periods,
      insights: async (days: number) => {
        desk.insightDays = days;
        return desk.insights;
      },
    },
  } as unknown as CommandPorts;
  const run = (line: string): Promise<CommandResult> => {
    const [name, args = ""] = line.split(" ");
    return (name === "/usage" ? usage : insights).run({ args, ports });
  };
  return { desk, run };
};

const textOf = (result: CommandResult): string => ("text" in result ? result.text : JSON.stringify(result));

test("R-MONEY-2: /usage shows today, this month and how far budgets are used; one that is reached says what to do", async () => {
  const { desk, run } = createDesk();
  const usage = {
    inputTokens: 12_000,
    outputTokens: 345,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const month = { period: "month", unit: "usd", used: 4.2, cap: 20, resets: "2027-01-01 00:00" } as const;
  const tokens = { period: "session", unit: "tokens", used: 5_000, cap: 5_000, resets: null } as const;
  desk.periods = [
    { period: "session", key: "s1", sum: sumOf({ calls: 1 }), caps: [tokens] },
    { period: "day", key: "2026-12-01", sum: sumOf({ calls: 2, unpriced: 2 }), caps: [] },
    { period: "month", key: "2026-12", sum: sumOf({ calls: 3, unpriced: 2, costUsd: 4.2, usage }), caps: [month] },
  ];
  const shown = await run("/usage");
  expect(shown.kind === "table" ? shown.rows.slice(8) : shown).toEqual([
    ["its budget", "5,000 of 5,000 tokens (100 %)"],
    ["today", "unknown price, 0 tokens"],
    ["this month", "$4.20, and 2 calls of unknown price, 12,345 tokens"],
    ["of the budget", "$4.20 of $20.00 (21 %)"],
  ]);
  expect(shown).toMatchObject({ note: expect.stringContaining("`hermes budget set session TOKENS --tokens`") });
});

test("/insights [days]: models, a bar for each day, sources, what was not counted", async () => {
  const { desk, run } = createDesk();
  expect(textOf(await run("/insights"))).toBe("No model was called from 2026-11-30 to 2026-12-01.");
  expect(desk.insightDays).toBe(30);
  for (const wrong of ["0", "-1", "1.5", "week", "99999"]) {
    expect(await run(`/insights ${wrong}`), wrong).toMatchObject({ kind: "error" });
  }
  const usage = {
    inputTokens: 1_000,
    outputTokens: 50,
    cacheReadTokens: 820,
    cacheWriteTokens: 0,
    reasoningTokens: 20,
  };
  const dear = sumOf({ calls: 3, costUsd: 2, heldUsd: 2.5, uncounted: 1, usage });
  const free = sumOf({ calls: 2, unpriced: 2 });
  desk.insights = {
    ...desk.insights,
    total: { ...dear, calls: 5, unpriced: 2 },
    byModel: [
      { ...dear, provider: "acme", model: "brain" },
      { ...free, provider: "den", model: "own" },
    ],
    bySource: [
      { ...dear, source: "cli" },
      { ...free, source: "cron" },
    ],
    byDay: [{ ...dear, day: "2026-12-01" }],
  };
  expect(await run("/insights 2")).toEqual({
    kind: "table",
    title:
      "2026-11-30 to 2026-12-01: 5 calls, 1,000 tokens in (82 % from the cache), 50 out (20 of it reasoning), $2.00, and 2 calls of unknown price",
    columns: ["model", "calls", "in", "cached", "out", "cost"],
    rows: [
      ["acme:brain", "3", "1,000", "82 %", "50", "$2.00"],
      ["den:own", "2", "0", "", "0", "unknown price"],
    ],
    note: [
      "2026-11-30   ·",
      `2026-12-01  ${"█".repeat(24)} $2.00`,
      "cli $2.00 · cron unknown price",
      "1 call without a count of tokens: on the way, cut off, or not counted by the provider; budgets count $0.50 for them",
    ].join("\n"),
  });
  expect(desk.insightDays).toBe(2);
});

test("the chart: days, then weeks, then months; nothing is nothing, little is a little", () => {
  const day = (name: string, costUsd: number, tokens = 0) => ({
    day: name,
    ...sumOf({ costUsd, usage: { ...sumOf({}).usage, inputTokens: tokens } }),
  });
  const chart = (from: string, to: string, byDay: ReturnType<typeof day>[]): readonly string[] =>
    drawBars(barsOf({ from, to, byDay }), 4);
  expect(
    chart("2026-02-27", "2026-03-02", [day("2026-02-28", 8), day("2026-03-01", 3), day("2026-03-02", 0.001)]),
  ).toEqual(["2026-02-27   ·", "2026-02-28  ████ $8.00", "2026-03-01  █▌ $3.00", "2026-03-02  ▏ $0.0010"]);
  expect(chart("2026-10-01", "2026-11-04", [day("2026-10-07", 1), day("2026-10-08", 2), day("2026-11-04", 2)])).toEqual(
    ["2026-10-01  ██ $1.00", "2026-10-08  ████ $2.00", "2026-10-15   ·", "2026-10-22   ·", "2026-10-29  ████ $2.00"],
  );
  const year = chart("2025-12-02", "2026-12-01", [day("2025-12-31", 0, 500), day("2026-12-01", 0, 1_000)]);
  expect([year.length, year[0], year.at(-1)]).toEqual([13, "2025-12  ██ 500", "2026-12  ████ 1,000"]);
});

test("R-MONEY-2: tokens read as a budget counts them, estimates apart from counts", () => {
  const usage = { ...sumOf({}).usage, inputTokens: 3_000, outputTokens: 410 };
  const held = (uncounted: number, heldTokens: number) =>
    formatTokensHeld(sumOf({ calls: 5, usage, uncounted, heldTokens }));
  expect(held(0, 3_410)).toBe("3,410");
  expect(held(4, 26_010)).toBe("3,410 counted + 22,600 held for 4 calls without a count");
  expect(held(1, 3_411)).toBe("3,410 counted + 1 held for 1 call without a count");
});
