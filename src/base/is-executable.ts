import { accessSync, constants, statSync } from "node:fs";

/** Whether a file that this account may run stands at the path. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Nothing there, or nothing that may be run: the answer is the same.
    return false;
  }
};
