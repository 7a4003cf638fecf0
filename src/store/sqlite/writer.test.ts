import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { migrate, userVersionOf } from "../migrate.ts";
import { ALL_MIGRATIONS } from "../migrations/all-migrations.ts";
import { openConnection } from "./connection.ts";
import type { Queries } from "./queries.ts";
import { openReader } from "./reader.ts";
import { createWriter } from "./writer.ts";
import type { Writer } from "./writer.ts";

const open = async (clock = systemClock) => {
  const temp = createTempDirectory();
  const path = join(temp.path, "hermes.db");
  await migrate({ path, clock: systemClock, migrations: ALL_MIGRATIONS, locksDirectory: join(temp.path, "locks") });
  const writer = createWriter({
    connection: openConnection(path, { readOnly: false }),
    clock,
    userVersion: userVersionOf(ALL_MIGRATIONS),
    describeHolder: () => Promise.resolve("process 4711 (cli)"),
  });
  const reader = openReader(path, clock);
  const names = async (): Promise<string[]> => {
    const rows = await reader.db.selectFrom("migrations").select("name").where("name", "like", "t%").execute();
    return rows.map((row) => row.name);
  };
  const dispose = async (): Promise<void> => {
    await writer.close();
    reader.close();
    await temp[Symbol.asyncDispose]();
  };
  return { path, home: temp.path, writer, names, [Symbol.asyncDispose]: dispose };
};

const insert = (db: Queries, name: string, appliedAt: unknown = 1): Promise<unknown> =>
  db
    .insertInto("migrations")
    .values({ name, applied_at: appliedAt as number })
    .execute();

test("a transaction commits as a whole or not at all, and the order is that of the calls", async () => {
  await using db = await open();
  const failing = db.writer.write(async (q) => {
    await insert(q, "t-lost");
    throw new Error("no");
  });
  const first = db.writer.write(async (q) => insert(q, "t-first"));
  const second = db.writer.write((q) =>
    q.selectFrom("migrations").select("name").where("name", "like", "t%").execute(),
  );
  await expect(failing).rejects.toThrow("no");
  await first;
  expect(await second).toEqual([{ name: "t-first" }]);
  expect(await db.names()).toEqual(["t-first"]);
});

test.each([
  ["Date", new Date(0)],
  ["undefined", undefined],
  ["boolean", true],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["Map", new Map()],
])("a %s cannot be stored, and nothing of its transaction is", async (type, value) => {
  await using db = await open();
  const writing = db.writer.write(async (q) => {
    await insert(q, "t-before");
    // A builder drops undefined columns; a condition keeps it.
    await q
      .updateTable("migrations")
      .set({ name: "t-x" })
      .where("applied_at", "=", value as number)
      .execute();
  });
  await expect(writing).rejects.toMatchObject({ code: "store.unbindable", message: expect.stringContaining(type) });
  expect(await db.names()).toEqual([]);
});

test("a transaction that waits for anything but its queries is rolled back and its lock given back at once", async () => {
  await using db = await open();
  let leaked: Queries | undefined;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = db.writer.write(async (q) => {
    leaked = q;
    await insert(q, "t-waiting");
    await held;
    await insert(q, "t-after");
  });
  const outcome = expect(waiting).rejects.toMatchObject({ code: "store.transaction_left_open" });
  await readFile(db.path); // lets the event loop go on
  await systemClock.sleep(1);
  const other = new DatabaseSync(db.path, { timeout: 0 });
  other.exec("BEGIN IMMEDIATE; ROLLBACK");
  other.close();
  release();
  await outcome;
  await expect(leaked?.selectFrom("migrations").selectAll().execute()).rejects.toMatchObject({
    code: "store.transaction_over",
  });
  await db.writer.write((q) => insert(q, "t-next"));
  expect(await db.names()).toEqual(["t-next"]);
});

test("a transaction that forgets to await something slow does not commit half", async () => {
  await using db = await open();
  const writing = db.writer.write(async (q) => {
    await insert(q, "t-one");
    await writeFile(join(db.home, "file"), "x");
  });
  await expect(writing).rejects.toMatchObject({ code: "store.transaction_left_open" });
  expect(await db.names()).toEqual([]);
});

test("another process's lock is waited for on the clock, then named", async () => {
  const clock = createFakeClock();
  await using db = await open(clock);
  const other = new DatabaseSync(db.path, { timeout: 0 });
  other.exec("BEGIN IMMEDIATE");
  const patient = db.writer.write((q) => insert(q, "t-patient"));
  await clock.advance(3);
  other.exec("ROLLBACK");
  await clock.advance(1_000);
  await patient;
  other.exec("BEGIN IMMEDIATE");
  const waiting = advanceUntilSettled(
    clock,
    db.writer.write((q) => insert(q, "t-late")),
  );
  await expect(waiting).rejects.toMatchObject({
    code: "store.busy",
    message: expect.stringContaining("process 4711 (cli)"),
  });
  other.close();
  expect(await db.names()).toEqual(["t-patient"]);
});

const advanceUntilSettled = async <T>(clock: ReturnType<typeof createFakeClock>, work: Promise<T>): Promise<T> => {
  const state = { isDone: false };
  const done = work.finally(() => {
    state.isDone = true;
  });
  done.catch(() => undefined);
  while (!state.isDone) await clock.advance(5_000);
  return done;
};

test("nothing is written once the schema is another one, or after closing", async () => {
  await using db = await open();
  const newer = new DatabaseSync(db.path);
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  await expect(db.writer.write((q) => insert(q, "t-old"))).rejects.toMatchObject({ code: "store.outdated" });
  expect(await db.names()).toEqual([]);
  await db.writer.close();
  await expect(db.writer.write((q) => insert(q, "t-closed"))).rejects.toMatchObject({ code: "store.closed" });
});

test("many writes at once leave the event loop its turns", async () => {
  await using db = await open();
  const state = { isDone: false };
  const writing = writeMany(db.writer, 200).finally(() => {
    state.isDone = true;
  });
  let turns = 0;
  while (!state.isDone) {
    await systemClock.sleep(0);
    turns += 1;
  }
  await writing;
  expect(turns).toBeGreaterThan(5);
  expect(await db.names()).toHaveLength(200);
});

const writeMany = async (writer: Writer, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await writer.write((q) => insert(q, `t${n}`));
};

test("only what may be lost to a power failure is not waited for, also after such a transaction failed", async () => {
  await using db = await open();
  const FULL = 2;
  const NORMAL = 1;
  const level = async (q: Queries): Promise<unknown> =>
    (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(q)).rows[0]?.synchronous;
  const fail = async (): Promise<never> => Promise.reject(new Error("no"));
  const levels = await Promise.allSettled([
    db.writer.write(level, { sync: "later" }),
    db.writer.write(level),
    db.writer.write(fail, { sync: "later" }),
    db.writer.write(level),
  ]);
  expect(levels.map((each) => (each.status === "fulfilled" ? each.value : "failed"))).toEqual([
    NORMAL,
    FULL,
    "failed",
    FULL,
  ]);
});
