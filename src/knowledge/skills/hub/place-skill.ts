import { lstat, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { messageOf } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import type { Clock } from "../../../base/clock.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import { archiveFolder, listArchived, restoreFolder } from "../archive-skills.ts";
import { appendAudit } from "./audit-log.ts";
import { hubErrors } from "./errors.ts";
import type { HubPlaces } from "./hub-places.ts";
import { changeLockFile, lockEntrySchema } from "./lock-file.ts";
import { finishSwap } from "./swap-tree.ts";
import { findLeftRooms, type QuarantineRoom } from "./quarantine.ts";

/** What is about to be done, written down before the first rename. */
const journalSchema = z.object({
  name: z.string(),
  /** Relative to the skills folder: where the new tree goes. */
  target: z.string(),
  /** The skill of that name until now, relative to the skills folder; it goes to the archive. */
  replaces: z.string().optional(),
  /** When it was begun, ms UTC: the archive's note has the same time. */
  at: z.number(),
  entry: lockEntrySchema,
  action: z.enum(["install", "update"]),
});

/** One move of a reviewed tree into its place. */
export type Placing = z.output<typeof journalSchema>;

const JOURNAL = "move.json";

/**
 * Moves the tree of a room into its place, and what it replaces into the archive; returns the archive's entry for that. Only under the
 * lock of the skills folder. After a kill at any point `recoverRooms` completes it or takes it back. Throws `skills.move_failed` with the
 * old state restored.
 */
export const placeSkill = async (
  places: HubPlaces,
  room: QuarantineRoom,
  placing: Placing,
): Promise<string | undefined> => {
  const { name, replaces, at } = placing;
  const target = join(places.skills, placing.target);
  await writeFileAtomic(join(room.folder, JOURNAL), JSON.stringify(placing), { mode: 0o600 });
  let archived: string | undefined;
  try {
    await makeFolder(dirname(target));
    if (replaces !== undefined) {
      const because = placing.action === "update" ? "replaced by an update" : "replaced by another skill";
      const directory = join(places.skills, replaces);
      archived = (await archiveFolder(places.skills, { name, directory, because, at })).entry;
    }
    await rename(room.tree, target);
  } catch (thrown) {
    await takeBack(places.skills, placing);
    throw hubErrors.moveFailed({ name, why: messageOf(thrown) }, thrown);
  }
  await changeLockFile(places.lockFile, name, placing.entry);
  await rm(join(room.folder, JOURNAL), { force: true });
  return archived;
};

/** What was replaced stands in its place again, if that is free. */
const takeBack = async (skills: string, { name, replaces, at }: Placing): Promise<void> => {
  if (replaces === undefined) return;
  const archived = (await listArchived(skills)).find(
    (each) => each.name === name && each.from === replaces && each.at === at,
  );
  if (archived !== undefined) await restoreFolder(skills, archived.entry);
};

/**
 * Clears the rooms of processes that died: a move that had reached its place is written into lock.json, one that had not is taken back;
 * an exchange of everything is completed.
 * The caller holds the lock of the skills folder. Returns the names that were mended.
 */
export const recoverRooms = async (places: HubPlaces, clock: Clock): Promise<readonly string[]> => {
  const mended: string[] = [];
  for (const { folder, tree } of await findLeftRooms(places.quarantine)) {
    await finishSwap(places, { folder, tree });
    const placing = await readJournal(join(folder, JOURNAL));
    if (placing !== undefined) {
      const hasArrived = (await lstat(tree).catch(absent)) === undefined;
      if (hasArrived) await changeLockFile(places.lockFile, placing.name, placing.entry);
      else await takeBack(places.skills, placing);
      const outcome = hasArrived ? "completed" : "taken back";
      await appendAudit(places.auditLog, clock.now(), {
        action: "recover",
        name: placing.name,
        facts: { interrupted: placing.action, outcome },
      });
      mended.push(placing.name);
    }
    await rm(folder, { recursive: true, force: true });
  }
  return mended;
};

const readJournal = async (path: string): Promise<Placing | undefined> => {
  const text = await readFile(path, "utf8").catch(absent);
  if (text === undefined) return undefined;
  const parsed = journalSchema.safeParse(JSON.parse(text));
  // Written in one piece by this program; a path that leads out was put there by somebody else.
  if (!parsed.success) return undefined;
  const { target, replaces } = parsed.data;
  return [target, replaces ?? target].every(isPlace) ? parsed.data : undefined;
};

const isPlace = (path: string): boolean =>
  path !== "" && !path.startsWith("/") && !path.includes("\\") && !path.split("/").includes("..");

/** Takes away the folder of a category that has become empty. */
export const removeEmptyCategory = async (skills: string, place: string): Promise<void> => {
  const parent = dirname(place);
  if (parent === ".") return;
  const folder = join(skills, parent);
  const names = (await readdir(folder).catch(absent)) ?? ["not there"];
  if (names.length === 0) await rmdir(folder);
};
