import { execFile } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isMissing } from "../../../base/system-error.ts";
import { HELD_PIPE } from "./shell-folders.ts";
import type { ShellFolders } from "./shell-folders.ts";

/**
 * Named pipes in a private directory (0700). Node itself only makes socket pairs, on which a child cannot reopen
 * `/dev/stdout` or `/dev/stderr`; and a named pipe lets a shell hand over its state without any inherited descriptor.
 */
export interface FifoPool {
  /** A fresh pipe's path. Rejects when the system cannot make one. */
  take(): Promise<string>;
  close(): Promise<void>;
}

// One `mkfifo` process makes this many: a command needs three or four.
const BATCH = 12;

/** A pool in a folder of its own, made at the first use. */
export const createFifoPool = (shellFolders: ShellFolders): FifoPool => {
  const ready: string[] = [];
  const folders = new Set<string>();
  const held: number[] = [];
  let directory: Promise<string> | undefined;
  let made = 0;
  let refill: Promise<void> | undefined;

  const releaseAll = (): void => folders.forEach(releaseFolder);

  const makeBatch = async (): Promise<void> => {
    directory ??= shellFolders.make();
    const folder = await directory;
    if (folders.size === 0) process.once("exit", releaseAll);
    const isNew = !folders.has(folder);
    folders.add(folder);
    const paths = Array.from({ length: BATCH }, () => {
      made += 1;
      return join(folder, String(made));
    });
    const heldPath = join(folder, HELD_PIPE);
    await promisify(execFile)("mkfifo", ["-m", "600", ...paths, ...(isNew ? [heldPath] : [])]).catch(
      (thrown: unknown) => {
        directory = undefined;
        throw thrown;
      },
    );
    if (isNew) held.push(openSync(heldPath, constants.O_RDONLY | constants.O_NONBLOCK));
    ready.push(...paths);
  };

  return {
    take: async () => {
      for (;;) {
        const path = ready.pop();
        // Cleaners of temporary directories remove what lies there for days.
        if (path !== undefined && existsSync(path)) return path;
        if (path !== undefined) {
          ready.length = 0;
          directory = undefined;
        }
        refill ??= makeBatch().finally(() => {
          refill = undefined;
        });
        await refill;
      }
    },
    close: async () => {
      ready.length = 0;
      process.off("exit", releaseAll);
      for (const fd of held.splice(0)) closeSync(fd);
      await Promise.all([...folders].map((folder) => rm(folder, { recursive: true, force: true })));
      folders.clear();
    },
  };
};

/**
 * For a program that ends at once. It could not while one of its threads waits for the other end of a pipe, and a shell that was
 * just killed never opens it: a reader lets the wait end.
 */
const releaseFolder = (folder: string): void => {
  try {
    for (const name of readdirSync(folder)) openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Cleaned away already. A wait for a pipe without a name could not be ended; nothing but us removes names while one is waited for.
  }
};

/** Both ends of a pipe. `readFd` does not block; `writeFd` is an ordinary blocking end, as programs expect it. */
export interface PipeEnds {
  readonly readFd: number;
  readonly writeFd: number;
}

/** Opens a pipe whose reader is this process. Never blocks: the reader is there when the writer opens. */
export const openForReading = (path: string): PipeEnds => {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { readFd, writeFd: openEnd(path, constants.O_WRONLY, readFd) };
};

/** Opens a pipe whose writer is this process: `writeFd` does not block, `readFd` does. */
export const openForWriting = (path: string): PipeEnds => {
  // Opening only the writing end would fail without a reader, opening only the reading one would wait for a writer.
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    const readFd = openSync(path, constants.O_RDONLY);
    return { readFd, writeFd: openEnd(path, constants.O_WRONLY | constants.O_NONBLOCK, readFd) };
  } finally {
    closeSync(both);
  }
};

const openEnd = (path: string, flags: number, other: number): number => {
  try {
    return openSync(path, flags);
  } catch (thrown) {
    closeSync(other);
    throw thrown;
  }
};

/** Removes pipe names; open ends stay usable. */
export const removeFifos = async (paths: readonly string[]): Promise<void> => {
  await Promise.all(
    paths.map((path) =>
      unlink(path).catch((thrown: unknown) => {
        // Gone already: the pool was closed meanwhile.
        if (!isMissing(thrown)) throw thrown;
      }),
    ),
  );
};
