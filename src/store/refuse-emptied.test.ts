import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempStore, startTestSession, type TempStore } from "../testing/temp-store.ts";

/** A home in which a session was saved, and whose program has ended. */
const usedHome = async (): Promise<TempStore> => {
  const temp = await createTempStore();
  await (await startTestSession(temp.store)).add("kept");
  await temp.store.close();
  return temp;
};

const refused = (temp: TempStore): Promise<unknown> =>
  temp.open().then(
    () => undefined,
    (error: unknown) => error,
  );

test("a database that was cut to nothing is not taken for a new one, and its journal stays", async () => {
  await using temp = await createTempStore();
  const path = join(temp.home, "hermes.db");
  await (await startTestSession(temp.store)).add("kept");
  const journal = readFileSync(`${path}-wal`);
  await temp.store.close();
  truncateSync(path);
  writeFileSync(`${path}-wal`, journal);
  expect(await refused(temp)).toMatchObject({
    code: "store.emptied",
    message: expect.stringContaining("hermes.db-wal holds data"),
    hint: expect.stringContaining(`move ${path} away`),
  });
  expect(readFileSync(`${path}-wal`).equals(journal)).toBe(true);
  expect(statSync(path).size).toBe(0);
});

test.each([
  ["blobs", (home: string): void => writeFileSync(join(mkdirAt(home, "blobs/ab"), "x"), "y"), "blobs/ holds files"],
  [
    "a copy from before a migration",
    (home: string): void => writeFileSync(join(mkdirAt(home, "backups"), "hermes-before-migration-2026.db"), "y"),
    "backups/ holds hermes-before-migration-2026.db",
  ],
  ["a copy of the person's", (home: string): void => writeFileSync(join(home, "hermes.db.bak"), "y"), "hermes.db.bak"],
])("%s beside it tells that there was one", async (_what, add, words) => {
  await using temp = await usedHome();
  add(temp.home);
  const path = join(temp.home, "hermes.db");
  rmSync(path);
  closeSync(openSync(path, "w"));
  expect(await refused(temp)).toMatchObject({ code: "store.emptied", message: expect.stringContaining(words) });
});

test("with nothing beside it, that it was written to long after it was made tells it", async () => {
  await using temp = await usedHome();
  const path = join(temp.home, "hermes.db");
  truncateSync(path);
  const later = statSync(path).birthtimeMs / 1_000 + 3_600;
  utimesSync(path, later, later);
  expect(await refused(temp)).toMatchObject({ code: "store.emptied", message: expect.stringContaining("written to") });
});

test("what a killed first start leaves, or a home whose database was moved away, starts anew", async () => {
  await using temp = await usedHome();
  const path = join(temp.home, "hermes.db");
  mkdirAt(temp.home, "blobs");
  rmSync(path);
  closeSync(openSync(path, "w"));
  await (await temp.open()).close();
  expect(statSync(path).size).toBeGreaterThan(0);

  writeFileSync(join(mkdirAt(temp.home, "blobs/ab"), "x"), "y");
  rmSync(path);
  await (await temp.open()).close();
  expect(statSync(path).size).toBeGreaterThan(0);
});

test("a copy put in its place is used again", async () => {
  await using temp = await usedHome();
  const path = join(temp.home, "hermes.db");
  const whole = readFileSync(path);
  writeFileSync(`${path}.bak`, whole);
  truncateSync(path);
  expect(await refused(temp)).toMatchObject({ code: "store.emptied" });
  writeFileSync(path, whole);
  const store = await temp.open();
  expect(await store.sessions.list({ limit: 5 })).toHaveLength(1);
});

const mkdirAt = (home: string, name: string): string => {
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  return path;
};
