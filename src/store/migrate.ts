import { createHash } from "node:crypto";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync, backup } from "node:sqlite";
import { messageOf } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { makeFolderSync } from "../base/make-folder.ts";
import { createPrivateFile } from "../base/private-file.ts";
import { withProcessLock } from "../base/process-lock.ts";
import { storeErrors } from "./errors.ts";
import type { Migration } from "./migrations/migration.ts";
import { translateSqliteError } from "./sqlite/sqlite-error.ts";

/** What a migration needs to know. */
export interface MigrateRequest {
  readonly path: string;
  readonly locksDirectory: string;
  readonly clock: Clock;
  /** All that this program knows, in the order of application. */
  readonly migrations: readonly Migration[];
}

const LOCK_TIMEOUT_MS = 120_000;
const BUSY_TIMEOUT_MS = 5_000;
const KEPT_COPIES = 3;

/** The stamp (`PRAGMA user_version`) of a database that has exactly these migrations, in whatever order they came. */
export const userVersionOf = (migrations: readonly Pick<Migration, "name">[]): number => {
  const names = migrations.map(({ name }) => name).toSorted();
  // 31 bits, because SQLite keeps a signed 32-bit number; 0 is a database without a stamp.
  return createHash("sha256").update(names.join("\n")).digest().readUInt32BE() >>> 1 || 1;
};

/**
 * Brings the file to the schema that this program knows (decision 7): makes it (0600) when missing, copies it to
 * `backups/` beside it before anything in it changes, and applies what is missing under the process lock. Throws
 * `store.newer`, `store.no_locks`, `store.unusable`, `store.damaged`.
 */
export const migrate = async (request: MigrateRequest): Promise<void> => {
  const { path, locksDirectory, clock } = request;
  preparePrivateFile(path);
  if (await openFor(path, async (database) => isCurrent(database, request))) return;
  const name = `${basename(path)}.migration`;
  const lock = {
    directory: locksDirectory,
    name,
    clock,
    timeoutMs: LOCK_TIMEOUT_MS,
    purpose: "migrating the database",
  };
  await withProcessLock(lock, () => openFor(path, (database) => applyMissing(database, request)));
};

const preparePrivateFile = (path: string): void => {
  try {
    makeFolderSync(dirname(path));
    createPrivateFile(path);
    chmodSync(path, 0o600);
  } catch (error) {
    throw storeErrors.unusable({ path, why: messageOf(error) }, error);
  }
};

const openFor = async <T>(path: string, work: (database: DatabaseSync) => Promise<T>): Promise<T> => {
  try {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      return await work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw translateSqliteError(error, path);
  }
};

const pragma = (database: DatabaseSync, name: string): unknown => database.prepare(`PRAGMA ${name}`).get()?.[name];

const isCurrent = (database: DatabaseSync, { path, migrations }: MigrateRequest): boolean => {
  const unknown = appliedNames(database).findLast((name) => !migrations.some((known) => known.name === name));
  if (unknown !== undefined) {
    throw storeErrors.newer({ path, database: unknown, program: migrations.at(-1)?.name ?? "no migration" });
  }
  return pragma(database, "user_version") === userVersionOf(migrations) && pragma(database, "journal_mode") === "wal";
};

const appliedNames = (database: DatabaseSync): readonly string[] => {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get();
  if (exists === undefined) return [];
  return database
    .prepare("SELECT name FROM migrations ORDER BY rowid")
    .all()
    .map((row) => String(row["name"]));
};

/** Under the process lock. Another process may have done it all while this one waited. */
const applyMissing = async (database: DatabaseSync, request: MigrateRequest): Promise<void> => {
  const { path, migrations, clock } = request;
  enableWal(database, path);
  if (isCurrent(database, request)) return;
  const applied = appliedNames(database);
  if (applied.length > 0) await copyBefore(database, request);
  database.exec(
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL UNIQUE, applied_at INTEGER NOT NULL) STRICT",
  );
  for (const migration of migrations.filter(({ name }) => !applied.includes(name))) {
    applyOne(database, migration, clock.now());
  }
};

/** WAL needs locks and shared memory; a file system without them keeps another journal mode or fails. */
const enableWal = (database: DatabaseSync, path: string): void => {
  let mode: unknown;
  try {
    mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  } catch (error) {
    throw storeErrors.noLocks({ path, why: messageOf(error) }, error);
  }
  if (mode !== "wal") throw storeErrors.noLocks({ path, why: `the journal mode stays ${String(mode)}` });
};

/** The migration, its name and the new stamp are committed together or not at all. */
const applyOne = (database: DatabaseSync, { name, sql, functions = {} }: Migration, now: number): void => {
  for (const [called, work] of Object.entries(functions)) database.function(called, { varargs: true }, work);
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(sql);
    database.prepare("INSERT INTO migrations (name, applied_at) VALUES (?, ?)").run(name, now);
    const stamp = userVersionOf(appliedNames(database).map((applied) => ({ name: applied })));
    database.exec(`PRAGMA user_version = ${stamp}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
};

const copyBefore = async (database: DatabaseSync, { path, clock }: MigrateRequest): Promise<void> => {
  const directory = join(dirname(path), "backups");
  const stem = `${basename(path, ".db")}-before-migration-`;
  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
  const copy = join(directory, `${stem}${stamp}.db`);
  preparePrivateFile(copy);
  await backup(database, copy);
  const copies = readdirSync(directory).filter((name) => name.startsWith(stem) && name.endsWith(".db"));
  for (const old of copies.toSorted().slice(0, -KEPT_COPIES)) rmSync(join(directory, old));
};
