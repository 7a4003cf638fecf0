import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "./system-error.ts";

/** The mode of folders that hold what is the owner's alone. */
const OWNER_ONLY = 0o700;

/**
 * Makes a folder of the owner's (0700) and those above it where they are missing; what exists keeps its mode. Throws the system's error.
 * Stands in for Node's `recursive: true`, which never returns where a folder can be seen but nothing made in it (`/proc`, a lost automount).
 */
export const makeFolderSync = (path: string): void => {
  try {
    mkdirSync(path, { mode: OWNER_ONLY });
    return;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const parent = dirname(path);
    if (systemErrorCode(error) !== "ENOENT" || parent === path) throw error;
    makeFolderSync(parent);
  }
  makeOne(path);
};

/** Another process may make it at the same moment. */
const makeOne = (path: string): void => {
  try {
    mkdirSync(path, { mode: OWNER_ONLY });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
};

/**
 * Like `makeFolderSync`, with the mode that the person's umask gives. Returns the topmost folder that was made, undefined if none was.
 * When it throws, the folders made until then stay.
 */
export const makeFolder = async (path: string): Promise<string | undefined> => {
  const failure = await tryMake(path);
  if (failure === undefined) return path;
  if (await isFolder(path)) return undefined;
  const parent = dirname(path);
  if (systemErrorCode(failure) !== "ENOENT" || parent === path) throw failure;
  const topmost = await makeFolder(parent);
  const again = await tryMake(path);
  if (again === undefined) return topmost ?? path;
  if (await isFolder(path)) return topmost;
  throw again;
};

const tryMake = async (path: string): Promise<unknown> => {
  try {
    await mkdir(path);
    return undefined;
  } catch (error) {
    return error;
  }
};

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Not there, or not to be looked at: either way nothing that can be used as a folder; the failure of making it says why.
    return false;
  }
};
