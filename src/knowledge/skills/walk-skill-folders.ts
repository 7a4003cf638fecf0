import { lstatSync, readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "../../base/app-error.ts";
import { isMissing } from "../../base/system-error.ts";
import { isInside } from "../../base/is-inside.ts";
import type { LocatedProblem, SkillProblem } from "./skill.ts";

/** A folder with a SKILL.md. */
export interface SkillFolder {
  /** Absolute, without links. */
  readonly directory: string;
  readonly file: string;
  /** The folders between the root and this one, joined by `/`. */
  readonly group: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** The newest time of the file, ms UTC. */
  readonly changedAt: number;
  /** Bytes. */
  readonly size: number;
}

export interface SkillWalk {
  /** In the order of their paths. */
  readonly folders: readonly SkillFolder[];
  readonly problems: readonly LocatedProblem[];
}

/** Bounds of one walk (client-implementation, "What to scan for"). */
export const WALK_LIMITS = { depth: 4, folders: 2_000, skills: 1_000 } as const;

interface Walk {
  readonly found: SkillFolder[];
  readonly problems: LocatedProblem[];
  /** Real folders that were looked into: a loop of links ends here. */
  readonly seen: Set<string>;
  isOver: boolean;
}

/**
 * Every skill below a folder, or the folder itself. What is below a skill is the skill's own. Links to folders are followed once; hidden
 * folders and `node_modules` are passed over. A root that is not there has no skills. Never throws for what it finds on the disk.
 */
export const walkSkillFolders = (root: string): SkillWalk => {
  const walk: Walk = { found: [], problems: [], seen: new Set(), isOver: false };
  const real = realOf(root, walk);
  if (real !== undefined) visit(walk, { directory: real, group: [], depth: 0 });
  return { folders: walk.found, problems: walk.problems };
};

const report = (walk: Walk, file: string, problem: SkillProblem): void => {
  walk.problems.push({ ...problem, file });
};

const realOf = (path: string, walk: Walk): string | undefined => {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!isMissing(thrown)) report(walk, path, unreadable(thrown));
    return undefined;
  }
};

const unreadable = (thrown: unknown): SkillProblem => ({
  severity: "error",
  code: "skill.unreadable",
  message: `It can't be read: ${messageOf(thrown)}.`,
});

interface Visit {
  readonly directory: string;
  /** Names of the folders from the root down to this one. */
  readonly group: readonly string[];
  readonly depth: number;
}

const visit = (walk: Walk, { directory, group, depth }: Visit): void => {
  if (walk.isOver || walk.seen.has(directory)) return;
  walk.seen.add(directory);
  if (walk.seen.size > WALK_LIMITS.folders || walk.found.length >= WALK_LIMITS.skills) {
    walk.isOver = true;
    report(walk, directory, {
      severity: "error",
      code: "skill.too_many",
      message: `More than ${WALK_LIMITS.skills} skills or ${WALK_LIMITS.folders} folders: the rest is not read.`,
    });
    return;
  }
  const upper = skillFile(walk, directory, "SKILL.md");
  if (upper !== "none") {
    if (upper !== "refused") walk.found.push({ ...upper, group: group.slice(0, -1).join("/") });
    return;
  }
  const entries = list(walk, directory);
  const lower = entries.find((entry) => entry.name.toLowerCase() === "skill.md" && !entry.isDirectory());
  if (lower !== undefined) {
    const file = skillFile(walk, directory, lower.name);
    if (typeof file === "object") walk.found.push({ ...file, group: group.slice(0, -1).join("/") });
    return;
  }
  for (const entry of entries) {
    const next = folderOf(walk, directory, entry);
    if (next === undefined) continue;
    if (depth < WALK_LIMITS.depth) visit(walk, { directory: next, group: [...group, entry.name], depth: depth + 1 });
    else {
      report(walk, next, {
        severity: "warning",
        code: "skill.too_deep",
        message: `Skills are looked for ${WALK_LIMITS.depth} folders deep; this one is deeper.`,
      });
    }
  }
};

const list = (walk: Walk, directory: string): readonly Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true }).toSorted((left, right) => (left.name < right.name ? -1 : 1));
  } catch (thrown) {
    report(walk, directory, unreadable(thrown));
    return [];
  }
};

const folderOf = (walk: Walk, parent: string, entry: Dirent): string | undefined => {
  if (entry.name.startsWith(".") || entry.name === "node_modules") return undefined;
  const path = join(parent, entry.name);
  if (entry.isDirectory()) return path;
  if (!entry.isSymbolicLink()) return undefined;
  const real = realOf(path, walk);
  return real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory() === true ? real : undefined;
};

type FoundFile = Omit<SkillFolder, "group">;

/** A SKILL.md that is a link must lead to a file of its own folder: else it would be a way to read anything under another name. */
const skillFile = (walk: Walk, directory: string, name: string): FoundFile | "none" | "refused" => {
  const file = join(directory, name);
  try {
    const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return "none";
    if (found.isFile()) return describe(directory, file, found);
    if (!found.isSymbolicLink()) return "none";
    const target = realpathSync(file);
    if (!isInside(directory, target)) {
      report(walk, file, {
        severity: "error",
        code: "skill.leads_outside",
        message: `It is a link to ${target}, outside of the skill's folder. Link the folder instead, or copy the file.`,
      });
      return "refused";
    }
    const behind = lstatSync(target, { bigint: true });
    return behind.isFile() ? describe(directory, target, behind) : "none";
  } catch (thrown) {
    report(walk, file, unreadable(thrown));
    return "refused";
  }
};

interface FileFacts {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly mtimeMs: bigint;
  readonly ctimeMs: bigint;
}

const describe = (directory: string, file: string, facts: FileFacts): FoundFile => ({
  directory,
  file,
  stamp: `${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`,
  changedAt: Math.max(Number(facts.mtimeMs), Number(facts.ctimeMs)),
  size: Number(facts.size),
});

/** The name of a skill's own folder. */
export const folderName = (directory: string): string => basename(directory);
