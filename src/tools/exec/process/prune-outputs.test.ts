import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { pruneOutputs } from "./prune-outputs.ts";

test("old files go with their empty folders; new ones and those that are kept stay", async () => {
  await using temp = createTempDirectory();
  const make = (name: string, at: number): string => {
    const path = `${temp.path}/${name}`;
    mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    writeFileSync(path, "");
    utimesSync(path, at / 1000, at / 1000);
    return path;
  };
  make("a/deep/old.txt", 1_000);
  make("b/old.txt", 1_000);
  make("b/new.txt", 9_000);
  const kept = make("c/old.log", 1_000);
  expect(await pruneOutputs(temp.path, { olderThan: 5_000, keep: new Set([kept]) })).toBe(2);
  expect(["a", "b/old.txt", "b/new.txt", "c/old.log"].map((name) => existsSync(`${temp.path}/${name}`))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(await pruneOutputs(`${temp.path}/none`, { olderThan: 5_000, keep: new Set() })).toBe(0);
});
