import { access, constants, stat } from "node:fs/promises";
import { posix, win32 } from "node:path";
import type { PathFlavour } from "./resolve-path.ts";

/** Where programs are looked for. */
export interface ProgramSearch {
  /** The value of `PATH`. */
  readonly searchPath: string;
  readonly flavour: PathFlavour;
}

/**
 * Finds a program like a shell would, as an absolute path; undefined if it is not installed. Relative entries of `PATH` are
 * left out: they would run whatever lies in the working directory.
 */
export const findProgram = async (
  name: string,
  { searchPath, flavour }: ProgramSearch,
): Promise<string | undefined> => {
  for (const candidate of programCandidates(name, { searchPath, flavour })) {
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
};

/** The absolute paths at which a program may be, in order. Pure. */
export const programCandidates = (name: string, { searchPath, flavour }: ProgramSearch): readonly string[] => {
  const tools = flavour === "win32" ? win32 : posix;
  const file = flavour === "win32" ? `${name}.exe` : name;
  return searchPath
    .split(tools.delimiter)
    .filter((folder) => tools.isAbsolute(folder))
    .map((folder) => tools.join(folder, file));
};

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not for us
  }
};
