import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../base/app-error.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { absent, systemErrorCode } from "../../base/system-error.ts";
import { isInside } from "../../base/is-inside.ts";

const MAX_SEGMENTS = 6;
const MAX_SEGMENT = 120;
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/iu;

/**
 * The parts of a path inside a skill's folder, as a model or a file gives it: relative, plain names only. undefined = no such path: it
 * is empty, absolute, leads up, holds signs that a system reads in its own way, or names something hidden.
 */
export const innerPath = (text: string): readonly string[] | undefined => {
  const parts = text.replace(/^(?:\.\/)+/u, "").split("/");
  const isPlain = (part: string): boolean =>
    part !== "" &&
    !part.startsWith(".") &&
    part.length <= MAX_SEGMENT &&
    !/[\p{C}\\:*?"<>|]|[. ]$/u.test(part) &&
    !DEVICE.test(part);
  return parts.length <= MAX_SEGMENTS && parts.every(isPlain) ? parts : undefined;
};

/** Why a file of a skill is not to be had; words for the model. */
export type InnerFault =
  | { readonly kind: "bad_path" }
  | { readonly kind: "missing" }
  | { readonly kind: "outside" }
  | { readonly kind: "no_file" }
  | { readonly kind: "too_large"; readonly size: number }
  | { readonly kind: "unreadable"; readonly why: string };

/** The largest file of a skill that is read or written as a whole, in bytes. */
export const MAX_INNER_FILE = 1024 * 1024;

/** Reads a file inside a skill's folder. Links are resolved and must end inside; what takes the file's place meanwhile is not followed. */
export const readInner = async (directory: string, path: string): Promise<Result<Buffer, InnerFault>> => {
  const parts = innerPath(path);
  if (parts === undefined) return failure({ kind: "bad_path" });
  try {
    const real = await realpath(join(directory, ...parts)).catch(absent);
    if (real === undefined) return failure({ kind: "missing" });
    if (!isInside(directory, real)) return failure({ kind: "outside" });
    await using handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    if (!facts.isFile()) return failure({ kind: "no_file" });
    if (facts.size > MAX_INNER_FILE) return failure({ kind: "too_large", size: facts.size });
    return success(await handle.readFile());
  } catch (thrown) {
    if (systemErrorCode(thrown) === "EISDIR") return failure({ kind: "no_file" });
    return failure({ kind: "unreadable", why: messageOf(thrown) });
  }
};

/** Where a file inside a skill's folder would be written: every folder on the way is real. The file itself may not be a link. */
export const writableInner = async (directory: string, path: string): Promise<Result<string, InnerFault>> => {
  const parts = innerPath(path);
  if (parts === undefined) return failure({ kind: "bad_path" });
  let at = directory;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    const found = await lstat(at).catch(absent);
    if (found === undefined) break;
    if (found.isSymbolicLink()) return failure({ kind: "outside" });
    if (!found.isDirectory()) return failure({ kind: "no_file" });
  }
  const file = join(directory, ...parts);
  const found = await lstat(file).catch(absent);
  if (found?.isSymbolicLink() === true) return failure({ kind: "outside" });
  return found !== undefined && !found.isFile() ? failure({ kind: "no_file" }) : success(file);
};

const MAX_LISTED = 100;

/** The files beside SKILL.md, as paths inside the folder; at most 100, hidden ones and links left out. */
export const listInner = async (
  directory: string,
): Promise<{ readonly files: readonly string[]; readonly isWhole: boolean }> => {
  const files: string[] = [];
  const waiting: (readonly string[])[] = [[]];
  for (let at = waiting.shift(); at !== undefined && files.length <= MAX_LISTED; at = waiting.shift()) {
    const entries = (await readdir(join(directory, ...at), { withFileTypes: true }).catch(absent)) ?? [];
    for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = [...at, entry.name];
      if (entry.isDirectory() && path.length < MAX_SEGMENTS) waiting.push(path);
      else if (entry.isFile() && !(at.length === 0 && entry.name.toLowerCase() === "skill.md"))
        files.push(path.join("/"));
    }
  }
  return { files: files.slice(0, MAX_LISTED), isWhole: files.length <= MAX_LISTED };
};
