import { mkdir, readdir, realpath, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "./app-error.ts";
import { temporaryNames, writeFileAtomic } from "./atomic-file.ts";
import { baseErrors } from "./errors.ts";

const OWNER_ONLY = 0o600;

/**
 * The only way a credential reaches the disk (R-CRED-3): like `writeFileAtomic`, with mode 0600 whatever the umask and
 * whatever the old file's mode was; a stricter old mode (0400) is kept. Missing directories are made with 0700.
 * Throws `file.write_failed`.
 */
export const writeSecretFile = async (
  path: string,
  data: string | Uint8Array,
  options: { readonly writer?: string } = {},
): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw baseErrors.writeFailed({ path, why: messageOf(error) }, error);
  }
  await writeFileAtomic(path, data, { mode: await ownerBitsOf(path), ...options });
};

/**
 * Removes the temporary files that killed processes left beside `path`. Only for a writer that holds a lock over all its writes
 * in that folder: whatever bears its name then belongs to nobody. What cannot be removed stays; the next write tries again.
 */
export const removeAbandoned = async (path: string, writer: string): Promise<void> => {
  const folder = dirname(await realpath(path).catch(() => path)); // a link is written where it leads
  const names = await readdir(folder).catch((): string[] => []); // the write itself says why
  const isLeft = temporaryNames(writer);
  for (const name of names) {
    if (isLeft.test(name)) await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
};

const ownerBitsOf = async (path: string): Promise<number> => {
  const existing = await stat(path).catch(() => undefined); // unreadable or missing: the write itself says why
  const bits = existing === undefined ? OWNER_ONLY : existing.mode & OWNER_ONLY;
  return bits === 0 ? OWNER_ONLY : bits;
};
