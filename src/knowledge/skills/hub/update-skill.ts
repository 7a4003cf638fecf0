import { failure, type Result, success } from "../../../base/result.ts";
import { appendAudit } from "./audit-log.ts";
import { hubErrors } from "./errors.ts";
import { entryOf, factsOf, withSkillsFolder } from "./install-skill.ts";
import { readInstalled, type InstalledSkill } from "./installed-skills.ts";
import { changeLockFile, type LockEntry } from "./lock-file.ts";
import { parseSource, type PackageSource, type SourcePlaces } from "./package-source.ts";
import { placeSkill } from "./place-skill.ts";
import { prepareSkill, type Candidate, type HubDeps } from "./prepare-skill.ts";
import { treeHash } from "./tree-hash.ts";

/** The source of an installed skill, out of its entry; the failure says why there is none that this version knows. */
export const sourceOf = (entry: LockEntry, places: SourcePlaces): Result<PackageSource, string> => {
  const source = parseSource(entry.identifier, entry.metadata.ref, places);
  if (source.ok) return source;
  return failure(`its source "${entry.identifier}" (${entry.source}) is not one that this version fetches from`);
};

/** What an update would do. */
export type UpdatePlan =
  /** The source holds what was installed; `isEdited` = the place does not. */
  | { readonly kind: "current"; readonly isEdited: boolean }
  /** The place holds already what the source has now; only the entry is renewed. */
  | { readonly kind: "same"; readonly candidate: Candidate }
  | { readonly kind: "newer"; readonly candidate: Candidate; readonly isEdited: boolean };

/**
 * Fetches the source of an installed skill anew and compares. A candidate that comes back is the caller's to dispose. Throws errors of
 * `hubErrors` and the signal's reason.
 */
export const planUpdate = async (
  deps: HubDeps,
  { installed, source }: { readonly installed: InstalledSkill; readonly source: PackageSource },
  signal: AbortSignal,
): Promise<UpdatePlan> => {
  const { entry, name, state } = installed;
  const isRenamed = entry.metadata.renamed === true;
  await using held = new AsyncDisposableStack();
  const candidate = held.use(await prepareSkill(deps, { source, ...(isRenamed ? { name } : {}) }, signal));
  if (candidate.name !== name) {
    throw hubErrors.notASkill({
      source: entry.identifier,
      problems: [`the skill there is called "${candidate.name}" now`],
    });
  }
  const isEdited = state === "edited" || state === "unknown";
  if (candidate.hash === entry.content_hash && state !== "missing") return { kind: "current", isEdited };
  const isSame = installed.files.length > 0 && treeHash(installed.files) === candidate.hash;
  held.move();
  return isSame ? { kind: "same", candidate } : { kind: "newer", candidate, isEdited };
};

/** What an update did. */
export interface Updated {
  /** The archive's entry for the one before. */
  readonly archived: string | undefined;
}

/**
 * Puts a newer candidate into the place of the installed skill; the one before goes to the archive. `seen` = the skill as it was when
 * the person decided: if it changed since, the result is a failure and nothing is done. Throws as `installSkill`.
 */
export const updateSkill = async (
  deps: HubDeps,
  candidate: Candidate,
  seen: InstalledSkill,
): Promise<Result<Updated, "changed_meanwhile">> =>
  await withSkillsFolder(deps, `updating ${candidate.name}`, async () => {
    const [now] = await readInstalled(deps.places, candidate.name);
    if (now === undefined || treeHash(now.files) !== treeHash(seen.files) || now.state !== seen.state) {
      return failure("changed_meanwhile");
    }
    const { auditLog } = deps.places;
    const target = now.entry.install_path;
    const archived = await placeSkill(deps.places, candidate.room, {
      action: "update",
      name: candidate.name,
      target,
      ...(now.state === "missing" ? {} : { replaces: target }),
      at: deps.clock.now(),
      entry: entryOf(candidate, { target, now: deps.clock.now(), before: now.entry }),
    });
    await appendAudit(auditLog, deps.clock.now(), {
      action: "update",
      name: candidate.name,
      facts: factsOf(candidate),
    });
    return success({ archived });
  });

/** Renews the entry of a skill whose place holds already what the source has now. */
export const adoptCurrent = async (deps: HubDeps, candidate: Candidate, installed: InstalledSkill): Promise<void> =>
  await withSkillsFolder(deps, `updating ${candidate.name}`, async () => {
    const { entry } = installed;
    const renewed = entryOf(candidate, { target: entry.install_path, now: deps.clock.now(), before: entry });
    await changeLockFile(deps.places.lockFile, candidate.name, renewed);
  });
