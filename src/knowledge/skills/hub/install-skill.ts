import { lstat, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { absent } from "../../../base/system-error.ts";
import { isInside } from "../../../base/is-inside.ts";
import { findSkills } from "../find-skills.ts";
import { nameProblems, parseSkillName } from "../skill-name.ts";
import { withSkillLock } from "../skill-library.ts";
import { appendAudit } from "./audit-log.ts";
import { hubErrors } from "./errors.ts";
import type { LockEntry } from "./lock-file.ts";
import { describeSource, type PackageSource } from "./package-source.ts";
import { placeSkill, recoverRooms } from "./place-skill.ts";
import type { Candidate, HubDeps } from "./prepare-skill.ts";

/** How a candidate is installed. */
export interface InstallOptions {
  /** Folders between `skills/` and the skill's own; undefined = what its front matter says, else none. */
  readonly category?: string | undefined;
  /** A skill of the same name that is there already goes to the archive. */
  readonly replace: boolean;
}

/** What an installation did. */
export interface Installed {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** The archive's entry for the skill of that name that was there before. */
  readonly archived: string | undefined;
}

/** Runs while no other process changes the skills folder; what killed processes left behind is cleared first. */
export const withSkillsFolder = async <T>(deps: HubDeps, purpose: string, run: () => Promise<T>): Promise<T> =>
  await withSkillLock(deps.library, purpose, async () => {
    await recoverRooms(deps.places, deps.clock);
    return await run();
  });

/**
 * Moves a candidate into the skills folder with one rename, and writes down where it came from. Whether it may be trusted was decided
 * before. Throws `skills.name_taken`, `skills.bad_name`, `skills.move_failed`, `skills.broken_lock_file`, `lock.busy`.
 */
export const installSkill = async (
  deps: HubDeps,
  candidate: Candidate,
  { category, replace }: InstallOptions,
): Promise<Installed> => {
  const folder = categoryOf(category, candidate);
  const target = folder === "" ? candidate.name : `${folder}/${candidate.name}`;
  return await withSkillsFolder(deps, `installing ${candidate.name}`, async () => {
    const { skills, auditLog } = deps.places;
    const existing = await findInHome(skills, candidate.name);
    if (existing !== undefined && !(replace && existing.isInside)) {
      throw hubErrors.taken({ name: candidate.name, place: existing.place });
    }
    if (existing?.place !== target && (await lstat(join(skills, target)).catch(absent)) !== undefined) {
      throw hubErrors.taken({ name: candidate.name, place: target });
    }
    const archived = await placeSkill(deps.places, candidate.room, {
      action: "install",
      name: candidate.name,
      target,
      ...(existing === undefined ? {} : { replaces: existing.place }),
      at: deps.clock.now(),
      entry: entryOf(candidate, { target, now: deps.clock.now() }),
    });
    await appendAudit(auditLog, deps.clock.now(), {
      action: "install",
      name: candidate.name,
      facts: factsOf(candidate),
    });
    return { name: candidate.name, directory: join(skills, target), archived };
  });
};

const categoryOf = (given: string | undefined, { fields }: Candidate): string => {
  const category = given ?? fields.category ?? "";
  const parts = category.split("/").filter((part) => part !== "");
  const isFine = parts.length <= 2 && parts.every((part) => parseSkillName(part) === part && isPlainName(part));
  if (isFine) return parts.join("/");
  // What a stranger wrote into front matter is no reason to fail; what the owner typed is.
  if (given === undefined) return "";
  throw hubErrors.badName({ name: given, what: "category" });
};

const isPlainName = (name: string): boolean => nameProblems(name).length === 0;

/** The skill of a name in a home, by its place relative to the skills folder. */
export const findInHome = async (
  skills: string,
  name: string,
): Promise<{ readonly place: string; readonly isInside: boolean } | undefined> => {
  const found = await findSkills({
    roots: { home: skills, external: [], bundled: undefined },
    cacheFile: undefined,
    now: () => 0,
  });
  const skill = found.skills.find((each) => each.name === name);
  if (skill === undefined) return undefined;
  const root = await realpath(skills);
  const inside = isInside(root, skill.directory);
  return { place: inside ? relative(root, skill.directory).split(sep).join("/") : skill.directory, isInside: inside };
};

/** What lock.json says of a candidate. `now` in ms UTC. */
export const entryOf = (
  candidate: Candidate,
  { target, now, before }: { readonly target: string; readonly now: number; readonly before?: LockEntry },
): LockEntry => {
  const { source, origin, review, files, hash, isRenamed } = candidate;
  const time = new Date(now).toISOString();
  return {
    ...before,
    source: sourceLabel(source),
    identifier: describeSource(source),
    trust_level: "community",
    scan_verdict: review.verdict,
    content_hash: hash,
    install_path: target,
    files: files.map(({ path }) => path),
    metadata: {
      ...(source.kind === "git" && source.ref !== undefined ? { ref: source.ref } : {}),
      ...(origin.commit === undefined ? {} : { commit: origin.commit }),
      ...(origin.archiveSha256 === undefined ? {} : { archive_sha256: origin.archiveSha256 }),
      ...(isRenamed ? { renamed: true } : {}),
      ...(review.findings.length === 0 ? {} : { findings: [...new Set(review.findings.map(({ rule }) => rule))] }),
    },
    installed_at: before?.installed_at === undefined || before.installed_at === "" ? time : before.installed_at,
    updated_at: time,
  };
};

const sourceLabel = (source: PackageSource): string => {
  switch (source.kind) {
    case "git":
      return new URL(source.url).host === "github.com" ? "github" : "git";
    case "archive_url":
    case "document_url":
      return "url";
    case "archive_file":
      return "archive";
    case "folder":
      return "folder";
  }
};

/** What the audit log keeps of a candidate. */
export const factsOf = ({
  source,
  origin,
  hash,
  review,
  files,
}: Candidate): Readonly<Record<string, string | number>> => ({
  source: describeSource(source),
  ...(origin.commit === undefined ? {} : { commit: origin.commit }),
  hash,
  verdict: review.verdict,
  files: files.length,
});
