import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../base/make-folder.ts";
import type { PackageFile } from "./package-file.ts";

/** Writes the files of a skill into a folder that only this process knows; every file is on the disk when it returns. */
export const writeTree = async (folder: string, files: readonly PackageFile[]): Promise<void> => {
  await makeFolder(folder);
  for (const { path, data, isExecutable } of files) {
    const target = join(folder, path);
    await makeFolder(dirname(target));
    await using file = await open(target, "wx", isExecutable ? 0o700 : 0o600);
    await file.writeFile(data);
    await file.sync();
  }
};
