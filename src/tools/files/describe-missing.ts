import { opendir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { displayPath } from "../resolve-path.ts";
import { nearestNames } from "./similarity.ts";

const MAX_SUGGESTIONS = 5;
const MAX_NAMES_LOOKED_AT = 10_000;

/** Says that nothing is there, with the nearest names in the folder, or that the folder is missing too. */
export const describeMissing = async (path: string, cwd: string): Promise<string> => {
  const shown = displayPath(path, cwd);
  const folder = dirname(path);
  const names = await namesIn(folder);
  if (names === undefined) return `${shown} does not exist; neither does the folder ${displayPath(folder, cwd)}.`;
  const near = nearestNames(basename(path), names, MAX_SUGGESTIONS);
  return near.length === 0
    ? `${shown} does not exist.`
    : `${shown} does not exist. Similar names there: ${near.join(", ")}`;
};

const namesIn = async (folder: string): Promise<readonly string[] | undefined> => {
  try {
    const names: string[] = [];
    for await (const entry of await opendir(folder)) {
      names.push(entry.name);
      if (names.length === MAX_NAMES_LOOKED_AT) break;
    }
    return names;
  } catch {
    return undefined; // only a suggestion is lost; the answer says that the folder is not there
  }
};
