import { lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import type { HubPlaces } from "./hub-places.ts";

/** An exchange of everything in the skills folder, written down before the first rename. Names of the top level. */
const swapSchema = z.object({
  outgoing: z.array(z.string()),
  incoming: z.array(z.string()),
  /** The new `.hub/lock.json`; null = there is none. */
  lockFile: z.string().nullable(),
});

const JOURNAL = "swap.json";
const PRESENT = "present";

/** What stays where it is: the hub's own folder, backups, and the curator's dates. */
const STAYS: ReadonlySet<string> = new Set([".hub", ".curator_backups", ".curator_state"]);

/** Whether a name of the top level is exchanged at all. */
export const isExchanged = (name: string): boolean => !STAYS.has(name) && !name.startsWith(".staging-");

interface SwapRoom {
  readonly folder: string;
  readonly tree: string;
}

/**
 * Exchanges everything in the skills folder for the tree of a room. Only under the lock of the skills folder. After a kill at any point
 * `finishSwap` completes it.
 */
export const swapTree = async (places: HubPlaces, room: SwapRoom, lockFile: string | undefined): Promise<void> => {
  const names = async (folder: string): Promise<string[]> =>
    ((await readdir(folder).catch(absent)) ?? []).filter(isExchanged);
  const swap = { outgoing: await names(places.skills), incoming: await names(room.tree), lockFile: lockFile ?? null };
  await makeFolder(join(room.folder, PRESENT));
  await writeFileAtomic(join(room.folder, JOURNAL), JSON.stringify(swap), { mode: 0o600 });
  await finishSwap(places, room);
};

/** Does what is left of an exchange; nothing where none was begun. Only under the lock of the skills folder. True = there was one. */
export const finishSwap = async (places: HubPlaces, room: SwapRoom): Promise<boolean> => {
  const journal = join(room.folder, JOURNAL);
  const text = await readFile(journal, "utf8").catch(absent);
  if (text === undefined) return false;
  const { outgoing, incoming, lockFile } = swapSchema.parse(JSON.parse(text));
  for (const name of outgoing.filter(isOneName)) {
    const away = join(room.folder, PRESENT, name);
    if (!(await isThere(away))) await moveIfThere(join(places.skills, name), away);
  }
  for (const name of incoming.filter(isOneName)) await moveIfThere(join(room.tree, name), join(places.skills, name));
  if (lockFile === null) await rm(places.lockFile, { force: true });
  else await writeFileAtomic(places.lockFile, lockFile, { mode: 0o600 });
  await rm(journal, { force: true });
  return true;
};

const isOneName = (name: string): boolean => isExchanged(name) && name !== ".." && name !== "." && !/[\\/]/u.test(name);

const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(absent)) !== undefined;

const moveIfThere = async (from: string, to: string): Promise<void> => {
  if (await isThere(from)) await rename(from, to);
};
