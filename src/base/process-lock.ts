import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { baseErrors } from "./errors.ts";
import { makeFolderSync } from "./make-folder.ts";
import { createPrivateFile } from "./private-file.ts";
import { isAlive, processStartTime } from "./process-tree.ts";

/** Which lock to take, and how long to wait for it. */
export interface LockRequest {
  /** The home's `locks/`; made (0700) when missing. */
  readonly directory: string;
  /** Letters, digits, dot, hyphen and underscore. */
  readonly name: string;
  readonly clock: Clock;
  /** Ends the waiting; the call then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** How long to wait for another holder, in milliseconds; 0 = one try. Default 15,000. */
  readonly timeoutMs?: number;
  /** What the lock is held for, shown to whoever finds it busy. */
  readonly purpose?: string;
}

/** Who holds a lock. */
interface LockHolder {
  readonly pid: number;
  readonly startTime: string;
  /** Wall time, ms UTC. */
  readonly since: number;
  readonly purpose: string | null;
}

/** A lock that is held until it is released or this process dies. Releasing twice is harmless. */
export interface ProcessLock extends Disposable {
  release(): void;
}

/** `holder` is undefined when it has not said who it is yet. */
export type LockOutcome =
  | { readonly kind: "held"; readonly lock: ProcessLock }
  | { readonly kind: "busy"; readonly holder: LockHolder | undefined };

const DEFAULT_TIMEOUT_MS = 15_000;
const LONGEST_POLL_MS = 100;

/**
 * Takes an exclusive lock over all processes (decision 11): an exclusive SQLite transaction on `<directory>/<name>.db`,
 * which the kernel frees when the process dies, however it dies. Two takers in one process exclude each other too.
 * Waits without blocking the event loop. Throws `lock.unusable` where the file system cannot lock.
 */
export const acquireProcessLock = async (request: LockRequest): Promise<LockOutcome> => {
  const { clock, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
  const end = clock.monotonic() + timeoutMs;
  for (let pollMs = 5; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
    signal?.throwIfAborted();
    const lock = tryProcessLock(request);
    if (lock !== undefined) return { kind: "held", lock: await nameHolder(lock, request) };
    const left = end - clock.monotonic();
    if (left <= 0) return { kind: "busy", holder: await readHolder(request) };
    await clock.sleep(Math.min(pollMs, left), signal);
  }
};

/** Runs `run` while holding the lock. Throws `lock.busy`, naming the holder, when it cannot be had in time. */
export const withProcessLock = async <T>(request: LockRequest, run: () => Promise<T>): Promise<T> => {
  const outcome = await acquireProcessLock(request);
  if (outcome.kind === "busy") {
    throw baseErrors.lockBusy({ name: request.name, holder: describeHolder(outcome.holder) });
  }
  using _ = outcome.lock;
  return await run();
};

/** A holder in words, for messages: `process 4711 (migrating the database)`. */
const describeHolder = (holder: LockHolder | undefined): string => {
  if (holder === undefined) return "another process";
  return `process ${holder.pid}${holder.purpose === null ? "" : ` (${holder.purpose})`}`;
};

/** One try, without waiting and without telling others who holds it; undefined = busy. For brief work such as a rename. */
export const tryProcessLock = (request: Pick<LockRequest, "directory" | "name">): ProcessLock | undefined => {
  const { database: path } = pathsOf(request);
  try {
    makeFolderSync(request.directory);
    createPrivateFile(path);
    const database = new DatabaseSync(path, { timeout: 0 });
    if (!beginExclusive(database)) return undefined;
    const release = (): void => {
      if (database.isOpen) database.close();
    };
    return { release, [Symbol.dispose]: release };
  } catch (error) {
    throw baseErrors.lockUnusable({ path, why: messageOf(error) }, error);
  }
};

const SQLITE_BUSY = 5;

const beginExclusive = (database: DatabaseSync): boolean => {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
};

const pathsOf = ({
  directory,
  name,
}: Pick<LockRequest, "directory" | "name">): { database: string; holder: string } => {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(name)) throw baseErrors.lockName({ name });
  return { database: join(directory, `${name}.db`), holder: join(directory, `${name}.holder.json`) };
};

/** Writes who holds the lock beside it, only for messages; the file goes away with the release. */
const nameHolder = async (lock: ProcessLock, request: LockRequest): Promise<ProcessLock> => {
  const path = pathsOf(request).holder;
  const holder: LockHolder = {
    pid: process.pid,
    startTime: (await processStartTime(process.pid).catch(() => undefined)) ?? "",
    since: request.clock.now(),
    purpose: request.purpose ?? null,
  };
  try {
    writeFileSync(path, JSON.stringify(holder), { mode: 0o600 });
  } catch {
    // Only words for messages: a full disk must not keep anybody from locking.
  }
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    rmSync(path, { force: true });
    lock.release();
  };
  let isReleased = false;
  return { release, [Symbol.dispose]: release };
};

/** What the holder wrote; undefined when it is missing, half written, or of a process that is dead. */
const readHolder = async (request: LockRequest): Promise<LockHolder | undefined> => {
  try {
    const holder = JSON.parse(readFileSync(pathsOf(request).holder, "utf8")) as LockHolder;
    return (await isAlive(holder.pid, holder.startTime)) ? holder : undefined;
  } catch {
    return undefined; // not there, or being written just now
  }
};
