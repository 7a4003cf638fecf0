import { lstatSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { makeFolderSync } from "../base/make-folder.ts";
import { readEnvironment, type Environment, userDirectory } from "../config/environment.ts";
import { VERSION } from "./version.ts";

/**
 * Lets Node keep compiled code in the user's cache folder. Cached code is run, so the folder must be ours alone: 0700, our own,
 * no link; otherwise the cache stays off and the program only starts a little slower.
 */
export const startCompileCache = (): void => {
  const directory = cacheDirectory(readEnvironment(), process.platform);
  if (directory !== undefined && isPrivate(directory)) enableCompileCache(directory);
};

/** `$XDG_CACHE_HOME/hermes/<version>` and its equivalents on macOS and Windows. */
const cacheDirectory = (environment: Environment, platform: NodeJS.Platform): string | undefined => {
  const home = userDirectory(environment);
  if (home === "") return undefined;
  const base = environment["XDG_CACHE_HOME"] ?? systemCache(environment, platform, home);
  return base === "" ? undefined : join(base, "hermes", VERSION);
};

const systemCache = (environment: Environment, platform: NodeJS.Platform, home: string): string => {
  if (platform === "darwin") return join(home, "Library", "Caches");
  if (platform === "win32") return environment["LOCALAPPDATA"] ?? join(home, "AppData", "Local");
  return join(home, ".cache");
};

const isPrivate = (directory: string): boolean => {
  try {
    makeFolderSync(directory);
    const found = lstatSync(directory);
    if (!found.isDirectory()) return false;
    // Windows keeps a user's folders from others by its own rules and has no owner id here.
    if (process.getuid === undefined) return true;
    return found.uid === process.getuid() && (found.mode & 0o077) === 0;
  } catch {
    // A read-only or missing home: run without the cache.
    return false;
  }
};
