import { constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { baseErrors } from "./errors.ts";
import { systemErrorCode } from "./system-error.ts";

/** A folder that is worked in until it is disposed, and cannot be exchanged for another meanwhile. */
export interface OpenFolder extends AsyncDisposable {
  readonly path: string;
  /** The path under which an entry is reached: in this folder, whatever takes its place in the tree (on Linux). */
  pathOf(name: string): string;
  /** To be called right before a change counts. Rejects where another folder has taken the place of this one. */
  confirm(): Promise<void>;
  /** Makes changes of its entries durable. Windows has no such operation and needs none; some network file systems refuse it. */
  sync(): Promise<void>;
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Opens a folder by its real path: a link on the way is an error (`file.leads_elsewhere`), as it was put there after the path was found. Node has no
 * calls that work relative to an open folder; on Linux `/proc` gives it a path that does, elsewhere it is compared before the change.
 */
export const openFolder = async (path: string): Promise<OpenFolder> => {
  const handle = await openHandle(path);
  try {
    const identity: Identity = await (handle?.stat({ bigint: true }) ?? stat(path, { bigint: true }));
    const confirm = async (): Promise<void> => {
      if ((await realpath(path)) !== path || !isSame(identity, await stat(path, { bigint: true }))) {
        throw baseErrors.leadsElsewhere({ path });
      }
    };
    await confirm();
    const own = handle === undefined ? undefined : await ownPath(handle, identity);
    return {
      path,
      pathOf: (name) => join(own ?? path, name),
      confirm: own === undefined ? confirm : () => Promise.resolve(),
      sync: () => syncFolder(handle),
      [Symbol.asyncDispose]: async () => handle?.close(),
    };
  } catch (error) {
    await handle?.close();
    throw error;
  }
};

/** An error's words with the folder's name in place of the path that stands for it while it is open. */
export const withoutOwnPaths = (message: string, folder: string): string =>
  message.replaceAll(/\/proc\/self\/fd\/\d+/gu, () => folder);

const isSame = (a: Identity, b: Identity): boolean => a.dev === b.dev && a.ino === b.ino;

/** Undefined where folders cannot be opened (Windows), or this one may only be written to. */
const openHandle = async (path: string): Promise<FileHandle | undefined> => {
  if (process.platform === "win32") return undefined;
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (systemErrorCode(error) === "EACCES") return undefined;
    throw error;
  }
};

const ownPath = async ({ fd }: FileHandle, identity: Identity): Promise<string | undefined> => {
  if (process.platform !== "linux") return undefined;
  const path = `/proc/self/fd/${fd}`;
  // Not every container has `/proc`.
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found !== undefined && isSame(identity, found) ? path : undefined;
};

const syncFolder = async (handle: FileHandle | undefined): Promise<void> => {
  try {
    await handle?.sync();
  } catch (error) {
    // What was changed is in its place: that must not be told as a failure.
    if (!REFUSALS.has(systemErrorCode(error) ?? "")) throw error;
  }
};

const REFUSALS = new Set(["EINVAL", "ENOTSUP", "EPERM", "EACCES"]);
