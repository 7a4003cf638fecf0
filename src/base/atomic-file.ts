import { randomBytes } from "node:crypto";
import { lstat, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "./app-error.ts";
import { baseErrors } from "./errors.ts";
import { absent, systemErrorCode } from "./system-error.ts";

/** How `writeFileAtomic` writes. */
export interface AtomicWriteOptions {
  /** Permission bits, set whatever the umask. Absent = those of the existing file, or the umask's for a new one. */
  readonly mode?: number;
  /** Letters that name the temporary file's writer, so that one left by a killed process can be told from others. */
  readonly writer?: string;
}

/** Matches the names of a writer's temporary files. */
export const temporaryNames = (writer: string): RegExp => new RegExp(`^\\.hermes-${writer}-[0-9a-f]{16}\\.tmp$`);

/**
 * Replaces a file's content so that a reader, a crash or a full disk sees the old content or the new one, never a part:
 * a temporary sibling is written, fsynced and renamed, then the directory is fsynced. A symbolic link is followed.
 * Throws `file.write_failed`; the old file is then whole and no temporary file stays.
 */
export const writeFileAtomic = async (
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> => {
  try {
    await replace(await targetOf(path), data, options);
  } catch (error) {
    throw baseErrors.writeFailed({ path, why: messageOf(error) }, error);
  }
};

const replace = async (target: string, data: string | Uint8Array, options: AtomicWriteOptions): Promise<void> => {
  const existing = await stat(target).catch(absent);
  const mode = options.mode ?? (existing === undefined ? undefined : existing.mode & 0o7777);
  // Not derived from the target's name: that may already be as long as a name can be.
  const writer = options.writer === undefined ? "" : `${options.writer}-`;
  const temporary = join(dirname(target), `.hermes-${writer}${randomBytes(8).toString("hex")}.tmp`);
  try {
    await using file = await openHandle(temporary, mode ?? 0o666);
    await file.handle.writeFile(data);
    // A root shell in a container must not take over the files of the account that runs the agent.
    if (existing !== undefined && existing.uid !== process.getuid?.() && process.getuid?.() === 0) {
      await file.handle.chown(existing.uid, existing.gid);
    }
    if (mode !== undefined) await file.handle.chmod(mode);
    await file.handle.sync();
    await file.close();
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(target));
};

/** Makes the rename durable. Windows has no such operation and needs none; some network file systems refuse it. */
const syncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === "win32") return;
  try {
    await using file = await openHandle(directory);
    await file.handle.sync();
  } catch (error) {
    // The file itself is written and in its place: that must not be told as a failure.
    if (!REFUSALS.has(systemErrorCode(error) ?? "")) throw error;
  }
};

const REFUSALS = new Set(["EINVAL", "ENOTSUP", "EPERM", "EACCES"]);

const openHandle = async (
  path: string,
  createMode?: number,
): Promise<{ readonly handle: FileHandle; close(): Promise<void> } & AsyncDisposable> => {
  const handle = createMode === undefined ? await open(path, "r") : await open(path, "wx", createMode);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return { handle, close, [Symbol.asyncDispose]: close };
};

/** Where the bytes go: the end of a chain of links, also when that file does not exist yet. */
const targetOf = async (path: string): Promise<string> => {
  const real = await realpath(path).catch(absent);
  if (real !== undefined) return real;
  const absolute = resolve(path);
  const link = await lstat(absolute).catch(absent);
  // `realpath` has refused loops already (ELOOP), so following one link after another ends.
  if (link?.isSymbolicLink() === true) return targetOf(resolve(dirname(absolute), await readlink(absolute)));
  return absolute;
};
