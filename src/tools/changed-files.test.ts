import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { changedFiles } from "./changed-files.ts";
import { createFileStateLedger, hashOf } from "./file-state.ts";

test("files that were seen and are different now are named; a new time alone is no change, a missing file is one", async () => {
  await using directory = createTempDirectory();
  const ledger = createFileStateLedger();
  const see = (name: string, whole: boolean): string => {
    const path = join(directory.path, name);
    writeFileSync(path, "before");
    const { size, mtimeMs } = statSync(path);
    ledger.remember(path, { size, modified: mtimeMs, ...(whole ? { hash: hashOf(Buffer.from("before")) } : {}) });
    return path;
  };
  const [same, touched, changed, longer, gone, partly] = [
    see("same", true),
    see("touched", true),
    see("changed", true),
    see("longer", true),
    see("gone", true),
    see("partly", false),
  ];
  expect(await changedFiles(ledger)).toEqual([]);
  const later = new Date(2026, 11, 1);
  utimesSync(touched, later, later);
  writeFileSync(changed, "behind");
  utimesSync(changed, later, later);
  writeFileSync(longer, "before and after");
  rmSync(gone);
  utimesSync(partly, later, later);
  expect(await changedFiles(ledger)).toEqual([changed, longer, gone, partly]);
  expect(same).toContain("same");
});
