import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../config/environment.ts";

/** The absolute path of a program on the PATH; undefined if there is none. A relative PATH entry is passed over: it would mean the current folder. */
export const findProgram = async (name: string, environment: Environment): Promise<string | undefined> => {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  for (const folder of (environment["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, file);
    if (await isExecutable(path)) return path;
  }
  return undefined;
};

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
