import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import type { Message } from "../llm/message.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTempStore, startTestSession } from "../testing/temp-store.ts";

const DAY_MS = 24 * 3_600_000;

const count = (home: string, table: string): unknown => {
  const database = new DatabaseSync(join(home, "hermes.db"), { readOnly: true });
  const row = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
  database.close();
  return row?.["count"];
};

const imageMessage = (hash: string): Message => ({
  role: "user",
  parts: [{ type: "image", hash, mediaType: "image/png", byteLength: 3 }],
  origin: { surface: "cli" },
});

test("what was deleted before the time goes for good, with messages, search entries and unused blobs; the rest stays", async () => {
  const clock = createFakeClock({ now: systemClock.now() });
  await using temp = await createTempStore({ clock });
  const { sessions, blobs } = temp.store;
  const [gone, kept, fresh] = [
    await startTestSession(temp.store),
    await startTestSession(temp.store),
    await startTestSession(temp.store),
  ];
  const hashes = await Promise.all([1, 2, 3].map((n) => blobs.put(Uint8Array.of(n, n, n))));
  const [onlyGone, shared, orphan] = hashes as [string, string, string];
  const path = (hash: string): string => join(temp.home, "blobs", hash.slice(0, 2), hash);
  for (const hash of hashes) utimesSync(path(hash), clock.now() / 1_000 - 2 * 86_400, clock.now() / 1_000 - 2 * 86_400);
  const young = await blobs.put(Uint8Array.of(4));
  await gone.add(imageMessage(onlyGone));
  await gone.add({
    role: "tool",
    parts: [
      {
        type: "tool_result",
        callId: "c",
        name: "t",
        outcome: "ok",
        content: [{ type: "image", hash: shared, mediaType: "image/png", byteLength: 3 }],
      },
    ],
  });
  for (let n = 0; n < 130; n += 1) await gone.add(`lantern ${n}`);
  await kept.add(imageMessage(shared));
  await kept.add("lantern kept");
  await sessions.delete([gone.id]);
  clock.jumpWall(DAY_MS);
  await sessions.delete([fresh.id]);
  expect(await sessions.purge(clock.now())).toBe(1);

  expect(await sessions.lookup(gone.id, { deleted: true })).toMatchObject({ kind: "none" });
  expect(await sessions.restore([gone.id])).toBe(0);
  expect(await temp.store.conversations.current(gone.record.conversation)).toBe(undefined);
  expect(await sessions.restore([fresh.id])).toBe(1);
  expect((await temp.store.search.query({ text: "lantern", limit: 9 })).hits.map(({ session }) => session)).toEqual([
    kept.id,
  ]);
  expect([count(temp.home, "messages"), count(temp.home, "message_blobs"), count(temp.home, "sessions")]).toEqual([
    2, 1, 2,
  ]);
  expect([onlyGone, shared, orphan, young].map((hash) => existsSync(path(hash)))).toEqual([false, true, false, true]);
  expect(await blobs.get(shared)).toEqual(Buffer.of(2, 2, 2));
});

test("a removal that was cut off cannot be restored, is seen nowhere, and is finished by the next", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  for (let n = 0; n < 70; n += 1) await session.add(`lantern ${n}`);
  await temp.store.sessions.delete([session.id]);
  await temp.store.close();
  // What a crash after the first slice leaves.
  const database = new DatabaseSync(join(temp.home, "hermes.db"));
  database.exec("UPDATE sessions SET deleted_at = 0; DELETE FROM messages WHERE seq > 20");
  database.close();
  const store = await temp.open();
  expect(await store.sessions.restore([session.id])).toBe(0);
  expect(await store.sessions.get(session.id)).toBe(undefined);
  expect(await store.sessions.list({ deleted: true })).toEqual([]);
  expect(await store.sessions.lookup(session.id, { deleted: true })).toMatchObject({ kind: "none" });
  expect(await store.sessions.purge(systemClock.now())).toBe(1);
  expect([count(temp.home, "messages"), count(temp.home, "sessions")]).toEqual([0, 0]);
});

test("sub-agents' sessions are deleted, restored and removed with the session that started them; branches are not", async () => {
  const clock = createFakeClock({ now: systemClock.now() });
  await using temp = await createTempStore({ clock });
  const { sessions } = temp.store;
  const top = await startTestSession(temp.store);
  const child = await startTestSession(temp.store, { source: "subagent", parent: top.id });
  const deep = await startTestSession(temp.store, { source: "subagent", parent: child.id });
  const early = await startTestSession(temp.store, { source: "subagent", parent: top.id });
  const branch = await startTestSession(temp.store, { parent: top.id });
  const other = await startTestSession(temp.store, { source: "subagent", parent: branch.id });
  const present = async (): Promise<readonly boolean[]> =>
    await Promise.all(
      [top, child, deep, early, branch, other].map(async ({ id }) => (await sessions.get(id))?.deletedAt === null),
    );
  expect(await sessions.delete([early.id])).toBe(1);
  clock.jumpWall(1_000);
  expect(await sessions.delete([top.id])).toBe(1);
  expect(await present()).toEqual([false, false, false, false, true, true]);
  expect(await sessions.restore([top.id])).toBe(1);
  expect(await present()).toEqual([true, true, true, false, true, true]);
  await sessions.delete([top.id]);
  clock.jumpWall(DAY_MS);
  expect(await sessions.purge(clock.now())).toBe(4);
  expect(count(temp.home, "sessions")).toBe(2);
});
