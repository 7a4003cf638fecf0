import { posix } from "node:path";
import type { Word } from "../shell/expand-word.ts";
import type { Possible } from "./resolved-command.ts";

/** Makes a path absolute and plain: no `.`, `..`, `//` or slash at its end. `C:\x` and `C:/x` become `/c/x`, as Git's bash names them. */
export const absolutePath = (path: string, cwd: string): string => {
  const drive = /^([A-Za-z]):[\\/]?/.exec(path);
  const unix =
    drive === null ? path : `/${(drive[1] ?? "").toLowerCase()}/${path.slice(drive[0].length).replaceAll("\\", "/")}`;
  const resolved = posix.resolve(cwd, unix);
  return resolved.length > 1 && resolved.endsWith("/") ? resolved.slice(0, -1) : resolved;
};

/** The paths that a known word may mean, one for each possible working directory. Wildcards stay in them. */
export const pathsOf = (word: Word, cwd: Possible): readonly string[] => {
  if (word.kind === "dynamic" || word.value === "") return [];
  if (word.value.startsWith("/") || /^[A-Za-z]:[\\/]/.test(word.value)) return [absolutePath(word.value, "/")];
  return [...new Set(cwd.values.map((directory) => absolutePath(word.value, directory)))];
};
