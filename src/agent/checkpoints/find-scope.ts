import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../base/is-inside.ts";

/** What a snapshot of a folder holds. */
export interface Scope {
  /** Real path. */
  readonly root: string;
  /** `false` = only the touched files in it. */
  readonly whole: boolean;
}

export interface ScopePlaces {
  /** Where the session works. */
  readonly cwd: string;
  readonly userHome: string;
  /** The agent's home and, if it is a profile's, the root home. */
  readonly agentHomes: readonly string[];
}

/** A path with its folder's links followed, so that nothing on the way to it is a link. The path itself may be one, or be missing. */
export const settledPath = (path: string): string => {
  const folder = dirname(path);
  if (folder === path) return path;
  const missing: string[] = [basename(path)];
  for (let at = folder; ; at = dirname(at)) {
    const real = realOf(at);
    if (real !== undefined) return join(real, ...missing.toReversed());
    if (dirname(at) === at) return path;
    missing.push(basename(at));
  }
};

/** The paths under which a change of `path` may land: the entry itself, and what it links to. */
export const changedPaths = (path: string): readonly string[] => {
  const own = settledPath(path);
  const real = realOf(own);
  return real === undefined || real === own ? [own] : [own, real];
};

/**
 * Which folder is to be snapshotted before `path` (settled) is changed: its git top level, else the session's folder, else its own folder with
 * this file alone. Undefined = nothing is: `/`, the person's home, the agent's own home, and folders that hold them, cannot be taken as a whole.
 */
export const findScope = (path: string, places: ScopePlaces): Scope | undefined => {
  const allowed = (root: string): boolean => isWholeAllowed(root, path, places);
  const isFolder = statOf(path)?.isDirectory() === true;
  const top = topLevel(isFolder ? path : dirname(path));
  if (top !== undefined && allowed(top)) return { root: top, whole: true };
  const cwd = realOf(places.cwd);
  if (cwd !== undefined && isInside(cwd, path) && allowed(cwd)) return { root: cwd, whole: true };
  if (isFolder) return allowed(path) ? { root: path, whole: true } : undefined;
  const root = existingFolder(dirname(path));
  return { root, whole: false };
};

const isWholeAllowed = (root: string, path: string, { userHome, agentHomes }: ScopePlaces): boolean => {
  const home = realOf(userHome) ?? userHome;
  if (isInside(root, home)) return false;
  for (const agentHome of agentHomes.map((each) => realOf(each) ?? each)) {
    if (root === agentHome) return false;
    // The agent's own files are never part of a project around them.
    if (isInside(root, agentHome) && isInside(agentHome, path)) return false;
  }
  return dirname(root) !== root;
};

/** The nearest folder upwards that has a `.git`: a repository, a work tree of one, or a submodule. */
const topLevel = (folder: string): string | undefined => {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatOf(join(at, ".git")) !== undefined) return realOf(at);
    if (dirname(at) === at) return undefined;
  }
};

const existingFolder = (folder: string): string => {
  for (let at = folder; ; at = dirname(at)) {
    const real = realOf(at);
    if (real !== undefined) return real;
    if (dirname(at) === at) return at;
  }
};

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    // Missing, a link to nowhere, or not to be looked at: there is no real path to work with.
    return undefined;
  }
};

const statOf = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? undefined
      : statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not to be looked at: then nothing can be taken of it either.
    return undefined;
  }
};

const lstatOf = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};
