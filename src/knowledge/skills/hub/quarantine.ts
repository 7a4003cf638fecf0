import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { processStartTime } from "../../../base/process-tree.ts";
import { absent } from "../../../base/system-error.ts";

/** A folder of its own for one package; disposing removes it with everything inside. */
export interface QuarantineRoom extends AsyncDisposable {
  readonly folder: string;
  /** Where the checked files go. */
  readonly tree: string;
}

const TREE = "skill";

/** Makes a room in the quarantine. Its name says whose it is, so that there is no moment at which nobody's is there. */
export const openRoom = async (quarantine: string, clock: Clock): Promise<QuarantineRoom> => {
  await makeFolder(quarantine);
  const owner = `${process.pid}-${shorten(await processStartTime(process.pid))}`;
  const folder = join(quarantine, `${clock.now().toString(36)}-${owner}-${randomBytes(4).toString("hex")}`);
  await mkdir(folder, { mode: 0o700 });
  return {
    folder,
    tree: join(folder, TREE),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }),
  };
};

/** Time, pid, the beginning of the hash of the process's start, and a random part. */
const ROOM = /^[0-9a-z]{1,12}-(\d{1,10})-([0-9a-f]{8})-[0-9a-f]{8}$/u;

const shorten = (startTime: string | undefined): string =>
  createHash("sha256")
    .update(startTime ?? "")
    .digest("hex")
    .slice(0, 8);

/** A room whose process is dead. */
export interface LeftRoom {
  readonly folder: string;
  readonly tree: string;
}

/** Rooms that nobody works in any more; what is no room of ours is left alone. */
export const findLeftRooms = async (quarantine: string): Promise<readonly LeftRoom[]> => {
  const names = (await readdir(quarantine).catch(absent)) ?? [];
  const left: LeftRoom[] = [];
  for (const name of names) {
    const [, pid, start] = ROOM.exec(name) ?? [];
    if (pid === undefined) continue;
    // A pid that was given to another process has another start.
    const now = await processStartTime(Number(pid));
    if (now !== undefined && shorten(now) === start) continue;
    const folder = join(quarantine, name);
    left.push({ folder, tree: join(folder, TREE) });
  }
  return left;
};
