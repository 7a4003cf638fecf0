import { existsSync } from "node:fs";
import { mkdir, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { isInside } from "../../base/is-inside.ts";
import { nearestKey } from "../../config/nearest-key.ts";
import { archiveFolder } from "./archive-skills.ts";
import { type ChangeRecord, dropRecord, writeRecord } from "./change-journal.ts";
import {
  bringsMask,
  checkFileText,
  checkGroup,
  checkNewName,
  checkNewSkill,
  checkSkillText,
  isSkillFile,
} from "./check-change.ts";
import { copySkill } from "./copy-skill.ts";
import { findSkills, type SkillSet } from "./find-skills.ts";
import { innerPath, readInner, writableInner } from "./inner-path.ts";
import type { ChangeFault, ChangeOutcome, SkillChange } from "./skill-change.ts";
import { contentHash, newChangeId, stagingPath, type SkillLibrary } from "./skill-library.ts";
import { parseSkillName } from "./skill-name.ts";
import type { Skill, SkillProblem } from "./skill.ts";
import { folderName } from "./walk-skill-folders.ts";

type Change<A extends SkillChange["action"]> = Extract<SkillChange, { action: A }>;
type Done = Extract<ChangeOutcome, { kind: "done" }>;
type Applied = Result<Done, ChangeFault>;

/** A change that has passed every check. */
export interface PlannedChange {
  /** SHA-256 of what the file holds now that is written; null = it is not there; undefined = the change writes no file over another. */
  readonly base: string | null | undefined;
  readonly run: () => Promise<Applied>;
}

type Planned = Result<PlannedChange, ChangeFault>;

/** A library with what it holds now, and who changes it. */
interface Place {
  readonly library: SkillLibrary;
  readonly set: SkillSet;
  readonly session: string | null;
}

/**
 * Checks a change of the home's skills. Nothing is changed before `run`, which must be called under the same lock. Whenever the process dies, a skill is as it was or as it was
 * to be. Throws `file.write_failed` and system errors of a disk that cannot be written.
 */
export const planChange = async (
  library: SkillLibrary,
  change: SkillChange,
  session: string | null,
): Promise<Planned> => {
  const place: Place = { library, set: await findSkills(library), session };
  switch (change.action) {
    case "create":
      return await create(place, change);
    case "write":
      return await write(place, change);
    case "remove":
      return await remove(place, change);
    case "delete":
      return await archive(place, change);
  }
};

/** Makes a change, or says why not. Only under the lock. Throws what `run` of a planned change throws. */
export const applyChange = async (
  library: SkillLibrary,
  change: SkillChange,
  session: string | null,
): Promise<Applied> => {
  const planned = await planChange(library, change, session);
  return planned.ok ? await planned.value.run() : planned;
};

const plan = (run: () => Promise<Applied>, base?: string | null): Planned => success({ base, run });

/** The file of a path as it is written down: SKILL.md has one spelling. */
const skillPath = (skill: Skill, path: string): string => (isSkillFile(path) ? folderName(skill.file) : path);

/** The skill that a name means, or what to say about it. */
export const skillNamed = (set: SkillSet, name: string): Result<Skill, ChangeFault> => {
  const wanted = parseSkillName(name);
  const skill = set.skills.find((candidate) => candidate.name === wanted);
  if (skill !== undefined) return success(skill);
  const unusable = set.problems.find(
    ({ severity, file }) => severity === "error" && folderName(dirname(file)).toLowerCase() === (wanted ?? name),
  );
  return failure({
    kind: "unknown",
    nearest: nearestKey(
      name,
      set.skills.map((candidate) => candidate.name),
    ),
    unusable,
  });
};

const create = async (place: Place, change: Change<"create">): Promise<Planned> => {
  const { library, set } = place;
  const { home } = library.roots;
  const name = checkNewName(change.name);
  if (!name.ok) return name;
  const group = checkGroup(change.group);
  if (!group.ok) return group;
  const text = checkNewSkill(change.text, name.value);
  if (!text.ok) return text;
  if (bringsMask(change.text, "")) return failure({ kind: "hidden_secret" });
  const existing = set.skills.find((skill) => skill.name === name.value);
  if (existing !== undefined) return failure({ kind: "exists", source: existing.source });
  const target = await freePlace(home, [...group.value, name.value]);
  if (!target.ok) return target;
  const record = recordOf(
    place,
    { action: "create", name: name.value, path: "SKILL.md" },
    { before: null, after: contentHash(change.text) },
  );
  return plan(async () => {
    const staging = stagingPath(home);
    await mkdir(staging, { mode: 0o700 });
    await writeFileAtomic(join(staging, "SKILL.md"), change.text);
    await recorded(home, record, async () => await moveIn(staging, target.value));
    return done(record, { place: target.value, problems: text.value });
  });
};

/** Where a new folder can be put: nothing is there, and no link or skill stands above it. */
const freePlace = async (home: string, parts: readonly string[]): Promise<Result<string, ChangeFault>> => {
  const real = await realpath(home);
  const target = join(real, ...parts);
  const parent = dirname(target);
  for (let at = parent; at !== real; at = dirname(at)) {
    if (existsSync(join(at, "SKILL.md"))) return failure({ kind: "taken", path: at });
    if (existsSync(at) && !isInside(real, await realpath(at))) return failure({ kind: "taken", path: at });
  }
  return existsSync(target) ? failure({ kind: "taken", path: target }) : success(target);
};

const moveIn = async (staging: string, target: string): Promise<void> => {
  await makeFolder(dirname(target));
  await rename(staging, target);
};

const write = async (place: Place, change: Change<"write">): Promise<Planned> => {
  const found = skillNamed(place.set, change.name);
  if (!found.ok) return found;
  const skill = found.value;
  const path = skillPath(skill, change.path);
  const isMain = isSkillFile(path);
  const checked = isMain ? checkSkillText(change.text, skill.name) : checkFileText(change.text);
  if (!checked.ok) return checked;
  const before = await contentAt(skill, path);
  if (!before.ok) return before;
  const was = before.value;
  if (change.base !== undefined && change.base !== (was === null ? null : contentHash(was))) {
    return failure({ kind: "changed_meanwhile" });
  }
  if (bringsMask(change.text, was?.toString("utf8") ?? "")) return failure({ kind: "hidden_secret" });
  const problems: readonly SkillProblem[] = checked.value ?? [];
  const record = recordOf(
    place,
    { action: "write", name: skill.name, path },
    { before: was?.toString("base64") ?? null, after: contentHash(change.text) },
  );
  const run = async (directory: string): Promise<Result<undefined, ChangeFault>> => {
    const file = await writableInner(directory, path);
    if (!file.ok) return failure({ kind: "file", path, fault: file.error });
    await makeFolder(dirname(file.value));
    await writeFileAtomic(file.value, change.text, { links: "refused" });
    return success(undefined);
  };
  return plan(
    async () => await inHome(place, skill, { record, problems, run }),
    was === null ? null : contentHash(was),
  );
};

/** What a file of a skill holds; null = it is not there. */
const contentAt = async (skill: Skill, path: string): Promise<Result<Buffer | null, ChangeFault>> => {
  if (innerPath(path) === undefined) return failure({ kind: "file", path, fault: { kind: "bad_path" } });
  const target = await writableInner(skill.directory, path);
  if (!target.ok) return failure({ kind: "file", path, fault: target.error });
  const read = await readInner(skill.directory, path);
  if (read.ok) return success(read.value);
  return read.error.kind === "missing" ? success(null) : failure({ kind: "file", path, fault: read.error });
};

const remove = async (place: Place, change: Change<"remove">): Promise<Planned> => {
  const found = skillNamed(place.set, change.name);
  if (!found.ok) return found;
  const skill = found.value;
  if (isSkillFile(change.path)) return failure({ kind: "skill_file" });
  const before = await contentAt(skill, change.path);
  if (!before.ok) return before;
  if (before.value === null) return failure({ kind: "file", path: change.path, fault: { kind: "missing" } });
  const record = recordOf(
    place,
    { action: "remove", name: skill.name, path: change.path },
    { before: before.value.toString("base64"), after: null },
  );
  const run = async (directory: string): Promise<Result<undefined, ChangeFault>> => {
    const file = await writableInner(directory, change.path);
    if (!file.ok) return failure({ kind: "file", path: change.path, fault: file.error });
    await rm(file.value);
    await removeEmptyFolders(directory, dirname(file.value));
    return success(undefined);
  };
  return plan(async () => await inHome(place, skill, { record, problems: [], run }));
};

/** Takes away folders that have become empty, up to the skill's own. */
export const removeEmptyFolders = async (directory: string, from: string): Promise<void> => {
  for (let at = from; at !== directory && isInside(directory, at); at = dirname(at)) {
    if ((await readdir(at)).length > 0) return;
    await rmdir(at);
  }
};

interface HomeChange {
  readonly record: ChangeRecord;
  readonly problems: readonly SkillProblem[];
  /** Changes the skill in the folder that it is given. */
  readonly run: (directory: string) => Promise<Result<undefined, ChangeFault>>;
}

/** Changes a skill of the home where it is; another source's is copied, changed, and then moved into the home as a whole. */
const inHome = async (place: Place, skill: Skill, { record, problems, run }: HomeChange): Promise<Applied> => {
  const { home } = place.library.roots;
  if (isOwn(skill, await realpath(home))) {
    const applied = await recorded(home, record, async () => await run(skill.directory));
    if (applied.ok) return done(record, { place: skill.directory, problems });
    await dropRecord(home, record.id);
    return applied;
  }
  const group = checkGroup(skill.group);
  const target = await freePlace(home, [...(group.ok ? group.value : []), skill.name]);
  if (!target.ok) return target;
  const staging = stagingPath(home);
  try {
    const copied = await copySkill(skill.directory, staging);
    if (!copied.ok) return failure({ kind: "not_copied", why: copied.error });
    const applied = await run(await realpath(staging));
    if (!applied.ok) return applied;
    await recorded(home, record, async () => await moveIn(staging, target.value));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  const copiedFrom = skill.source === "bundled" ? "bundled" : "external";
  return done(record, { place: target.value, problems, copiedFrom });
};

/** A folder in the home that a link leads to from there is somebody else's. */
const isOwn = (skill: Skill, home: string): boolean => skill.source === "home" && isInside(home, skill.directory);

const archive = async (place: Place, change: Change<"delete">): Promise<Planned> => {
  const { library, set } = place;
  const found = skillNamed(set, change.name);
  if (!found.ok) return found;
  const skill = found.value;
  if (!isOwn(skill, await realpath(library.roots.home))) {
    return failure({ kind: "not_ours", source: skill.source === "bundled" ? "bundled" : "external" });
  }
  const heir = change.absorbedInto === undefined ? undefined : skillNamed(set, change.absorbedInto);
  if (heir?.ok === false) return heir;
  const because = heir === undefined ? "deleted" : `absorbed into ${heir.value.name}`;
  const { name, directory } = skill;
  return plan(async () => {
    const home = await realpath(library.roots.home);
    const archived = await archiveFolder(home, { name, directory, because, at: library.clock.now() });
    const record = recordOf(place, { action: "delete", name, path: "" }, { before: null, after: null });
    await writeRecord(home, { ...record, entry: archived.entry });
    return done(record, { place: archived.entry, problems: [] });
  });
};

const recordOf = (
  { library, session }: Place,
  what: Pick<ChangeRecord, "action" | "name" | "path">,
  content: Pick<ChangeRecord, "before" | "after">,
): ChangeRecord => {
  const now = library.clock.now();
  return { id: newChangeId(now), at: now, session, ...what, ...content, entry: null, undone: false };
};

/** The record stands before the change does, so no change is without one; a change that fails takes it back. */
const recorded = async <T>(home: string, record: ChangeRecord, run: () => Promise<T>): Promise<T> => {
  await writeRecord(home, record);
  try {
    return await run();
  } catch (error) {
    await dropRecord(home, record.id);
    throw error;
  }
};

const done = (record: ChangeRecord, rest: Omit<Done, "kind" | "id">): Applied =>
  success({ kind: "done", id: record.id, ...rest });
