import { constants, open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Stats } from "node:fs";
import { messageOf } from "../../base/app-error.ts";
import { isMissing, systemErrorCode } from "../../base/system-error.ts";

/** What stands at a path. `problem.why` is one sentence for the model. */
export type OpenedPath =
  | { readonly kind: "file"; readonly handle: FileHandle; readonly stats: Stats }
  | { readonly kind: "directory" }
  | { readonly kind: "missing" }
  | { readonly kind: "problem"; readonly why: string };

/**
 * Opens an ordinary file for reading. Pipes, sockets and devices are never opened: reading them could wait for ever
 * or have effects. The caller closes `handle`.
 */
export const openRegular = async (path: string): Promise<OpenedPath> => {
  try {
    const first = await stat(path);
    if (!first.isFile()) return notAFile(path, first);
    // Something else may have taken the name meanwhile: O_NONBLOCK keeps the open from waiting, the second look refuses it.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
    const stats = await handle.stat();
    if (stats.isFile()) return { kind: "file", handle, stats };
    await handle.close();
    return notAFile(path, stats);
  } catch (error) {
    if (isMissing(error)) return { kind: "missing" };
    return { kind: "problem", why: describeFileError(error, path) };
  }
};

const notAFile = (path: string, stats: Stats): OpenedPath =>
  stats.isDirectory()
    ? { kind: "directory" }
    : { kind: "problem", why: `${path} is a ${specialKind(stats)}, not an ordinary file.` };

const specialKind = (stats: Stats): string => {
  if (stats.isFIFO()) return "named pipe";
  if (stats.isSocket()) return "socket";
  return "device";
};

/** Says in one sentence why a file operation failed. What is no failure of the file system is thrown on: it is a bug or an abort. */
export const describeFileError = (error: unknown, path: string): string => {
  switch (systemErrorCode(error)) {
    case "ENOENT":
      return `${path} does not exist.`;
    case "EACCES":
    case "EPERM":
      return `Permission denied: ${path}.`;
    case "ENOTDIR":
      return `A part of ${path} is a file, not a folder.`;
    case "EISDIR":
      return `${path} is a folder.`;
    case "ELOOP":
      return `${path} is a loop of symbolic links.`;
    case "ENAMETOOLONG":
      return `A name in ${path.slice(0, 80)}… is too long.`;
    case "EROFS":
      return `${path} is on a read-only file system.`;
    case "ENOSPC":
    case "EDQUOT":
      return `No space left for ${path}.`;
    case undefined:
      throw error;
    default:
      return `${path}: ${messageOf(error)}`;
  }
};
