import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { setKey } from "../config/edit.ts";
import { systemClock } from "../base/clock.ts";
import { createTempApp } from "../testing/temp-app.ts";
import { openSpending } from "./open-spend.ts";

const TURN = { purpose: "turn", source: "cli", session: "s1" } as const;
const ESTIMATE = { provider: "p", model: "m", tokens: 100, costUsd: 1 };

test("R-MONEY-2: a cap that is set or raised while a session runs holds with its next call", async () => {
  await using temp = createTempApp({ config: "budget: {day_usd: 0.5}\n" });
  const { app } = temp;
  const spending = openSpending(app);
  const ledger = await spending.ledger();
  const kind = async (): Promise<string> => (await ledger.reserve(TURN, ESTIMATE)).kind;
  expect(await kind()).toBe("refused");
  await setKey({ home: app.home, clock: systemClock }, "budget.day_usd", "1.5");
  expect([await kind(), await kind()]).toEqual(["allowed", "refused"]);
  // A file in the middle of an edit changes nothing, the file's end takes the cap away.
  writeFileSync(app.paths.config, "budget: {day_usd: [");
  expect(await kind()).toBe("refused");
  writeFileSync(app.paths.config, "budget: {day_usd: a lot}\n");
  expect(await kind()).toBe("refused");
  rmSync(app.paths.config);
  expect(await kind()).toBe("allowed");
  expect(spending.caps()).toEqual({});
});

test("R-MONEY-2: a wrong cap is said at the start, and never taken for none", async () => {
  for (const wrong of ["five", "-1", "[1]", ".inf"]) {
    await using temp = createTempApp();
    writeFileSync(temp.app.paths.config, `budget: {day_usd: ${wrong}}\n`);
    expect(() => openSpending(temp.again()), wrong).toThrow(expect.objectContaining({ code: "config.bad_value" }));
  }
});

test("R-MONEY-1: days are those of the configured time zone; status and insights tell the same", async () => {
  await using temp = createTempApp({
    config: "timezone: Pacific/Kiritimati\nbudget: {session_usd: 4, month_tokens: 1000}\n",
  });
  const spending = openSpending(temp.app);
  const decision = await (await spending.ledger()).reserve(TURN, ESTIMATE);
  if (decision.kind === "refused") throw new Error("there is room");
  const usage = { inputTokens: 300, outputTokens: 20 };
  await decision.reservation.settle({ provider: "p", model: "m", usage, costUsd: 0.25 });
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Kiritimati" }).format(temp.app.clock.now());
  const [session, today, month] = await spending.status("s1");
  expect([session?.key, today?.key, month?.key]).toEqual(["s1", day, day.slice(0, 7)]);
  expect(session?.caps).toEqual([{ period: "session", unit: "usd", used: 0.25, cap: 4, resets: null }]);
  expect(month?.caps).toEqual([
    { period: "month", unit: "tokens", used: 320, cap: 1_000, resets: expect.stringMatching(/^\d{4}-\d\d-01 00:00$/) },
  ]);
  expect(today?.sum.costUsd).toBe(0.25);
  expect(await spending.status()).toHaveLength(2);
  const report = await spending.insights({ days: 1 });
  expect([report.from, report.to, report.total]).toEqual([day, day, today?.sum]);
});
