import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, rename, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { openFolder } from "../../base/open-folder.ts";
import { absent, systemErrorCode } from "../../base/system-error.ts";

/** Whether an entry could be put in its place; `blocked` = something that must not be touched stands in the way. */
export type EntryOutcome = { readonly kind: "done" } | { readonly kind: "blocked"; readonly why: string };

const DONE: EntryOutcome = { kind: "done" };

/** What is to stand at a path. */
export type NewEntry =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: "link"; readonly target: Uint8Array };

/**
 * Puts a file or link at a path below `root`, with the folders that it needs. No link on the way is followed: an entry whose folder is
 * one is blocked.
 */
export const putEntry = async (root: string, path: string, entry: NewEntry): Promise<EntryOutcome> => {
  const folder = await makeFolders(root, dirname(path));
  if (folder.kind === "blocked") return folder;
  const target = join(root, path);
  const existing = await lstat(target).catch(absent);
  if (existing?.isDirectory() === true) return { kind: "blocked", why: "a folder stands there" };
  if (existing !== undefined && !existing.isFile() && !existing.isSymbolicLink())
    return { kind: "blocked", why: "it is no file" };
  await using opened = await openFolder(dirname(target));
  const place = opened.pathOf(basename(target));
  if (entry.kind === "link") {
    const temporary = opened.pathOf(`.hermes-restore-${randomBytes(8).toString("hex")}.tmp`);
    await symlink(Buffer.from(entry.target), temporary);
    await rename(temporary, place);
    return DONE;
  }
  if (existing?.isSymbolicLink() === true) await unlink(place);
  await writeFileAtomic(target, entry.bytes, { mode: entry.mode, links: "refused", writer: "restore" });
  return DONE;
};

/** Only the mode of a file differs. */
export const setMode = async (root: string, path: string, mode: number): Promise<EntryOutcome> => {
  const folder = await checkFolders(root, dirname(path));
  if (folder.kind === "blocked") return folder;
  const target = join(root, path);
  if ((await lstat(target).catch(absent))?.isFile() !== true) return { kind: "blocked", why: "it is no file" };
  await using opened = await openFolder(dirname(target));
  await chmod(opened.pathOf(basename(target)), mode);
  return DONE;
};

/** Removes a file or link, then the folders above it, below `root`, that are empty by that. */
export const removeEntry = async (root: string, path: string): Promise<EntryOutcome> => {
  const folder = await checkFolders(root, dirname(path));
  if (folder.kind === "blocked") return folder;
  const target = join(root, path);
  const existing = await lstat(target).catch(absent);
  if (existing === undefined) return DONE;
  if (existing.isDirectory()) return { kind: "blocked", why: "a folder stands there" };
  {
    await using opened = await openFolder(dirname(target));
    await rm(opened.pathOf(basename(target)), { force: true });
  }
  await removeEmptyFolders(root, dirname(path));
  return DONE;
};

const removeEmptyFolders = async (root: string, folder: string): Promise<void> => {
  for (let at = folder; at !== "." && at !== ""; at = dirname(at)) {
    try {
      await rmdir(join(root, at));
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST", "EBUSY", "EACCES", "EPERM"].includes(systemErrorCode(error) ?? "")) return;
      throw error;
    }
  }
};

const makeFolders = (root: string, folder: string): Promise<EntryOutcome> =>
  walkFolders(root, folder, async (path) => {
    await mkdir(path);
    return DONE;
  });

const checkFolders = (root: string, folder: string): Promise<EntryOutcome> =>
  walkFolders(root, folder, async () => ({ kind: "blocked", why: "its folder is not there" }));

const walkFolders = async (
  root: string,
  folder: string,
  onMissing: (path: string) => Promise<EntryOutcome>,
): Promise<EntryOutcome> => {
  let at = root;
  for (const name of folder === "." ? [] : folder.split("/")) {
    // Git refuses such names; a store that somebody has changed may hold them.
    if (name === "" || name === "." || name === ".." || name.toLowerCase() === ".git")
      return { kind: "blocked", why: "its path is not allowed" };
    at = join(at, name);
    const found = await lstat(at).catch(absent);
    if (found === undefined) {
      const outcome = await onMissing(at);
      if (outcome.kind === "blocked") return outcome;
    } else if (!found.isDirectory()) return { kind: "blocked", why: `${at} is no folder` };
  }
  return DONE;
};
