import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { migrate } from "../migrate.ts";
import { openStore } from "../open-store.ts";
import { sessionsAndMessages } from "./001-sessions-and-messages.ts";

test("R-MONEY-1: sessions from before the ledger count in it, once, and their calls with an unknown price apart", async () => {
  await using temp = createTempDirectory();
  const path = join(temp.path, "hermes.db");
  const place = { path, clock: systemClock, locksDirectory: join(temp.path, "locks") };
  await migrate({ ...place, migrations: [sessionsAndMessages] });
  const database = new DatabaseSync(path);
  const active = new Date(2026, 10, 3, 23, 59).getTime();
  const insert = database.prepare(`
    INSERT INTO sessions (id, conversation, source, parent, provider, model, started_at, active_at, message_count, tool_call_count,
      model_call_count, input_tokens, output_tokens, cost_usd) VALUES (?, 'c', ?, ?, ?, 'm', 1, ${active}, 1, 0, ?, ?, ?, ?)
  `);
  insert.run("a", "cli", null, "acme", 3, 1_000, 200, 0.1234567);
  insert.run("b", "cron", "a", "acme", 2, 500, null, null);
  insert.run("said-nothing", "cli", null, "acme", 0, null, null, 0);
  insert.run("demo", "practice-demo", null, "practice", 4, null, null, 0);
  database.close();
  for (let start = 0; start < 2; start += 1) {
    const store = await openStore({
      ...place,
      blobsDirectory: join(temp.path, "blobs"),
      owner: { pid: process.pid, surface: "test" },
    });
    expect(await store.spend.insights({ from: "2026-11-03", to: "2026-11-03" })).toMatchObject({
      total: {
        calls: 5,
        unpriced: 2,
        uncounted: 0,
        costUsd: 0.123457,
        usage: { inputTokens: 1_500, outputTokens: 200 },
      },
      bySource: [
        { source: "cli", calls: 3 },
        { source: "cron", calls: 2 },
      ],
    });
    expect(await store.spend.sum({ period: "session", key: "b" })).toMatchObject({ calls: 5, heldTokens: 1_700 });
    expect((await store.sessions.stats()).usage).toEqual({ inputTokens: 1_500, outputTokens: 200 });
    await store.close();
  }
});
