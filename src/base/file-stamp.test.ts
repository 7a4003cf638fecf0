import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStamp } from "./file-stamp.ts";

test("a stamp stays while nothing happens, and changes with every write, replacement and removal", () => {
  const folder = mkdtempSync(join(tmpdir(), "stamp-"));
  const file = join(folder, "file");
  const seen = [fileStamp(file)];
  writeFileSync(file, "one");
  utimesSync(file, 1_000, 1_000);
  seen.push(fileStamp(file));
  expect(fileStamp(file)).toBe(seen.at(-1));
  // The same size and time: only the file itself is another one.
  writeFileSync(join(folder, "new"), "two");
  utimesSync(join(folder, "new"), 1_000, 1_000);
  renameSync(join(folder, "new"), file);
  seen.push(fileStamp(file));
  utimesSync(file, 2_000, 2_000);
  seen.push(fileStamp(file));
  writeFileSync(file, "three");
  utimesSync(file, 2_000, 2_000);
  seen.push(fileStamp(file));
  // No system looks at a name of that length.
  seen.push(fileStamp(join(folder, "n".repeat(10_000))));
  expect(new Set(seen).size).toBe(seen.length);
  rmSync(file);
  expect(fileStamp(file)).toBe(seen[0]);
  rmSync(folder, { recursive: true });
});
