import { dirname, basename, join } from "node:path/posix";
import { followLinks } from "../protected-paths.ts";
import type { Word } from "../shell/expand-word.ts";
import { fitsPattern } from "../shell/glob-match.ts";
import { pathsOf } from "../walk/paths.ts";
import type { Possible } from "../walk/resolved-command.ts";
import type { RuleContext } from "./rule.ts";

/** Folders without which the system, or everybody's data, is gone. */
const SYSTEM_FOLDERS = [
  "/",
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/opt",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/sys",
  "/usr",
  "/usr/bin",
  "/usr/lib",
  "/usr/lib64",
  "/usr/local",
  "/usr/sbin",
  "/usr/share",
  "/var",
  "/var/lib",
  "/var/log",
  "/mnt",
  "/media",
  "/nix",
  "/Applications",
  "/Library",
  "/System",
  "/Users",
  "/Volumes",
  "/private",
  "/private/etc",
  "/private/var",
  "/cores",
  "/c",
  "/c/Windows",
  "/c/Users",
  "/c/Program Files",
  "/mnt/c",
  "/mnt/c/Windows",
  "/mnt/c/Users",
];

/** A last path segment that stands for everything in a folder. */
const EVERYTHING = /^(?:\.?\*+|\?\*|\.\[[!^]\.\]\*|\.\?\?\*)$/;

/** Says whether removing what a word names removes a system folder, the user's home, or a folder that contains it. Returns the path. */
export const vitalPath = (word: Word, cwd: Possible, context: RuleContext): string | undefined => {
  if (word.kind === "dynamic") return undefined;
  const enters = /(?:\/|\/\.|\/\.?\*+)$/.test(word.value);
  const escaped = word.pattern === undefined ? undefined : pathsOf({ kind: "static", value: word.pattern }, cwd);
  for (const [index, path] of pathsOf(word, cwd).entries()) {
    const pattern = escaped?.[index];
    for (const candidate of placesOf(path, enters))
      if (isVital(candidate, pattern === undefined ? undefined : candidate, context)) return path;
    if (pattern !== undefined && isVital(path, pattern, context)) return path;
  }
  return undefined;
};

/** The path as written, and where the links in its folder part lead; the whole of it where the program enters it. */
const placesOf = (path: string, enters: boolean): readonly string[] => {
  const folder = followLinks(dirname(path)) ?? "/";
  const whole = enters ? followLinks(path) : undefined;
  return [path, join(folder, basename(path)), ...(whole === undefined ? [] : [whole])];
};

const isVital = (path: string, pattern: string | undefined, context: RuleContext): boolean => {
  const fold = (text: string): string => (context.caseInsensitive ? text.toLowerCase() : text);
  const homes = [fold(context.userHome), fold(followLinks(context.userHome) ?? context.userHome)];
  const vital = [...SYSTEM_FOLDERS.map(fold), ...homes];
  const isVitalFolder = (folder: string): boolean =>
    vital.includes(folder) || homes.some((home) => home.startsWith(`${folder}/`));
  const folded = fold(path);
  if (isVitalFolder(folded)) return true;
  if (pattern === undefined) return false;
  if (EVERYTHING.test(basename(path)) && isVitalFolder(dirname(folded))) return true;
  return fitsPattern(fold(pattern), vital);
};
