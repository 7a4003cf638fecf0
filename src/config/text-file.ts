import { readFileSync, statSync } from "node:fs";
import { messageOf } from "../base/app-error.ts";

/** The largest settings file that is read; a larger one is surely something else. */
export const LARGEST_FILE_BYTES = 1024 * 1024;

/** A small text file as it was found. A byte order mark stays in `text`. */
export type TextFile =
  | { readonly kind: "absent" }
  | { readonly kind: "broken"; readonly reason: string; readonly line?: number | undefined }
  | { readonly kind: "text"; readonly text: string; /** Permission bits. */ readonly mode: number };

/** Reads a settings file. Never throws: what can't be read is `broken`, with the reason for a person. */
export const readTextFile = (path: string): TextFile => {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: "absent" };
    if (!stat.isFile())
      return { kind: "broken", reason: stat.isDirectory() ? "is a directory, not a file" : "is no ordinary file" };
    if (stat.size > LARGEST_FILE_BYTES) return { kind: "broken", reason: `is larger than ${LARGEST_FILE_BYTES} bytes` };
    return decode(readFileSync(path), stat.mode & 0o777);
  } catch (error) {
    return { kind: "broken", reason: `can't be read: ${messageOf(error)}` };
  }
};

const isUtf8 = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes).equals(Buffer.from(Buffer.from(bytes).toString("utf8"), "utf8"));

const decode = (bytes: Buffer, mode: number): TextFile => {
  if (isUtf8(bytes)) return { kind: "text", text: bytes.toString("utf8"), mode };
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return { kind: "broken", reason: "is not UTF-8 text", line };
};
