import { copyFile, constants, mkdir, readdir } from "node:fs/promises";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../base/app-error.ts";
import { failure, success, type Result } from "../../base/result.ts";

/** The largest skill that is copied. */
const COPY_LIMITS = { files: 500, bytes: 20 * 1024 * 1024, depth: 8 } as const;

interface Copying {
  files: number;
  bytes: number;
}

/** Copies a skill's folder to a new one: regular files only, within limits. Why it cannot be copied, in words; the new folder may then be half made. */
export const copySkill = async (from: string, to: string): Promise<Result<undefined, string>> => {
  try {
    const fault = await copyFolder(from, to, { counts: { files: 0, bytes: 0 }, depth: 0 });
    return fault === undefined ? success(undefined) : failure(fault);
  } catch (thrown) {
    return failure(messageOf(thrown));
  }
};

const copyFolder = async (
  from: string,
  to: string,
  { counts, depth }: { readonly counts: Copying; readonly depth: number },
): Promise<string | undefined> => {
  if (depth > COPY_LIMITS.depth) return `it is more than ${COPY_LIMITS.depth} folders deep`;
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name === ".git" || entry.name === "node_modules") continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      const fault = await copyFolder(source, target, { counts, depth: depth + 1 });
      if (fault !== undefined) return fault;
    } else if (entry.isFile()) {
      counts.files += 1;
      counts.bytes += lstatSync(source).size;
      if (counts.files > COPY_LIMITS.files) return `it has more than ${COPY_LIMITS.files} files`;
      if (counts.bytes > COPY_LIMITS.bytes) return `it has more than ${COPY_LIMITS.bytes / 1024 / 1024} MiB`;
      await copyFile(source, target, constants.COPYFILE_EXCL);
    } else return `${entry.name} in it is a link or no regular file`;
  }
  return undefined;
};
