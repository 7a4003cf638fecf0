import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { userMessage } from "../../testing/temp-store.ts";
import { migrate } from "../migrate.ts";
import { openStore } from "../open-store.ts";
import { ALL_MIGRATIONS } from "./all-migrations.ts";

test("what was stored before the index knew filters is found as before, and by them", async () => {
  await using temp = createTempDirectory();
  const path = join(temp.path, "hermes.db");
  const place = { path, clock: systemClock, locksDirectory: join(temp.path, "locks") };
  const before = ALL_MIGRATIONS.slice(
    0,
    ALL_MIGRATIONS.findIndex(({ name }) => name === "005-search-filters"),
  );
  await migrate({ ...place, migrations: before });
  const database = new DatabaseSync(path);
  const addSession = database.prepare(`
    INSERT INTO sessions (n, id, conversation, source, provider, model, started_at, active_at, message_count, tool_call_count,
      model_call_count) VALUES (?, ?, 'c', ?, 'p', 'm', 1, 1, 2, 0, 0)
  `);
  const addMessage = database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, 'user', 5, ?)");
  const addText = database.prepare("INSERT INTO message_text (rowid, words, cjk) VALUES (?, ?, ?)");
  for (const [n, source] of ["", "cli", "telegram"].entries()) {
    if (n === 0) continue;
    addSession.run(n, `s${n}`, source);
    addMessage.run(n * 10, n, 1, `msg_${n}a`, JSON.stringify(userMessage("潮汐 lantern")));
    addMessage.run(n * 10 + 1, n, 2, `msg_${n}b`, JSON.stringify(userMessage("…")));
    addText.run(n * 10, " lantern", "06f6e06c50 06c50");
  }
  // The rest of a copy that was cut off.
  addMessage.run(99, -2, 1, "msg_c", JSON.stringify(userMessage("lantern")));
  addText.run(99, "lantern", "");
  database.close();
  const store = await openStore({
    ...place,
    blobsDirectory: join(temp.path, "blobs"),
    owner: { pid: process.pid, surface: "test" },
  });
  const find = async (text: string, source?: string): Promise<readonly string[]> => {
    const { hits } = await store.search.query({ text, limit: 9, ...(source === undefined ? {} : { source }) });
    return hits.map(({ messageId }) => messageId);
  };
  expect(await find("lantern")).toEqual(["msg_2a", "msg_1a"]);
  expect(await find("潮汐")).toEqual(["msg_2a", "msg_1a"]);
  expect(await find("lantern", "cli")).toEqual(["msg_1a"]);
  await store.close();
});
