import { createHash } from "node:crypto";
import { glob, stat } from "node:fs/promises";
import { join } from "node:path";

/** Changes whenever a file that goes into dist/ does: names, sizes and times of the sources, the lockfile and the build script. */
export const sourceStamp = async (root) => {
  const files = [];
  for await (const file of glob(["src/**/*.{ts,tsx,json}", "scripts/build.mjs", "package.json", "package-lock.json"], {
    cwd: root,
  }))
    files.push(file);
  const hash = createHash("sha256");
  for (const file of files.toSorted((left, right) => (left < right ? -1 : 1))) {
    const { size, mtimeMs } = await stat(join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
};
