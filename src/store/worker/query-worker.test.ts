import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { createTempStore, startTestSession } from "../../testing/temp-store.ts";
import { createQueryWorker } from "./query-worker.ts";

/** A worker whose thread answers `stats` with its thread's number and crashes at `list`. */
const createCrashingWorker = (directory: string): ReturnType<typeof createQueryWorker> => {
  const entry = join(directory, "entry.mjs");
  writeFileSync(
    entry,
    `import { parentPort, threadId } from "node:worker_threads";
     parentPort.on("message", ({ id, name }) => {
       if (name === "list") throw new Error("out of order");
       if (name === "search") return;
       parentPort.postMessage({ id, ok: true, value: threadId });
     });`,
  );
  return createQueryWorker({ path: join(directory, "none.db"), entry: pathToFileURL(entry) });
};

test("a crash rejects what waits, and the next query starts a new thread", async () => {
  await using temp = createTempDirectory();
  const worker = createCrashingWorker(temp.path);
  const first = await worker.stats("all");
  expect(await worker.stats("all")).toBe(first);
  const waiting = worker.search({ text: "x", limit: 1 });
  const crashing = worker.list({});
  await expect(crashing).rejects.toMatchObject({
    code: "store.query_failed",
    message: expect.stringContaining("out of order"),
  });
  await expect(waiting).rejects.toMatchObject({ code: "store.query_failed" });
  expect(await worker.stats("all")).not.toBe(first);
  await worker.close();
});

test("closing ends the thread and what waits for it", async () => {
  await using temp = createTempDirectory();
  const worker = createCrashingWorker(temp.path);
  const waiting = expect(worker.search({ text: "x", limit: 1 })).rejects.toMatchObject({ code: "store.closed" });
  await worker.close();
  await waiting;
  await expect(worker.stats("all")).rejects.toMatchObject({ code: "store.closed" });
  await worker.close();
});

test("a thread that cannot start is said", async () => {
  await using temp = createTempDirectory();
  const worker = createQueryWorker({ path: "", entry: pathToFileURL(join(temp.path, "missing.mjs")) });
  await expect(worker.stats("all")).rejects.toMatchObject({ code: "store.query_failed" });
  await worker.close();
});

test("a query that fails in the thread is said, and the thread goes on", async () => {
  await using temp = await createTempStore();
  const worker = createQueryWorker({
    path: join(temp.home, "hermes.db"),
    entry: new URL("main.ts", import.meta.url),
  });
  await expect(worker.list({ source: true as never })).rejects.toMatchObject({ code: "store.query_failed" });
  expect(await worker.list({})).toEqual([]);
  await worker.close();
});

test("the thread sees what was committed before it was asked, whenever it was started", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  for (let n = 1; n <= 5; n += 1) {
    await session.add(`lantern ${n}`);
    expect((await temp.store.search.query({ text: "lantern", limit: 9 })).hits).toHaveLength(n);
  }
});
