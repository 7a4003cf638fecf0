import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createTempStore, startTestSession } from "../testing/temp-store.ts";
import { migrate } from "./migrate.ts";
import { ALL_MIGRATIONS } from "./migrations/all-migrations.ts";
import type { Migration } from "./migrations/migration.ts";

const addColour: Migration = { name: "900-colour", sql: "ALTER TABLE sessions ADD COLUMN colour TEXT" };
const addShape: Migration = { name: "901-shape", sql: "ALTER TABLE sessions ADD COLUMN shape TEXT" };

const requestIn = (home: string, migrations: readonly Migration[]): Parameters<typeof migrate>[0] => ({
  path: join(home, "hermes.db"),
  locksDirectory: join(home, "locks"),
  clock: createFakeClock(),
  migrations,
});

const readNames = (path: string): unknown[] => {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT name FROM migrations ORDER BY rowid").all();
  database.close();
  return rows.map((row) => row["name"]);
};

test("a new database is private with everything beside it, and needs no copy", async () => {
  const previous = process.umask(0o000);
  try {
    await using temp = await createTempStore();
    await startTestSession(temp.store);
    for (const name of ["hermes.db", "hermes.db-wal", "hermes.db-shm"]) {
      expect([name, statSync(join(temp.home, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(existsSync(join(temp.home, "backups"))).toBe(false);
  } finally {
    process.umask(previous);
  }
});

test("a file that others could read is made private again", async () => {
  await using temp = createTempDirectory();
  const request = requestIn(temp.path, ALL_MIGRATIONS);
  await migrate(request);
  chmodSync(request.path, 0o644);
  await migrate(request);
  expect(statSync(request.path).mode & 0o777).toBe(0o600);
});

test("decision 7: only what is missing is applied, after a private copy of the file as it was", async () => {
  await using temp = createTempDirectory();
  await migrate(requestIn(temp.path, [...ALL_MIGRATIONS, addColour]));
  const request = requestIn(temp.path, [...ALL_MIGRATIONS, addColour, addShape]);
  await migrate(request);
  await migrate(request);
  expect(readNames(request.path).slice(-2)).toEqual(["900-colour", "901-shape"]);
  const copies = readdirSync(join(temp.path, "backups"));
  expect(copies).toHaveLength(1);
  const copy = join(temp.path, "backups", copies[0]!);
  expect(readNames(copy).at(-1)).toBe("900-colour");
  expect(statSync(copy).mode & 0o777).toBe(0o600);
});

test("the newest three copies are kept", async () => {
  await using temp = createTempDirectory();
  const clock = createFakeClock();
  for (let count = 0; count < 6; count += 1) {
    const more = Array.from({ length: count }, (_, n) => ({ name: `9${n}`, sql: `CREATE TABLE t${n} (x)` }));
    await migrate({ ...requestIn(temp.path, [...ALL_MIGRATIONS, ...more]), clock });
    await clock.advance(1_000);
  }
  const copies = readdirSync(join(temp.path, "backups")).toSorted((a, b) => a.localeCompare(b));
  expect(copies).toHaveLength(3);
  expect(readNames(join(temp.path, "backups", copies[2]!)).at(-1)).toBe("93");
});

test("a migration that fails leaves the database as it was", async () => {
  await using temp = createTempDirectory();
  await migrate(requestIn(temp.path, ALL_MIGRATIONS));
  const broken: Migration = { name: "902-broken", sql: "CREATE TABLE half (x); SELECT no_such_function()" };
  const request = requestIn(temp.path, [...ALL_MIGRATIONS, broken]);
  await expect(migrate(request)).rejects.toMatchObject({ code: "store.unusable" });
  const database = new DatabaseSync(request.path);
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").get()).toBe(undefined);
  database.close();
  await migrate(requestIn(temp.path, ALL_MIGRATIONS));
});

test("decision 7: a newer database is refused with both versions, and not touched", async () => {
  await using temp = createTempDirectory();
  const newer = requestIn(temp.path, [...ALL_MIGRATIONS, addColour]);
  await migrate(newer);
  const before = readFileSync(newer.path);
  await expect(migrate(requestIn(temp.path, ALL_MIGRATIONS))).rejects.toMatchObject({
    code: "store.newer",
    message: expect.stringMatching(new RegExp(`900-colour.*${ALL_MIGRATIONS.at(-1)?.name}`)),
  });
  // As many migrations as this program has, but another one among them.
  await expect(migrate(requestIn(temp.path, [...ALL_MIGRATIONS, addShape]))).rejects.toMatchObject({
    code: "store.newer",
  });
  expect(readFileSync(newer.path).equals(before)).toBe(true);
});

test("decision 7: a program that was started before a migration reads on and writes no more", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  await session.add("before");
  await migrate(requestIn(temp.home, [...ALL_MIGRATIONS, addColour]));
  await expect(session.add("after")).rejects.toMatchObject({ code: "store.outdated" });
  expect(await temp.store.messages.load(session.id)).toHaveLength(1);
});

test("processes that start at once on a new home all get the same database", async () => {
  await using temp = createTempDirectory();
  const module = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const program = `
    import { migrate } from ${module("migrate.ts")};
    import { ALL_MIGRATIONS } from ${module("migrations/all-migrations.ts")};
    import { systemClock } from ${module("../base/clock.ts")};
    const home = process.argv[1];
    process.stdin.once("data", async () => {
      await migrate({ path: home + "/hermes.db", locksDirectory: home + "/locks", clock: systemClock,
        migrations: [...ALL_MIGRATIONS, { name: "900", sql: "CREATE TABLE once (x)" }] });
      process.exit(0);
    });
    console.log("ready");
  `;
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", program, temp.path], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const ends = children.map((child) => once(child, "close"));
  for (const child of children) child.stdin.write("go\n");
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0]);
  expect(readNames(join(temp.path, "hermes.db"))).toEqual([...ALL_MIGRATIONS.map(({ name }) => name), "900"]);
});

test("a file that is no database, and a place that cannot be written, are said", async () => {
  await using temp = createTempDirectory();
  const request = requestIn(temp.path, ALL_MIGRATIONS);
  writeFileSync(request.path, "this is a text file, and long enough to have a header ".repeat(100));
  await expect(migrate(request)).rejects.toMatchObject({ code: "store.damaged" });
  expect(readFileSync(request.path, "utf8")).toContain("text file");
  writeFileSync(join(temp.path, "file"), "");
  await expect(migrate({ ...request, path: join(temp.path, "file", "hermes.db") })).rejects.toMatchObject({
    code: "store.unusable",
  });
});

test("decision 6: a Python home's state.db is not touched", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "state.db"), "the other system's");
  await migrate(requestIn(temp.path, ALL_MIGRATIONS));
  expect(readFileSync(join(temp.path, "state.db"), "utf8")).toBe("the other system's");
});
