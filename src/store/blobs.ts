import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../base/app-error.ts";
import { writeFileAtomic } from "../base/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import { absent } from "../base/system-error.ts";
import { storeErrors } from "./errors.ts";
import type { BlobStore } from "./store.ts";

/** The blob store with its cleaning. */
export interface BlobFiles extends BlobStore {
  /**
   * Removes the files that no message shows, asking `findUnused` for them. Files that were put within the last day stay:
   * their message may be about to be written.
   */
  removeUnused(findUnused: (hashes: readonly string[]) => Promise<readonly string[]>): Promise<number>;
}

const HASH = /^[0-9a-f]{64}$/;
const FRESH_MS = 24 * 3_600_000;

/** Bytes as files `blobs/ab/<SHA-256>`, 0600, each written whole or not at all. */
export const createBlobFiles = (directory: string, clock: Clock): BlobFiles => {
  const folderOf = (hash: string): string => join(directory, hash.slice(0, 2));
  const pathOf = (hash: string): string => join(folderOf(hash), hash);
  return {
    put: async (bytes) => {
      const hash = createHash("sha256").update(bytes).digest("hex");
      try {
        await mkdir(folderOf(hash), { recursive: true, mode: 0o700 });
        if (!(await touch(pathOf(hash), clock.now()))) await writeFileAtomic(pathOf(hash), bytes, { mode: 0o600 });
      } catch (error) {
        throw storeErrors.unusable({ path: directory, why: messageOf(error) }, error);
      }
      return hash;
    },
    get: async (hash) => {
      if (!HASH.test(hash)) return undefined;
      return readFile(pathOf(hash)).catch(absent);
    },
    removeUnused: async (findUnused) => {
      const folders = (await readdir(directory).catch(absent)) ?? [];
      let count = 0;
      for (const folder of folders) count += await cleanFolder(join(directory, folder), { clock, findUnused });
      return count;
    },
  };
};

/** Marks an existing file as used now, which keeps the cleaning away from it. False = there is none. */
const touch = async (path: string, now: number): Promise<boolean> => {
  const seconds = now / 1_000;
  return (await utimes(path, seconds, seconds).then(() => true, absent)) ?? false;
};

interface Cleaning {
  readonly clock: Clock;
  readonly findUnused: (hashes: readonly string[]) => Promise<readonly string[]>;
}

const cleanFolder = async (folder: string, { clock, findUnused }: Cleaning): Promise<number> => {
  const names = ((await readdir(folder).catch(absent)) ?? []).filter((name) => HASH.test(name));
  const unused = names.length === 0 ? [] : await findUnused(names);
  let count = 0;
  for (const name of unused) {
    const file = await stat(join(folder, name)).catch(absent);
    if (file === undefined || file.mtimeMs > clock.now() - FRESH_MS) continue;
    await rm(join(folder, name), { force: true });
    count += 1;
  }
  return count;
};
