import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folders, all real, that context files are looked for in. */
export interface Project {
  readonly cwd: string;
  /** The top of the git repository that holds `cwd`; `cwd` itself outside of one. */
  readonly root: string;
}

/** Finds the project that a folder belongs to; undefined where the folder is not there. */
export const findProject = async (folder: string): Promise<Project | undefined> => {
  const cwd = await realpath(folder).catch(() => undefined); // a folder that is gone has no files
  if (cwd === undefined) return undefined;
  for (const candidate of foldersUp(cwd)) if (await holdsGit(candidate)) return { cwd, root: candidate };
  return { cwd, root: cwd };
};

/** A folder and those above it, the nearest first, up to `root` where it is one of them. */
export const foldersUp = (folder: string, root?: string): readonly string[] => {
  const folders = [folder];
  for (let at = folder; at !== root && dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
};

/** `.git` is a folder, or a file in worktrees and submodules. */
const holdsGit = async (folder: string): Promise<boolean> => {
  const stats = await lstat(join(folder, ".git")).catch(() => undefined); // what cannot be looked at is none
  return stats?.isDirectory() === true || stats?.isFile() === true;
};
