import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { failure, type Result, success } from "../../../base/result.ts";
import { absent } from "../../../base/system-error.ts";
import {
  archiveFolder,
  listArchived,
  restoreFolder,
  type ArchivedSkill,
  type RestoreFailure,
} from "../archive-skills.ts";
import { updateUsage } from "../skill-usage.ts";
import { appendAudit } from "./audit-log.ts";
import { findInHome, withSkillsFolder } from "./install-skill.ts";
import { archiveEntry, changeLockFile, readLockFile, restoreEntry } from "./lock-file.ts";
import { removeEmptyCategory } from "./place-skill.ts";
import type { HubDeps } from "./prepare-skill.ts";

/** Why a skill cannot be taken out: there is none of that name in the home, or it lives elsewhere and a link leads to it. */
export type RemoveFailure = { readonly kind: "unknown" } | { readonly kind: "elsewhere"; readonly directory: string };

/** What is taken out of use, and the reason that the archive keeps. */
export interface Removal {
  readonly name: string;
  readonly because: string;
}

/**
 * Moves a skill of the home to the archive, whoever made it; an installed one stays known there, so that it comes back as installed.
 * Throws `skills.broken_lock_file`, `lock.busy`, and what the disk throws.
 */
export const archiveSkill = async (
  deps: HubDeps,
  { name, because }: Removal,
): Promise<Result<ArchivedSkill, RemoveFailure>> =>
  await withSkillsFolder(deps, `archiving ${name}`, async () => {
    const archived = await moveToArchive(deps, { name, because });
    if (archived.ok) await markArchived(deps, [name]);
    return archived;
  });

/** The same for a caller that holds the lock already; usage is the caller's to mark. */
export const moveToArchive = async (
  { places, clock }: HubDeps,
  { name, because }: Removal,
): Promise<Result<ArchivedSkill, RemoveFailure>> => {
  const { installed } = await readLockFile(places.lockFile);
  const found = await findInHome(places.skills, name);
  if (found === undefined) return failure({ kind: "unknown" });
  if (!found.isInside) return failure({ kind: "elsewhere", directory: found.place });
  const directory = join(places.skills, found.place);
  const archived = await archiveFolder(places.skills, { name, directory, because, at: clock.now() });
  const isInstalled = installed[name]?.install_path === found.place;
  if (isInstalled) await archiveEntry(places.lockFile, name, archived.entry);
  await removeEmptyCategory(places.skills, found.place);
  await appendAudit(places.auditLog, clock.now(), {
    action: isInstalled ? "uninstall" : "archive",
    name,
    facts: { archived: archived.entry, because },
  });
  return success(archived);
};

/** Notes in the table of usage that skills are out of use. */
const markArchived = async ({ library, clock }: HubDeps, names: readonly string[]): Promise<void> =>
  await updateUsage(library, (table) => {
    const at = new Date(clock.now()).toISOString();
    return new Map(
      names.flatMap((name) => {
        const usage = table.get(name);
        return usage === undefined ? [] : [[name, { ...usage, state: "archived" as const, archived_at: at }] as const];
      }),
    );
  });

/** An entry of lock.json whose folder somebody deleted by hand is forgotten. True = there was one. */
export const forgetMissing = async (deps: HubDeps, name: string): Promise<boolean> =>
  await withSkillsFolder(deps, `forgetting ${name}`, async () => {
    const { places } = deps;
    const entry = (await readLockFile(places.lockFile)).installed[name];
    const isThere =
      entry !== undefined && (await lstat(join(places.skills, entry.install_path)).catch(absent)) !== undefined;
    if (entry === undefined || isThere) return false;
    await changeLockFile(places.lockFile, name, undefined);
    return true;
  });

/** Brings a skill back from the archive, by its folder there or by its name (then the newest of that name). Throws as `archiveSkill`. */
export const restoreSkill = async (deps: HubDeps, wanted: string): Promise<Result<ArchivedSkill, RestoreFailure>> =>
  await withSkillsFolder(deps, `restoring ${wanted}`, async () => {
    const { places, library } = deps;
    const archive = await listArchived(places.skills);
    const found = archive.find(({ entry }) => entry === wanted) ?? archive.find(({ name }) => name === wanted);
    if (found === undefined) return failure("unknown");
    if ((await findInHome(places.skills, found.name)) !== undefined) return failure("taken");
    const restored = await restoreFolder(places.skills, found.entry);
    if (!restored.ok) return restored;
    await restoreEntry(places.lockFile, found.name, found.entry);
    await updateUsage(library, (table) => {
      const usage = table.get(found.name);
      // Coming back counts as activity, or the next run would archive it again.
      const back = {
        state: "active" as const,
        archived_at: null,
        restored_at: new Date(deps.clock.now()).toISOString(),
      };
      return new Map(usage === undefined ? [] : [[found.name, { ...usage, ...back }]]);
    });
    await appendAudit(places.auditLog, deps.clock.now(), {
      action: "restore",
      name: found.name,
      facts: { archived: found.entry },
    });
    return restored;
  });
