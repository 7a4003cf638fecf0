import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { absent } from "../../../base/system-error.ts";
import { success, type Result } from "../../../base/result.ts";
import type { PackageFile } from "./package-file.ts";
import type { PackageProblem } from "./package-problem.ts";
import { openFolderPackage } from "./read-folder.ts";

/** `sha256:<64 hex>` over names, whether a file may be run, and contents; the order of `files` does not matter. */
export const treeHash = (files: readonly PackageFile[]): string => {
  const whole = createHash("sha256");
  for (const { path, data, isExecutable } of files.toSorted((left, right) => (left.path < right.path ? -1 : 1))) {
    const content = createHash("sha256").update(data).digest("hex");
    whole.update(`${isExecutable ? "x" : "-"} ${content} ${path}\n`);
  }
  return `sha256:${whole.digest("hex")}`;
};

/** The files of a skill on disk, for its hash; links are left out of it as something that is no file. */
export const readSkillFolder = async (
  folder: string,
): Promise<Result<readonly PackageFile[], PackageProblem> | undefined> => {
  if ((await readdir(folder).catch(absent)) === undefined) return undefined;
  const listing = await openFolderPackage(folder);
  if (!listing.ok) return listing;
  const entries = listing.value.entries.filter(({ kind }) => kind === "file");
  const data = await listing.value.read(entries);
  if (!data.ok) return data;
  return success(
    entries.map(({ path, isExecutable }, index) => ({
      path,
      isExecutable,
      data: data.value[index] ?? new Uint8Array(),
    })),
  );
};
