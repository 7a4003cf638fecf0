import { readFile, stat } from "node:fs/promises";
import { isMissing } from "../base/system-error.ts";
import { hashOf, type FileFingerprint, type FileStateLedger } from "./file-state.ts";

/** A larger file counts as changed when its size or time is another. */
const LARGEST_COMPARED = 4 * 1024 * 1024;

/** The files (real paths) that are not as the agent saw them last, in the order in which it saw them. */
export const changedFiles = async (files: FileStateLedger): Promise<readonly string[]> => {
  const changed: string[] = [];
  for (const [path, state] of files.seen()) if (!(await isAsSeen(path, state))) changed.push(path);
  return changed;
};

const isAsSeen = async (path: string, state: FileFingerprint): Promise<boolean> => {
  try {
    const now = await stat(path);
    if (now.size === state.size && now.mtimeMs === state.modified) return true;
    if (state.hash === undefined || now.size !== state.size || now.size > LARGEST_COMPARED) return false;
    return hashOf(await readFile(path)) === state.hash;
  } catch (error) {
    // What can no longer be read is not known to have changed; what is gone has.
    return !isMissing(error);
  }
};
