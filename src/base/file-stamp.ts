import { statSync } from "node:fs";
import { messageOf } from "./app-error.ts";

/**
 * Tells one state of a file from another without reading it: a file that is replaced has another number, one that is written in place
 * another time or size. A file that is absent or may not be looked at is a state, too. Never throws.
 */
export const fileStamp = (path: string): string => {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "absent" : `${found.ino}:${found.mtimeNs}:${found.size}`;
  } catch (thrown) {
    return `unreadable: ${messageOf(thrown)}`;
  }
};
