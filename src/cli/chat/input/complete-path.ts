import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Candidate } from "./completion.ts";

/** Where relative and `~` paths lead. */
export interface PathPlaces {
  readonly cwd: string;
  /** The person's home directory. */
  readonly userHome: string;
}

const LARGEST_MENU = 200;

const directoryOf = (shown: string, places: PathPlaces): string => {
  if (shown.startsWith("~/")) return join(places.userHome, shown.slice(2));
  if (shown.startsWith("/")) return shown;
  return join(places.cwd, shown);
};

/**
 * Files and directories that a beginning (`@src/ma`, `./src`, `~/no`) fits; directories end in `/`. Names that begin with
 * a dot come only when the dot is typed. A directory that cannot be read has none.
 */
export const completePath = async (prefix: string, places: PathPlaces): Promise<readonly Candidate[]> => {
  const mark = prefix.startsWith("@") ? "@" : "";
  const path = prefix.slice(mark.length);
  const slash = path.lastIndexOf("/") + 1;
  const directory = path.slice(0, slash);
  const beginning = path.slice(slash);
  // Nothing to offer is the answer for a directory that is not there or may not be read.
  const entries = await readdir(directoryOf(directory, places), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.name.startsWith(beginning) && (beginning !== "" || !entry.name.startsWith(".")))
    .map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .sort()
    .slice(0, LARGEST_MENU)
    .map((name) => ({ insert: mark + directory + name, label: name, note: "" }));
};
