import { randomBytes } from "node:crypto";
import { lstat, open, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "./app-error.ts";
import { baseErrors } from "./errors.ts";
import { openFolder, withoutOwnPaths, type OpenFolder } from "./open-folder.ts";
import { absent } from "./system-error.ts";

/** How `writeFileAtomic` writes. */
export interface AtomicWriteOptions {
  /** Permission bits, set whatever the umask. Absent = those of the existing file, or the umask's for a new one. */
  readonly mode?: number;
  /** Letters that name the temporary file's writer, so that one left by a killed process can be told from others. */
  readonly writer?: string;
  /**
   * `refused` = the path is a real one that somebody has checked: a link that stands anywhere in it by now is an error, and what is
   * written cannot land elsewhere. Default: `followed`.
   */
  readonly links?: "followed" | "refused";
  /** Called when the new content is on the disk, right before it takes the place of the old one; if it rejects, the old one stays. */
  readonly confirm?: () => Promise<void>;
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
    const isChecked = options.links === "refused";
    const target = isChecked ? resolve(path) : await targetOf(path);
    await using folder = await openFolder(isChecked ? dirname(target) : await realpath(dirname(target)));
    await replace(folder, { name: basename(target), data, options });
  } catch (error) {
    throw baseErrors.writeFailed({ path, why: withoutOwnPaths(messageOf(error), dirname(path)) }, error);
  }
};

interface Replacement {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly options: AtomicWriteOptions;
}

/** A rename replaces a link that has taken the name meanwhile; it does not follow it. */
const replace = async (folder: OpenFolder, { name, data, options }: Replacement): Promise<void> => {
  const existing = await lstat(folder.pathOf(name)).catch(absent);
  if (existing?.isSymbolicLink() === true) throw baseErrors.leadsElsewhere({ path: join(folder.path, name) });
  const mode = options.mode ?? (existing === undefined ? undefined : existing.mode & 0o7777);
  // Not derived from the target's name: that may already be as long as a name can be.
  const writer = options.writer === undefined ? "" : `${options.writer}-`;
  const temporary = folder.pathOf(`.hermes-${writer}${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeNew(temporary, data, { mode, owner: existing });
    await folder.confirm();
    await options.confirm?.();
    await rename(temporary, folder.pathOf(name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await folder.sync();
};

interface NewFile {
  readonly mode: number | undefined;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

const writeNew = async (path: string, data: string | Uint8Array, { mode, owner }: NewFile): Promise<void> => {
  await using file = await open(path, "wx", mode ?? 0o666);
  await file.writeFile(data);
  // A root shell in a container must not take over the files of the account that runs the agent.
  if (owner !== undefined && owner.uid !== process.getuid?.() && process.getuid?.() === 0) {
    await file.chown(owner.uid, owner.gid);
  }
  if (mode !== undefined) await file.chmod(mode);
  await file.sync();
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
