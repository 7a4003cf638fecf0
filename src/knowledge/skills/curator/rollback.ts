import { chmod, lutimes, mkdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { messageOf } from "../../../base/app-error.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { readTar, type TarEntry } from "../hub/archive/read-tar.ts";
import { pathInside } from "../hub/check-path.ts";
import { withSkillsFolder } from "../hub/install-skill.ts";
import type { HubDeps } from "../hub/prepare-skill.ts";
import { openRoom } from "../hub/quarantine.ts";
import { swapTree } from "../hub/swap-tree.ts";
import { withUsageLock } from "../skill-usage.ts";
import { backupSkills, listBackups, pruneBackups, type SkillsBackup } from "./backup.ts";
import { curatorErrors } from "./errors.ts";

/** What a rollback did. */
export interface RolledBack {
  readonly to: SkillsBackup;
  /** How it was until then. */
  readonly before: SkillsBackup;
}

/** A backup is read whole; skills are texts. */
const MAX_BACKUP_BYTES = 1024 * 1024 * 1024;
const LOCK_FILE = ".hub/lock.json";

/**
 * Brings the skills folder back to a backup (undefined = the newest), after the present was backed up. Throws `curator.no_backups`,
 * `curator.unknown_backup`, `curator.broken_backup`, `curator.backup_failed`, `curator.rollback_failed`, `lock.busy`.
 */
export const rollbackSkills = async (
  deps: HubDeps,
  { id, keep }: { readonly id: string | undefined; readonly keep: number },
): Promise<RolledBack> =>
  await withSkillsFolder(deps, "rolling the skills back", async () => {
    const { places, clock } = deps;
    const to = await findBackup(places.skills, id);
    const entries = await readBackup(to);
    const before = await backupSkills(places.skills, { reason: `before going back to ${to.id}`, now: clock.now() });
    await using room = await openRoom(places.quarantine, clock);
    const lockFile = entries.find(({ path }) => path === LOCK_FILE);
    try {
      await writeEntries(room.tree, entries);
      // Nobody counts a use while the table of usage is exchanged.
      await withUsageLock(deps.library, "rolling the skills back", () =>
        swapTree(places, room, lockFile === undefined ? undefined : Buffer.from(lockFile.data).toString("utf8")),
      );
    } catch (thrown) {
      throw curatorErrors.rollbackFailed({ why: messageOf(thrown), backup: before.id }, thrown);
    }
    // One more than usual, so that the one that was gone back to does not go.
    await pruneBackups(places.skills, keep + 1);
    return { to, before };
  });

const findBackup = async (skills: string, id: string | undefined): Promise<SkillsBackup> => {
  const backups = await listBackups(skills);
  const [newest] = backups;
  if (newest === undefined) throw curatorErrors.noBackups({});
  if (id === undefined) return newest;
  const found = backups.find((backup) => backup.id === id);
  if (found === undefined) throw curatorErrors.unknownBackup({ id, known: backups.map((backup) => backup.id) });
  return found;
};

const readBackup = async ({ file }: SkillsBackup): Promise<readonly TarEntry[]> => {
  const broken = (why: string, cause?: unknown): Error => curatorErrors.brokenBackup({ path: file, why }, cause);
  let bytes: Uint8Array;
  try {
    bytes = await promisify(gunzip)(await readFile(file), { maxOutputLength: MAX_BACKUP_BYTES });
  } catch (thrown) {
    throw broken(messageOf(thrown), thrown);
  }
  const entries = readTar(bytes);
  if (!entries.ok) throw broken(entries.error.why);
  return entries.value.map((entry) => {
    const place = pathInside(entry.path);
    if (!place.ok) throw broken(place.error);
    return { ...entry, path: place.value };
  });
};

/** Links come last, so that nothing is written through one. */
const writeEntries = async (tree: string, entries: readonly TarEntry[]): Promise<void> => {
  await makeFolder(tree);
  const wanted = entries.filter(({ path }) => path !== "" && path !== LOCK_FILE && !path.startsWith(".hub/"));
  for (const { path, kind, data, mode, mtime } of wanted) {
    const at = join(tree, path);
    await makeFolder(dirname(at));
    if (kind === "folder") await makeFolder(at);
    if (kind !== "file") continue;
    await writeFile(at, data, { flag: "wx", mode: 0o600 });
    await chmod(at, mode);
    await utimes(at, mtime, mtime);
  }
  for (const { path, what, target, mtime } of wanted) {
    if (what !== "a symbolic link") continue;
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await symlink(target, join(tree, path));
    await lutimes(join(tree, path), mtime, mtime);
  }
  // Only now: a folder's own time changes with what is put into it, and one may be read-only.
  for (const { path, kind, mode, mtime } of wanted.toReversed()) {
    if (kind !== "folder") continue;
    await utimes(join(tree, path), mtime, mtime);
    await chmod(join(tree, path), mode);
  }
};
