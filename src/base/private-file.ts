import { closeSync, openSync } from "node:fs";
import { systemErrorCode } from "./system-error.ts";

/**
 * Makes an empty file of mode 0600 if it is missing. An existing one is not opened: closing any descriptor of a file drops
 * the locks that this process holds on it, SQLite's included.
 */
export const createPrivateFile = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
};
