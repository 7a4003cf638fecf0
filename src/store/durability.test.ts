import { randomInt } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import { startStoreProcess } from "../testing/store-process.ts";
import { createTempStore, startTestSession } from "../testing/temp-store.ts";

const checkIntegrity = (home: string): unknown => {
  const database = new DatabaseSync(join(home, "hermes.db"));
  database.exec("INSERT INTO message_text (message_text) VALUES ('integrity-check')");
  const rows = database.prepare("PRAGMA integrity_check").all();
  database.close();
  return rows.map((row) => row["integrity_check"]);
};

test("whatever was acknowledged is there after kill -9 at any moment, whole and in order", async () => {
  const seed = randomInt(1_000_000);
  process.stdout.write(`kill points: seed ${seed}\n`);
  await using temp = await createTempStore();
  const script = `
    const session = await startTestSession(store);
    console.log("session " + session.id);
    for (let n = 1; ; n += 1) {
      const { seq } = await session.add("message " + n + " " + "x".repeat((n * 997) % 20_000));
      console.log("saved " + seq);
    }
  `;
  for (let round = 0; round < 4; round += 1) {
    await using child = startStoreProcess(temp.home, script);
    const id = (await child.line("session ")).slice("session ".length) as SessionId;
    const killAfter = 1 + ((seed * (round + 1) * 7_919) % 40);
    await child.line(`saved ${killAfter}`);
    // Somewhere in the middle of a later append: not at a line's end.
    for (let turn = 0; turn < (seed + round) % 7; turn += 1) await systemClock.sleep(0);
    await child.kill();
    const saved = child.lines.filter((line) => line.startsWith("saved ")).length;
    const messages = await temp.store.messages.load(id);
    expect(messages.length).toBeGreaterThanOrEqual(saved);
    expect(messages.length).toBeLessThanOrEqual(saved + 1);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    for (const [index, message] of messages.entries()) {
      const n = index + 1;
      expect(message.parts[0]).toEqual({ type: "text", text: `message ${n} ${"x".repeat((n * 997) % 20_000)}` });
    }
    expect((await temp.store.sessions.get(id))?.messageCount).toBe(messages.length);
    const { hits } = await temp.store.search.query({ text: "message", session: id, limit: 1_000 });
    expect(hits).toHaveLength(messages.length);
    // The dead process's lease does not keep anybody out.
    expect((await temp.store.leases.acquire(id, "next")).kind).toBe("held");
    expect(checkIntegrity(temp.home)).toEqual(["ok"]);
  }
}, 60_000);

test("processes that append to their sessions at once all get through, none is told that the database is busy", async () => {
  await using temp = await createTempStore();
  const each = 150;
  const script = `
    const session = await startTestSession(store);
    console.log("session " + session.id);
    await nextLine();
    for (let n = 1; n <= ${each}; n += 1) await session.add("tide " + n);
  `;
  await using one = startStoreProcess(temp.home, script);
  await using two = startStoreProcess(temp.home, script);
  const ids = await Promise.all([one, two].map(async (child) => (await child.line("session ")).slice(8) as SessionId));
  one.send("go");
  two.send("go");
  const mine = await startTestSession(temp.store);
  for (let n = 1; n <= each; n += 1) await mine.add(`tide ${n}`);
  expect(await Promise.all([one.end(), two.end()])).toEqual([0, 0]);
  for (const id of [...ids, mine.id]) {
    const messages = await temp.store.messages.load(id);
    expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: each }, (_, n) => n + 1));
  }
  expect((await temp.store.sessions.stats()).messages).toBe(3 * each);
  expect(checkIntegrity(temp.home)).toEqual(["ok"]);
}, 60_000);
