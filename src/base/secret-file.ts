import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "./app-error.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import { baseErrors } from "./errors.ts";

const OWNER_ONLY = 0o600;

/**
 * The only way a credential reaches the disk (R-CRED-3): like `writeFileAtomic`, with mode 0600 whatever the umask and
 * whatever the old file's mode was; a stricter old mode (0400) is kept. Missing directories are made with 0700.
 * Throws `file.write_failed`.
 */
export const writeSecretFile = async (path: string, data: string | Uint8Array): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw baseErrors.writeFailed({ path, why: messageOf(error) }, error);
  }
  await writeFileAtomic(path, data, { mode: await ownerBitsOf(path) });
};

const ownerBitsOf = async (path: string): Promise<number> => {
  const existing = await stat(path).catch(() => undefined); // unreadable or missing: the write itself says why
  const bits = existing === undefined ? OWNER_ONLY : existing.mode & OWNER_ONLY;
  return bits === 0 ? OWNER_ONLY : bits;
};
