import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import type { Clock } from "../../../base/clock.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { isAlive, processStartTime } from "../../../base/process-tree.ts";
import { absent } from "../../../base/system-error.ts";

/** A folder of its own for one package; disposing removes it with everything inside. */
export interface QuarantineRoom extends AsyncDisposable {
  readonly folder: string;
  /** Where the checked files go. */
  readonly tree: string;
}

const OWNER = "owner.json";
const TREE = "skill";

const ownerSchema = z.object({ pid: z.number(), startTime: z.string() });

/** Makes a room in the quarantine, which says whose it is before anything else is in it. */
export const openRoom = async (quarantine: string, clock: Clock): Promise<QuarantineRoom> => {
  await makeFolder(quarantine);
  const id = `${clock.now().toString(36)}-${randomBytes(4).toString("hex")}`;
  // Complete before it can be seen: a room without an owner is somebody's that died while making it.
  const folder = join(quarantine, id);
  await mkdir(folder, { mode: 0o700 });
  const startTime = (await processStartTime(process.pid)) ?? "";
  await writeFileAtomic(join(folder, OWNER), JSON.stringify({ pid: process.pid, startTime }), { mode: 0o600 });
  return {
    folder,
    tree: join(folder, TREE),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }),
  };
};

/** A room whose process is dead. */
export interface LeftRoom {
  readonly folder: string;
  readonly tree: string;
}

/** Rooms that nobody works in any more. One that has no owner yet is left alone for an hour. */
export const findLeftRooms = async (quarantine: string, clock: Clock): Promise<readonly LeftRoom[]> => {
  const names = ((await readdir(quarantine).catch(absent)) ?? []).filter((name) => ROOM.test(name));
  const left: LeftRoom[] = [];
  for (const name of names) {
    const folder = join(quarantine, name);
    const age = clock.now() - Number.parseInt(name.split("-")[0] ?? "", 36);
    const isLeft = (await isOwned(folder, age)) === false;
    if (isLeft) left.push({ folder, tree: join(folder, TREE) });
  }
  return left;
};

const ROOM = /^[0-9a-z]{1,12}-[0-9a-f]{8}$/u;
const GRACE_MS = 3_600_000;

const isOwned = async (folder: string, age: number): Promise<boolean> => {
  const text = await readFile(join(folder, OWNER), "utf8").catch(absent);
  if (text === undefined) return age < GRACE_MS;
  const owner = ownerSchema.safeParse(parseJson(text));
  return owner.success && (await isAlive(owner.data.pid, owner.data.startTime));
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Written in one piece, so what cannot be read is not ours; nobody is known to work there.
    return undefined;
  }
};
