import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { joinEntries } from "./memory-format.ts";
import { readMemoryBytes } from "./read-memory-bytes.ts";
import type { MemoryFile } from "./read-memory-file.ts";

/**
 * Replaces a file's entries, unless it is no longer as it was read: the comparison is made right before the rename, so that what an editor
 * or another system wrote meanwhile is not lost. False = it was written to. Throws `file.write_failed`.
 */
export const writeMemoryFile = async (path: string, read: MemoryFile, entries: readonly string[]): Promise<boolean> => {
  let isStale = false;
  const confirm = async (): Promise<void> => {
    const now = await readMemoryBytes(path);
    isStale = !isSame(now, read.bytes);
    if (isStale) throw new Error("written to by somebody else");
  };
  try {
    await writeFileAtomic(path, joinEntries(entries), {
      writer: "memory",
      confirm,
      ...(read.bytes === undefined ? { mode: 0o600 } : {}),
    });
    return true;
  } catch (error) {
    if (isStale) return false;
    throw error;
  }
};

const isSame = (left: Buffer | undefined, right: Buffer | undefined): boolean =>
  left === undefined || right === undefined ? left === right : left.equals(right);

/**
 * Copies what stands in a file to `<file>.bak.<ms>`, once for the same bytes; the copy's path. Throws `file.write_failed`.
 */
export const backUp = async (path: string, bytes: Buffer, now: number): Promise<string> => {
  const directory = dirname(path);
  const stem = `${basename(path)}.bak.`;
  const copies = (await readdir(directory)).filter((name) => name.startsWith(stem));
  for (const name of copies) {
    const copy = join(directory, name);
    if ((await bytesOf(copy))?.equals(bytes) === true) return copy;
  }
  const fresh = join(directory, `${stem}${now}`);
  await writeFileAtomic(fresh, bytes, { mode: 0o600 });
  return fresh;
};

/** What is no file of ours, or cannot be read, is no copy. */
const bytesOf = (copy: string): Promise<Buffer | undefined> => readMemoryBytes(copy).catch(() => undefined);
