import { lstat, open, readdir } from "node:fs/promises";
import { constants } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../base/app-error.ts";
import { failure, type Result, success } from "../../../base/result.ts";
import { PACKAGE_LIMITS, type PackageEntry, type PackageListing } from "./package-file.ts";
import type { PackageProblem } from "./package-problem.ts";

/** What version control and file managers leave lying about; never part of a skill. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".DS_Store", "Thumbs.db", "__pycache__"]);
const DEEPEST = 32;

/** A folder as a package: links are listed, not followed. */
export const openFolderPackage = async (folder: string): Promise<Result<PackageListing, PackageProblem>> => {
  try {
    const entries: PackageEntry[] = [];
    const isWhole = await collect(folder, "", entries);
    if (!isWhole) return failure({ kind: "large", why: `more than ${PACKAGE_LIMITS.entries} files and folders` });
    return success({ entries, read: (wanted) => readFiles(folder, wanted) });
  } catch (thrown) {
    return failure({ kind: "broken", why: messageOf(thrown) });
  }
};

/** False = there is more than is looked at. */
const collect = async (root: string, relative: string, entries: PackageEntry[]): Promise<boolean> => {
  if (relative.split("/").length > DEEPEST) return false;
  const names = (await readdir(join(root, relative))).filter((name) => !LEFT_OUT.has(name)).sort();
  for (const name of names) {
    if (entries.length >= PACKAGE_LIMITS.entries) return false;
    const path = relative === "" ? name : `${relative}/${name}`;
    const info = await lstat(join(root, path));
    const shared = { path, size: info.size, isExecutable: (info.mode & 0o111) !== 0 };
    if (info.isDirectory()) {
      entries.push({ ...shared, kind: "folder" });
      if (!(await collect(root, path, entries))) return false;
    } else if (info.isFile()) {
      entries.push({ ...shared, kind: "file" });
    } else {
      entries.push({ ...shared, kind: "other", what: info.isSymbolicLink() ? "a symbolic link" : "a device or pipe" });
    }
  }
  return true;
};

const readFiles = async (
  root: string,
  wanted: readonly PackageEntry[],
): Promise<Result<readonly Uint8Array[], PackageProblem>> => {
  const found: Uint8Array[] = [];
  for (const { path, size } of wanted) {
    try {
      // What was a file when it was listed may be a link by now.
      await using file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
      const data = Buffer.alloc(size + 1);
      const { bytesRead } = await file.read(data, 0, size + 1, 0);
      if (bytesRead !== size) return failure({ kind: "broken", why: `${path} changes while it is read` });
      found.push(data.subarray(0, size));
    } catch (thrown) {
      return failure({ kind: "broken", why: messageOf(thrown) });
    }
  }
  return success(found);
};
