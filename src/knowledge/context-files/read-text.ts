import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { messageOf } from "../../base/app-error.ts";
import { systemErrorCode } from "../../base/system-error.ts";
import { isInside } from "../../base/is-inside.ts";

/** A text that is read into a prompt, or why it cannot be. `why` goes on after the file's name. */
export type ReadText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string };

/** Larger than this is no text that somebody wrote for an agent. */
const LARGEST_TEXT_BYTES = 256 * 1024;

/**
 * Reads a small UTF-8 text whoever may have made it: never waits for a pipe, never reads a device, never more than `LARGEST_TEXT_BYTES`.
 * With `inside`, a real folder, the file has to be in it when all links are followed. Never rejects.
 */
export const readText = async (path: string, inside?: string): Promise<ReadText> => {
  try {
    const real = await realpath(path);
    if (inside !== undefined && !isInside(inside, real)) return unusable("leads outside its project");
    return await readRegular(real);
  } catch (error) {
    return describe(error);
  }
};

const readRegular = async (real: string): Promise<ReadText> => {
  // Opening a pipe or a device can have effects, so it is looked at first, and again once it is open.
  if (!(await stat(real)).isFile()) return unusable("is not an ordinary file");
  // The path has no links any more: one that stands there now was put there meanwhile.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  await using handle = await open(real, flags);
  const stats = await handle.stat();
  if (!stats.isFile()) return unusable("is not an ordinary file");
  // Files of /proc say that they are empty; one byte more tells that a file is too large without trusting its size.
  const buffer = Buffer.alloc(LARGEST_TEXT_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return decode(buffer.subarray(0, length));
};

const decode = (bytes: Buffer): ReadText => {
  if (bytes.length > LARGEST_TEXT_BYTES) return unusable(`is larger than ${LARGEST_TEXT_BYTES / 1024} KiB`);
  if (bytes.includes(0)) return unusable("is no text");
  if (!isUtf8(bytes)) return unusable("is not UTF-8");
  return { kind: "text", text: bytes.toString("utf8").replace(/^\uFEFF/u, "") };
};

const unusable = (why: string): ReadText => ({ kind: "unusable", why });

const describe = (error: unknown): ReadText => {
  switch (systemErrorCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { kind: "missing" };
    case "ELOOP":
      return unusable("is a loop of links, or was exchanged for a link");
    case "EACCES":
    case "EPERM":
      return unusable("may not be read");
    default:
      return unusable(`cannot be read: ${messageOf(error)}`);
  }
};
