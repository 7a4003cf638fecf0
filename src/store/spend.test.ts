import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCalendar } from "../llm/spend/calendar.ts";
import type { SpendCaps } from "../llm/spend/caps.ts";
import { createSpendLedger } from "../llm/spend/create-spend-ledger.ts";
import type { SpendContext, SpendDecision, SpendEstimate, SpendReservation } from "../llm/spend/spend-ledger.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { createTempStore, startTestSession } from "../testing/temp-store.ts";
import type { Store } from "./store.ts";

const NOON = Date.parse("2026-12-01T12:00:00Z");
const TURN: SpendContext = { purpose: "turn", source: "cli", session: "s1" };

const estimate = (more: Partial<SpendEstimate> = {}): SpendEstimate => ({
  provider: "acme",
  model: "brain",
  tokens: 1_000,
  costUsd: 1,
  ...more,
});

const ledgerOf = (store: Store, caps: SpendCaps, clock: FakeClock = createFakeClock({ now: NOON })) =>
  createSpendLedger({ book: store.spend, clock, calendar: createCalendar("Europe/Berlin"), caps: () => caps });

const allowed = (decision: SpendDecision): Extract<SpendDecision, { kind: "allowed" }> => {
  if (decision.kind === "refused") throw new Error(`refused: ${JSON.stringify(decision.cap)}`);
  return decision;
};

const settle = (reservation: SpendReservation, costUsd: number | null, usage = USAGE): Promise<void> =>
  reservation.settle({ provider: "acme", model: "brain", usage, costUsd });

const USAGE = { inputTokens: 700, outputTokens: 50, cacheReadTokens: 600, reasoningTokens: 20 };

describe("what calls cost (R-MONEY-1)", () => {
  test("R-MONEY-1: every call is added up by day, month, session and job; an unknown price is counted apart, never as 0", async () => {
    await using temp = await createTempStore();
    const ledger = ledgerOf(temp.store, {});
    const known = allowed(await ledger.reserve({ ...TURN, job: "j1" }, estimate()));
    await settle(known.reservation, 0.031);
    const unknown = allowed(await ledger.reserve({ ...TURN, purpose: "title" }, estimate({ costUsd: null })));
    await unknown.reservation.settle({ provider: "den", model: "own", usage: { outputTokens: 5 }, costUsd: null });
    const sum = await temp.store.spend.sum({ period: "day", key: "2026-12-01" });
    expect(sum).toEqual({
      calls: 2,
      uncounted: 0,
      unpriced: 1,
      usage: {
        inputTokens: 700,
        outputTokens: 55,
        cacheReadTokens: 600,
        cacheWriteTokens: 0,
        reasoningTokens: 20,
      },
      costUsd: 0.031,
      // The provider did not say how much went in: the estimate of the second call stands.
      heldTokens: 750 + 1_000,
      heldUsd: 0.031,
    });
    expect(await temp.store.spend.sum({ period: "month", key: "2026-12" })).toEqual(sum);
    expect(await temp.store.spend.sum({ period: "session", key: "s1" })).toEqual(sum);
    expect(await temp.store.spend.sum({ period: "job", key: "j1" })).toMatchObject({ calls: 1, costUsd: 0.031 });
    expect(await temp.store.spend.sum({ period: "day", key: "2026-12-02" })).toMatchObject({ calls: 0, costUsd: 0 });
    const { byModel } = await temp.store.spend.insights({ from: "2026-12-01", to: "2026-12-01" });
    expect(byModel.map(({ provider, model, calls, unpriced }) => [provider, model, calls, unpriced])).toEqual([
      ["acme", "brain", 1, 0],
      ["den", "own", 1, 1],
    ]);
  });

  test("what a provider did not count stays estimated, and a call that was taken back is not there", async () => {
    await using temp = await createTempStore();
    const ledger = ledgerOf(temp.store, {});
    await settle(allowed(await ledger.reserve(TURN, estimate())).reservation, null, {} as typeof USAGE);
    await allowed(await ledger.reserve(TURN, estimate())).reservation.cancel();
    expect(await temp.store.spend.sum({ period: "day", key: "2026-12-01" })).toMatchObject({
      calls: 1,
      uncounted: 1,
      unpriced: 1,
      costUsd: 0,
      heldUsd: 1,
      heldTokens: 1_000,
    });
  });

  test("a call ends once: what comes after it changes nothing", async () => {
    await using temp = await createTempStore();
    const { reservation } = allowed(await ledgerOf(temp.store, {}).reserve(TURN, estimate()));
    await settle(reservation, 0.5);
    await settle(reservation, 0.7);
    await reservation.cancel();
    expect(await temp.store.spend.sum({ period: "day", key: "2026-12-01" })).toMatchObject({ calls: 1, costUsd: 0.5 });
  });

  test("counts that no provider can mean do not break the sums", async () => {
    await using temp = await createTempStore();
    const ledger = ledgerOf(temp.store, {});
    const wild = { inputTokens: 1e300, outputTokens: -5, cacheReadTokens: 0.5, cacheWriteTokens: Number.NaN };
    await allowed(await ledger.reserve(TURN, estimate())).reservation.settle({
      provider: "acme",
      model: "brain",
      usage: wild,
      costUsd: Number.POSITIVE_INFINITY,
    });
    const { usage, costUsd } = await temp.store.spend.sum({ period: "day", key: "2026-12-01" });
    expect(usage).toMatchObject({ inputTokens: 1e12, outputTokens: 0, cacheReadTokens: 1, cacheWriteTokens: 0 });
    expect(costUsd).toBe(1e9);
  });

  test("whatever happens to calls, the sums of days and months are those of the calls", async () => {
    const steps = fc.array(
      fc.record({
        day: fc.constantFrom("2026-11-30", "2026-12-01", "2026-12-02"),
        source: fc.constantFrom("cli", "cron"),
        model: fc.constantFrom("a", "b"),
        answeredBy: fc.constantFrom("a", "b"),
        end: fc.constantFrom("settle", "unpriced", "uncounted", "cancel", "none"),
        micros: fc.integer({ min: 0, max: 1e6 }),
      }),
      { maxLength: 12 },
    );
    await using temp = await createTempStore();
    const { spend } = temp.store;
    const database = new DatabaseSync(join(temp.home, "hermes.db"), { readOnly: true });
    await fc.assert(
      fc.asyncProperty(steps, async (calls) => {
        for (const { day, source, model, answeredBy, end, micros } of calls) {
          const entry = { at: 1, day, provider: "p", model, purpose: "turn", source, tokens: 9, micros } as const;
          const answer = await spend.reserve({ ...entry, session: undefined, job: undefined }, []);
          const id = answer.kind === "reserved" ? answer.id : -1;
          const usage = end === "uncounted" ? {} : { inputTokens: micros, outputTokens: 1 };
          if (end === "cancel") await spend.cancel(id);
          else if (end !== "none")
            await spend.settle(id, {
              provider: "p",
              model: answeredBy,
              usage,
              micros: end === "unpriced" ? null : micros,
            });
        }
        for (const [table, key] of [
          ["spend_days", "day"],
          ["spend_months", "substr(day, 1, 7)"],
        ] as const) {
          const kept = database.prepare(`SELECT * FROM ${table} WHERE calls <> 0 ORDER BY 1, 2, 3, 4`).all();
          const counted = database.prepare(addedUp(key)).all();
          expect(kept.map((row) => Object.values(row))).toEqual(counted.map((row) => Object.values(row)));
        }
      }),
      { numRuns: 15 },
    );
    database.close();
  });
});

const COLUMNS =
  "calls uncounted unpriced input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens cost_micros held_tokens held_micros";
const addedUp = (key: string): string =>
  `SELECT ${key}, source, provider, model, ${COLUMNS.split(" ")
    .map((column) => `sum(coalesce(${column}, 0))`)
    .join(", ")} FROM spend GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;

describe("caps (R-MONEY-2)", () => {
  test.each([
    ["day_usd", "day", "usd", "2026-12-02 00:00"],
    ["month_usd", "month", "usd", "2027-01-01 00:00"],
    ["session_usd", "session", "usd", null],
    ["job_usd", "job", "usd", null],
    ["day_tokens", "day", "tokens", "2026-12-02 00:00"],
    ["month_tokens", "month", "tokens", "2027-01-01 00:00"],
    ["session_tokens", "session", "tokens", null],
    ["job_tokens", "job", "tokens", null],
  ] as const)("R-MONEY-2: %s holds to the last micro-dollar and token", async (...[key, period, unit, resets]) => {
    await using temp = await createTempStore();
    const cap = unit === "usd" ? 2.5 : 2_500;
    const ledger = ledgerOf(temp.store, { [key]: cap });
    const context = { ...TURN, job: "j1" };
    for (let call = 0; call < 2; call += 1) allowed(await ledger.reserve(context, estimate()));
    const one = unit === "usd" ? 1 : 1_000;
    expect(await ledger.reserve(context, estimate())).toEqual({
      kind: "refused",
      cap: { period, unit, used: 2 * one, cap, needs: one, resets },
    });
    const rest = allowed(await ledger.reserve(context, estimate({ tokens: 500, costUsd: 0.5 })));
    const nothingLeft = await ledger.reserve(context, estimate({ tokens: 1, costUsd: 0.000001 }));
    expect(nothingLeft).toMatchObject({ kind: "refused", cap: { used: cap } });
    // What a call really took makes room for the next.
    await settle(rest.reservation, 0.25, { ...USAGE, inputTokens: 200, outputTokens: 50 });
    allowed(await ledger.reserve(context, estimate({ tokens: 250, costUsd: 0.25 })));
  });

  test("R-MONEY-2: a call that took more than it was expected to stops the next one", async () => {
    await using temp = await createTempStore();
    const ledger = ledgerOf(temp.store, { day_usd: 2 });
    await settle(allowed(await ledger.reserve(TURN, estimate())).reservation, 2.2);
    expect(await ledger.reserve(TURN, estimate({ costUsd: 0 }))).toMatchObject({ kind: "refused", cap: { used: 2.2 } });
  });

  test("R-MONEY-2: a cap of nothing allows nothing that costs; other sessions and jobs have caps of their own", async () => {
    await using temp = await createTempStore();
    expect(await ledgerOf(temp.store, { day_usd: 0 }).reserve(TURN, estimate())).toMatchObject({ kind: "refused" });
    const ledger = ledgerOf(temp.store, { session_usd: 1, job_usd: 1 });
    allowed(await ledger.reserve({ ...TURN, job: "j1" }, estimate()));
    expect(await ledger.reserve(TURN, estimate())).toMatchObject({ kind: "refused", cap: { period: "session" } });
    expect(await ledger.reserve({ ...TURN, session: "s2", job: "j1" }, estimate())).toMatchObject({
      cap: { period: "job" },
    });
    allowed(await ledger.reserve({ ...TURN, session: "s2", job: "j2" }, estimate()));
    allowed(await ledger.reserve({ purpose: "test", source: "cli" }, estimate()));
  });

  test("R-MONEY-2: of several caps that are reached, the one is named that holds longest", async () => {
    await using temp = await createTempStore();
    const caps = { day_usd: 0.5, month_usd: 0.5, session_usd: 0.5 };
    expect(await ledgerOf(temp.store, caps).reserve(TURN, estimate())).toMatchObject({ cap: { period: "session" } });
    const noSession = { purpose: "turn", source: "cron" } as const;
    expect(await ledgerOf(temp.store, caps).reserve(noSession, estimate())).toMatchObject({ cap: { period: "month" } });
  });

  test("R-MONEY-2: caps of days and months begin anew with the owner's local day and month", async () => {
    await using temp = await createTempStore();
    // Half an hour before midnight in Berlin, at the end of a month.
    const clock = createFakeClock({ now: Date.parse("2026-12-31T22:30:00Z") });
    const ledger = ledgerOf(temp.store, { day_usd: 1, month_usd: 3 }, clock);
    const { reservation } = allowed(await ledger.reserve(TURN, estimate()));
    expect(await ledger.reserve(TURN, estimate())).toMatchObject({
      kind: "refused",
      cap: { period: "day", resets: "2027-01-01 00:00" },
    });
    clock.jumpWall(30 * 60_000);
    // It counts to the day on which it began.
    await settle(reservation, 0.9);
    allowed(await ledger.reserve(TURN, estimate()));
    expect(await temp.store.spend.sum({ period: "month", key: "2026-12" })).toMatchObject({ heldUsd: 0.9 });
    expect(await temp.store.spend.sum({ period: "month", key: "2027-01" })).toMatchObject({ heldUsd: 1 });
    // A clock that is set back is in the old day again, with what was spent then.
    clock.jumpWall(-60 * 60_000);
    expect(await ledger.reserve(TURN, estimate())).toMatchObject({ kind: "refused", cap: { used: 0.9 } });
    allowed(await ledger.reserve(TURN, estimate({ costUsd: 0.1 })));
  });

  test("R-MONEY-2: warnings at 50, 75 and 90 %, each once for all processes; a changed cap has its own", async () => {
    await using temp = await createTempStore();
    const other = await temp.open();
    const percents = async (store: Store, caps: SpendCaps, costUsd: number): Promise<readonly number[]> => {
      const { warn, reservation } = allowed(await ledgerOf(store, caps).reserve(TURN, estimate({ costUsd })));
      await settle(reservation, costUsd);
      return warn.map(({ percent }) => percent);
    };
    const caps = { day_usd: 10 };
    expect(await percents(temp.store, caps, 4.99)).toEqual([]);
    expect(await percents(temp.store, caps, 0.01)).toEqual([]);
    expect(await percents(temp.store, caps, 0.5)).toEqual([50]);
    expect(await percents(other, caps, 3.5)).toEqual([]);
    // 75 and 90 were passed at once: the higher one is told.
    expect(await percents(other, caps, 0.1)).toEqual([90]);
    expect(await percents(temp.store, caps, 0)).toEqual([]);
    expect(await percents(temp.store, { day_usd: 11 }, 0)).toEqual([75]);
    expect(await percents(temp.store, { day_usd: 10, month_usd: 10 }, 0)).toEqual([90]);
    const { warn } = allowed(
      await ledgerOf(temp.store, { month_tokens: 8_000 }).reserve(TURN, estimate({ tokens: 0 })),
    );
    expect(warn).toEqual([
      { period: "month", unit: "tokens", used: 8 * 750, cap: 8_000, percent: 75, resets: "2027-01-01 00:00" },
    ]);
  });

  test("R-MONEY-1: under a dollar cap an unknown price is allowed and said once for each model", async () => {
    await using temp = await createTempStore();
    const other = await temp.open();
    const ask = async (store: Store, caps: SpendCaps, model: string): Promise<boolean> =>
      allowed(await ledgerOf(store, caps).reserve(TURN, estimate({ costUsd: null, model }))).unpriced;
    const caps = { day_usd: 0.01 };
    expect(await ask(temp.store, { day_tokens: 1e9 }, "a")).toBe(false);
    const beside = { ...TURN, purpose: "title" } as const;
    const titled = await ledgerOf(temp.store, caps).reserve(beside, estimate({ costUsd: null, model: "a" }));
    expect(allowed(titled).unpriced).toBe(false);
    expect([await ask(temp.store, caps, "a"), await ask(other, caps, "a"), await ask(other, caps, "b")]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await ledgerOf(temp.store, { day_tokens: 1 }).reserve(TURN, estimate({ costUsd: null }))).toMatchObject({
      kind: "refused",
    });
  });

  test("R-MONEY-2: what a session continues counts to it; who begins anew begins at nothing", async () => {
    await using temp = await createTempStore();
    const { sessions, conversations } = temp.store;
    const first = await startTestSession(temp.store);
    const ledger = ledgerOf(temp.store, { session_usd: 3 });
    const spend = async (session: string): Promise<SpendDecision> => ledger.reserve({ ...TURN, session }, estimate());
    allowed(await spend(first.id));
    const child = {
      source: "cli",
      provider: "p",
      model: "m",
      cwd: null,
      systemPrompt: await sessions.systemPrompt(first.id),
    };
    const compressed = await conversations.rotate({
      key: first.record.conversation,
      from: first.id,
      child,
      reason: "compression",
    });
    allowed(await spend(compressed.id));
    const undone = await sessions.create({ ...child, parent: compressed.id });
    allowed(await spend(undone.id));
    expect(await spend(undone.id)).toMatchObject({ kind: "refused", cap: { period: "session", used: 3 } });
    expect(await spend(first.id)).toMatchObject({ kind: "refused" });
    expect(await temp.store.spend.sum({ period: "session", key: undone.id })).toMatchObject({ heldUsd: 3 });
    const anew = await conversations.rotate({
      key: first.record.conversation,
      from: compressed.id,
      child,
      reason: "new_session",
    });
    allowed(await spend(anew.id));
  });
});

test("insights: by model, source and day over month ends, one source alone, the most expensive first", async () => {
  await using temp = await createTempStore();
  const { spend } = temp.store;
  const call = async (...[day, source, model, micros]: [string, string, string, number]): Promise<void> => {
    const entry = { at: 1, day, provider: "p", model, purpose: "turn", source, tokens: 1, micros } as const;
    const answer = await spend.reserve({ ...entry, session: undefined, job: undefined }, []);
    if (answer.kind === "reserved")
      await spend.settle(answer.id, { provider: "p", model, usage: { inputTokens: 10, outputTokens: 1 }, micros });
  };
  await call("2026-09-29", "cli", "old", 9_000_000);
  await call("2026-09-30", "cli", "a", 1_000_000);
  await call("2026-10-01", "cron", "a", 2_000_000);
  await call("2026-10-31", "cron", "b", 4_000_000);
  await call("2026-11-15", "cli", "b", 8_000_000);
  await call("2026-12-01", "cli", "c", 16_000_000);
  await call("2026-12-02", "cli", "later", 32_000_000);
  const all = await spend.insights({ from: "2026-09-30", to: "2026-12-01" });
  expect(all.total).toMatchObject({ calls: 5, costUsd: 31, usage: { inputTokens: 50 } });
  expect(all.byModel.map(({ model, costUsd }) => [model, costUsd])).toEqual([
    ["c", 16],
    ["b", 12],
    ["a", 3],
  ]);
  expect(all.bySource.map(({ source, costUsd }) => [source, costUsd])).toEqual([
    ["cli", 25],
    ["cron", 6],
  ]);
  expect(all.byDay.map(({ day, costUsd }) => [day, costUsd])).toEqual([
    ["2026-09-30", 1],
    ["2026-10-01", 2],
    ["2026-10-31", 4],
    ["2026-11-15", 8],
    ["2026-12-01", 16],
  ]);
  const cron = await spend.insights({ from: "2026-09-30", to: "2026-12-01", source: "cron" });
  expect([cron.total.costUsd, cron.byModel.length, cron.byDay.length]).toEqual([6, 2, 2]);
  expect((await spend.insights({ from: "2026-11-01", to: "2026-11-30" })).total.costUsd).toBe(8);
  expect((await spend.insights({ from: "2026-10-31", to: "2026-11-15" })).total.costUsd).toBe(12);
  expect(await spend.insights({ from: "2025-01-01", to: "2025-02-01" })).toMatchObject({ byDay: [], byModel: [] });
});

test("100,000 calls of a year: the sums that are read are those of the calls, and no call is read for them", async () => {
  await using temp = await createTempStore();
  const database = new DatabaseSync(join(temp.home, "hermes.db"));
  database.exec(`
    INSERT INTO spend (at, day, provider, model, purpose, source, session, root, state, input_tokens, output_tokens, cost_micros,
      held_tokens, held_micros)
    WITH RECURSIVE call (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM call WHERE n < 99999)
    SELECT n, date('2025-12-02', '+' || (n % 365) || ' days'), 'p', 'm' || (n % 5), 'turn', 's' || (n % 3), 'x', 'x', 'settled',
      n % 1000, n % 77, CASE WHEN n % 11 = 0 THEN NULL ELSE n % 5000 END, 1, 1 FROM call
  `);
  const [expected] = database
    .prepare(
      "SELECT count(*) AS calls, sum(input_tokens) AS input, sum(cost_micros) AS cost, sum(cost_micros IS NULL) AS unpriced FROM spend WHERE day BETWEEN '2026-01-15' AND '2026-11-20'",
    )
    .all();
  const { total, byModel, byDay } = await temp.store.spend.insights({ from: "2026-01-15", to: "2026-11-20" });
  expect([total.calls, total.usage.inputTokens, Math.round(total.costUsd * 1e6), total.unpriced]).toEqual(
    Object.values(expected ?? {}),
  );
  expect(byModel.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls);
  expect(byDay.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls);
  // The calls themselves are gone, the sums are still read.
  database.exec("DROP TRIGGER spend_removed; DELETE FROM spend");
  database.close();
  expect((await temp.store.spend.insights({ from: "2026-01-15", to: "2026-11-20" })).total).toEqual(total);
});
