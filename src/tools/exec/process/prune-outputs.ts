import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Which output files stay. */
export interface PruneOptions {
  /** Files that were last written before this (wall time, ms UTC) go. */
  readonly olderThan: number;
  /** Absolute paths that stay in any case. */
  readonly keep: ReadonlySet<string>;
}

/** Removes old output files below a directory, and folders that are empty then. Returns how many files went. */
export const pruneOutputs = async (directory: string, options: PruneOptions): Promise<number> => {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  let removed = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || options.keep.has(path)) continue;
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined || stats.mtimeMs >= options.olderThan) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  // One that is not empty stays; deeper ones stand later in the list.
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  if (removed > 0) for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined);
  return removed;
};
