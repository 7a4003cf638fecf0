import { constants } from "node:fs";
import { copyFile, mkdtemp, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { absent } from "../../base/system-error.ts";
import { storeErrors } from "../errors.ts";

/** A database of another program, as it was at one moment. */
export interface StateCopy extends AsyncDisposable {
  readonly database: DatabaseSync;
}

/** What is copied, and where to. */
export interface StateCopyRequest {
  readonly path: string;
  /** Gets a folder of its own for the time of the copy; it is the owner's alone. */
  readonly scratchDirectory: string;
  readonly clock: Clock;
}

/** What a database consists of; the journals hold what is committed and not yet in the file. */
const FILES = ["", "-wal", "-journal"] as const;
const MOST_TRIES = 10;
const RETRY_MS = 100;

/**
 * Opens a copy of the file and its journals: SQLite takes locks and may write beside a database even where it is opened read-only, and
 * another program may be working there. A copy during which the file was written, or its journal begun anew, is made again. Throws
 * `store.import_missing`, `store.import_unreadable`.
 */
export const openStateCopy = async ({ path, scratchDirectory, clock }: StateCopyRequest): Promise<StateCopy> => {
  const file = await stat(path).catch(absent);
  if (file?.isFile() !== true) throw storeErrors.importMissing({ path });
  const folder = await mkdtemp(join(scratchDirectory, "import-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "state.db");
    await copySteadily(path, copy, clock);
    const database = openChecked(copy);
    return {
      database,
      [Symbol.asyncDispose]: async () => {
        database.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw storeErrors.importUnreadable({ path, why: messageOf(error) }, error);
  }
};

const copySteadily = async (path: string, copy: string, clock: Clock): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    const before = await stampOf(path);
    for (const suffix of FILES) {
      await rm(copy + suffix, { force: true });
      await copyFile(path + suffix, copy + suffix, constants.COPYFILE_FICLONE).catch(absent);
    }
    if ((await stampOf(path)) === before) return;
    if (tries === MOST_TRIES) throw new Error("it is being written to without a pause");
    await clock.sleep(RETRY_MS);
  }
};

/** Changes when the file is written to or a journal is begun anew; what is only added to the journal of the WAL mode does no harm. */
const stampOf = async (path: string): Promise<string> => {
  const file = await stat(path, { bigint: true });
  const rollback = await stat(`${path}-journal`, { bigint: true }).catch(absent);
  return [file.size, file.mtimeNs, rollback?.size ?? 0, rollback?.mtimeNs ?? 0, await saltOf(`${path}-wal`)].join(" ");
};

const WAL_HEADER_BYTES = 32;

const saltOf = async (path: string): Promise<string> => {
  const file = await open(path).catch(absent);
  if (file === undefined) return "";
  await using opened = file;
  const header = Buffer.alloc(WAL_HEADER_BYTES);
  const { bytesRead } = await opened.read(header, 0, WAL_HEADER_BYTES, 0);
  return header.subarray(0, bytesRead).toString("hex");
};

/** What tells the other system's database from any other, this program's own included. */
const EXPECTED = [
  ["sessions", "parent_session_id"],
  ["messages", "session_id"],
] as const;

/** The copy is our own, so that a journal may be folded into it. */
const openChecked = (copy: string): DatabaseSync => {
  const database = new DatabaseSync(copy);
  try {
    for (const [table, column] of EXPECTED) {
      const found = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column);
      if (found === undefined) throw new Error(`it has no ${table} with ${column}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};
