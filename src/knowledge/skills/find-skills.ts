import { readSkillFile } from "./read-skill-file.ts";
import { openSkillCache, summarise, type SkillCache, type SkillSummary } from "./skill-cache.ts";
import { SKILL_SOURCES, type LocatedProblem, type Skill, type SkillSource } from "./skill.ts";
import { folderName, walkSkillFolders, type SkillFolder } from "./walk-skill-folders.ts";

/** Where skills are looked for, absolute. */
export interface SkillRoots {
  /** The home's `skills/`. */
  readonly home: string;
  /** `skills.external_dirs`, the first wins. */
  readonly external: readonly string[];
  /** What ships with the program; undefined = left out. */
  readonly bundled: string | undefined;
}

export interface FindSkillsDeps {
  readonly roots: SkillRoots;
  /** What was read before; undefined = every file is read. */
  readonly cacheFile: string | undefined;
  /** ms UTC. */
  readonly now: () => number;
}

/** Every skill of an agent. */
export interface SkillSet {
  /** The ones that are used, one of a name: the home's first, by name within a source. */
  readonly skills: readonly Skill[];
  /** Those that another of the same name stands before. */
  readonly shadowed: readonly ShadowedSkill[];
  /** All that is wrong: with files that are used, with those that cannot be, and with folders. */
  readonly problems: readonly LocatedProblem[];
  /** How many files had to be read; the others are as they were. */
  readonly filesRead: number;
}

export interface ShadowedSkill {
  readonly skill: Skill;
  readonly by: Skill;
}

/** Finds and reads the skills of all sources: home before external before bundled. Never throws for what stands in a folder. */
export const findSkills = async ({ roots, cacheFile, now }: FindSkillsDeps): Promise<SkillSet> => {
  const cache = cacheFile === undefined ? undefined : await openSkillCache(cacheFile, now);
  const folders: Record<SkillSource, readonly string[]> = {
    home: [roots.home],
    external: roots.external,
    bundled: roots.bundled === undefined ? [] : [roots.bundled],
  };
  const used = new Map<string, Skill>();
  const shadowed: ShadowedSkill[] = [];
  const problems: LocatedProblem[] = [];
  let filesRead = 0;
  for (const source of SKILL_SOURCES) {
    const here: Skill[] = [];
    for (const root of folders[source]) {
      const walk = walkSkillFolders(root);
      problems.push(...walk.problems);
      for (const folder of walk.folders) {
        const { summary, isRead } = await summaryOf(folder, cache);
        filesRead += isRead ? 1 : 0;
        problems.push(...summary.problems.map((problem) => ({ ...problem, file: folder.file })));
        if (summary.kind === "skill") here.push(toSkill(folder, source, summary));
      }
    }
    for (const skill of here) {
      const by = used.get(skill.name);
      if (by === undefined) used.set(skill.name, skill);
      else if (by.directory !== skill.directory) shadowed.push({ skill, by });
    }
  }
  await cache?.save();
  return { skills: [...used.values()].toSorted(inOrder), shadowed, problems, filesRead };
};

const inOrder = (left: Skill, right: Skill): number => {
  const bySource = SKILL_SOURCES.indexOf(left.source) - SKILL_SOURCES.indexOf(right.source);
  if (bySource !== 0) return bySource;
  return left.name < right.name ? -1 : 1;
};

const toSkill = (
  { directory, file, group }: SkillFolder,
  source: SkillSource,
  { fields, problems }: Extract<SkillSummary, { kind: "skill" }>,
): Skill => ({ ...fields, source, directory, file, group: group === "" ? (fields.category ?? "") : group, problems });

interface Summary {
  readonly summary: SkillSummary;
  readonly isRead: boolean;
}

const summaryOf = async (folder: SkillFolder, cache: SkillCache | undefined): Promise<Summary> => {
  const known = cache?.get(folder.file, folder.stamp);
  if (known !== undefined) return { summary: known, isRead: false };
  const read = await readSkillFile(folder.file);
  if (!read.ok) return { summary: { kind: "unusable", problems: [read.error] }, isRead: true };
  // What reads a skill is only loaded where one has changed.
  const { parseSkill } = await import("./parse-skill.ts");
  const summary = summarise(parseSkill(read.value.text, folderName(folder.directory)));
  const whole = { ...summary, problems: [...summary.problems, ...read.value.problems] };
  cache?.set(folder.file, { ...folder, summary: whole });
  return { summary: whole, isRead: true };
};
