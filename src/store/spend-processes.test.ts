import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startStoreProcess } from "../testing/store-process.ts";
import { createTempStore } from "../testing/temp-store.ts";

const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A process that makes calls of up to $0.10 which take a part of it, until a cap refuses; then it prints how many. */
const spender = (end: string): string => `
  const { createSpendLedger } = await import(${moduleOf("../llm/spend/create-spend-ledger.ts")});
  const { createCalendar } = await import(${moduleOf("../llm/spend/calendar.ts")});
  const ledger = createSpendLedger({ book: store.spend, clock: systemClock, calendar: createCalendar("UTC"),
    caps: () => ({ job_usd: 5, job_tokens: 1_000_000 }) });
  const context = { purpose: "turn", source: "cron", job: "j1" };
  const reserve = (n) => ledger.reserve(context, { provider: "p", model: "m", tokens: 1_000, costUsd: 0.1 });
  console.log("ready");
  await nextLine();
  ${end}
`;

const UNTIL_REFUSED = `
  let calls = 0;
  for (let n = 1; ; n += 1) {
    // Three calls on their way at once in each process, as with subagents.
    const decisions = await Promise.all([reserve(), reserve(), reserve()]);
    for (const [index, decision] of decisions.entries()) {
      if (decision.kind === "refused") continue;
      calls += 1;
      const costUsd = 0.02 + ((n * 7 + index * 3) % 8) / 100;
      await decision.reservation.settle({ provider: "p", model: "m", usage: { inputTokens: 10, outputTokens: 1 }, costUsd });
    }
    if (decisions.every(({ kind }) => kind === "refused")) break;
  }
  console.log("calls " + calls);
`;

test("R-MONEY-2: processes that spend from one cap at once end within it, and use it up", async () => {
  await using temp = await createTempStore();
  await using first = startStoreProcess(temp.home, spender(UNTIL_REFUSED));
  await using second = startStoreProcess(temp.home, spender(UNTIL_REFUSED));
  await Promise.all([first.line("ready"), second.line("ready")]);
  for (const each of [first, second]) each.send("go");
  const counts = await Promise.all([first, second].map(async (each) => Number((await each.line("calls ")).slice(6))));
  const sum = await temp.store.spend.sum({ period: "job", key: "j1" });
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(sum).toMatchObject({ calls: (counts[0] ?? 0) + (counts[1] ?? 0), uncounted: 0, heldUsd: sum.costUsd });
  expect(sum.costUsd).toBeLessThanOrEqual(5);
  expect(sum.costUsd).toBeGreaterThan(5 - 0.1);
  expect([await first.end(), await second.end()]).toEqual([0, 0]);
}, 60_000);

test("R-MONEY-2: a process that is killed between asking and settling leaves its estimates counted", async () => {
  await using temp = await createTempStore();
  await using child = startStoreProcess(
    temp.home,
    spender(`
      for (let n = 1; n <= 40; n += 1) {
        const decision = await reserve();
        if (n % 2 === 0) await decision.reservation.settle({ provider: "p", model: "m", usage: { inputTokens: 1, outputTokens: 1 }, costUsd: 0.01 });
        console.log("reserved " + n);
      }
      await nextLine();
    `),
  );
  await child.line("ready");
  child.send("go");
  await child.line("reserved 40");
  await child.kill();
  const { spend } = await temp.open();
  expect(await spend.sum({ period: "job", key: "j1" })).toMatchObject({
    calls: 40,
    uncounted: 20,
    costUsd: 0.2,
    heldUsd: 20 * 0.1 + 20 * 0.01,
    heldTokens: 20 * 1_000 + 20 * 2,
  });
  const bound = { scope: { period: "job", key: "j1" }, unit: "micros", cap: 2_300_000 } as const;
  const entry = {
    at: 1,
    day: "2026-12-01",
    provider: "p",
    model: "m",
    purpose: "turn",
    source: "cron",
    tokens: 1,
  } as const;
  const next = { ...entry, session: undefined, job: "j1" };
  expect((await spend.reserve({ ...next, micros: 100_001 }, [bound])).kind).toBe("refused");
  expect((await spend.reserve({ ...next, micros: 100_000 }, [bound])).kind).toBe("reserved");
});
