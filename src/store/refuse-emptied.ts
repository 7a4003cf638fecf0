import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { storeErrors } from "./errors.ts";

/** The database and what lies beside it. */
export interface EmptiedRequest {
  readonly path: string;
  readonly blobsDirectory: string;
}

/** A start that was killed may leave a new file empty; one that was written to so long after it was made has held something. */
const NEW_FILE_MS = 60_000;

/**
 * Throws `store.emptied` where the database is an empty file though other files tell that it was in use: SQLite takes an empty file
 * for a new database, and removes the journal beside it, which may hold the last of what was saved. Touches nothing.
 */
export const refuseEmptied = async ({ path, blobsDirectory }: EmptiedRequest): Promise<void> => {
  // Another process may be making the database just now: what it adds beside it comes after the file has its first page.
  const traces = await findTraces(path, blobsDirectory);
  const file = await statOf(path);
  if (file?.isFile() !== true || file.size > 0) return;
  const wasWritten = file.birthtimeMs > 0 && file.mtimeMs - file.birthtimeMs > NEW_FILE_MS;
  if (traces.length === 0 && !wasWritten) return;
  throw storeErrors.emptied({ path, traces: traces.length === 0 ? ["it was written to"] : traces });
};

const findTraces = async (path: string, blobsDirectory: string): Promise<readonly string[]> => {
  const stem = basename(path, ".db");
  const journal = await statOf(`${path}-wal`);
  const blobs = await namesIn(blobsDirectory);
  const copies = (await namesIn(join(dirname(path), "backups"))).filter((name) => name.startsWith(`${stem}-`));
  const beside = (await namesIn(dirname(path))).filter((name) => name.startsWith(`${basename(path)}.`));
  return [
    ...((journal?.size ?? 0) > 0 ? [`${basename(path)}-wal holds data`] : []),
    ...(blobs.length > 0 ? [`${basename(blobsDirectory)}/ holds files`] : []),
    ...(copies.length > 0 ? [`backups/ holds ${copies.toSorted().at(-1)}`] : []),
    ...(beside.length > 0 ? [`${beside.toSorted().join(", ")} beside it`] : []),
  ];
};

// What cannot be looked at tells nothing here; where the database itself is concerned, opening it says why.
const namesIn = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => []);
const statOf = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);
