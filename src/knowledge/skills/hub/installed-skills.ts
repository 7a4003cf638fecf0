import { join } from "node:path";
import { nearestKey } from "../../../config/nearest-key.ts";
import { hubErrors } from "./errors.ts";
import type { HubPlaces } from "./hub-places.ts";
import { readLockFile, type LockEntry } from "./lock-file.ts";
import { readSkillFolder, treeHash } from "./tree-hash.ts";
import type { PackageFile } from "./package-file.ts";

/** `unknown`: installed by a version that counts its hash otherwise. */
export type InstalledState = "intact" | "edited" | "missing" | "unreadable" | "unknown";

/** A skill that was installed, compared with what was installed. */
export interface InstalledSkill {
  readonly name: string;
  readonly entry: LockEntry;
  /** Absolute. */
  readonly directory: string;
  readonly state: InstalledState;
  /** Why, where it is `unreadable`. */
  readonly why: string | undefined;
  /** Its files as they are; empty where it is missing or unreadable. */
  readonly files: readonly PackageFile[];
  /** Files that are not there any more, are new, or differ; only known by name against what was installed. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Hashes of our own form; others say nothing. */
const OWN_HASH = /^sha256:[0-9a-f]{64}$/u;

/** Every skill of lock.json, in the order of their names, or the one of a name. Throws `skills.not_installed`, `skills.broken_lock_file`. */
export const readInstalled = async (places: HubPlaces, name?: string): Promise<readonly InstalledSkill[]> => {
  const { installed } = await readLockFile(places.lockFile);
  const names = Object.keys(installed).sort();
  if (name !== undefined && !Object.hasOwn(installed, name)) {
    throw hubErrors.notInstalled({ name, nearest: nearestKey(name, names) });
  }
  const wanted = name === undefined ? names : [name];
  const found: InstalledSkill[] = [];
  for (const each of wanted) {
    const entry = installed[each];
    if (entry !== undefined) found.push(await compare(places.skills, each, entry));
  }
  return found;
};

const compare = async (skills: string, name: string, entry: LockEntry): Promise<InstalledSkill> => {
  const directory = join(skills, entry.install_path);
  const shared = { name, entry, directory, why: undefined, files: [], added: [], removed: [] };
  const read = await readSkillFolder(directory);
  if (read === undefined) return { ...shared, state: "missing" };
  if (!read.ok) return { ...shared, state: "unreadable", why: read.error.why };
  const paths = new Set(read.value.map(({ path }) => path));
  const before = new Set(entry.files);
  return {
    ...shared,
    state: stateOf(entry, read.value),
    files: read.value,
    added: [...paths].filter((path) => !before.has(path)),
    removed: [...before].filter((path) => !paths.has(path)),
  };
};

const stateOf = ({ content_hash: hash }: LockEntry, files: readonly PackageFile[]): InstalledState => {
  if (!OWN_HASH.test(hash)) return "unknown";
  return treeHash(files) === hash ? "intact" : "edited";
};
