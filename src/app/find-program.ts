import { delimiter, isAbsolute, join } from "node:path";
import { isExecutable } from "../base/is-executable.ts";
import type { Environment } from "../config/environment.ts";

/** The absolute path of a program on the PATH; undefined if there is none. A relative PATH entry is passed over: it would mean the current folder. */
export const findProgram = (name: string, environment: Environment): string | undefined => {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  for (const folder of (environment["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, file);
    if (isExecutable(path)) return path;
  }
  return undefined;
};
