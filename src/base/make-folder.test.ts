import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { makeFolder, makeFolderSync } from "./make-folder.ts";

test("makes what is missing for the owner alone and leaves what exists", async () => {
  await using temp = createTempDirectory();
  mkdirSync(join(temp.path, "there"));
  chmodSync(join(temp.path, "there"), 0o755);
  makeFolderSync(join(temp.path, "there", "a", "b"));
  for (const made of ["there/a", "there/a/b"]) expect(statSync(join(temp.path, made)).mode & 0o777).toBe(0o700);
  makeFolderSync(join(temp.path, "there"));
  expect(statSync(join(temp.path, "there")).mode & 0o777).toBe(0o755);
});

test("names the topmost folder that it made", async () => {
  await using temp = createTempDirectory();
  expect(await makeFolder(join(temp.path, "a", "b", "c"))).toBe(join(temp.path, "a"));
  expect(existsSync(join(temp.path, "a", "b", "c"))).toBe(true);
  expect(await makeFolder(join(temp.path, "a", "b", "d"))).toBe(join(temp.path, "a", "b", "d"));
  expect(await makeFolder(join(temp.path, "a"))).toBeUndefined();
});

test("a folder that a link leads to is one", async () => {
  await using temp = createTempDirectory();
  mkdirSync(join(temp.path, "real"));
  symlinkSync("real", join(temp.path, "link"));
  makeFolderSync(join(temp.path, "link"));
  expect(await makeFolder(join(temp.path, "link", "x"))).toBe(join(temp.path, "link", "x"));
});

test("a file in the way is said", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "file"), "");
  expect(() => makeFolderSync(join(temp.path, "file"))).toThrow(/EEXIST/);
  expect(() => makeFolderSync(join(temp.path, "file", "x"))).toThrow(/ENOTDIR/);
  await expect(makeFolder(join(temp.path, "file"))).rejects.toThrow(/EEXIST/);
  await expect(makeFolder(join(temp.path, "file", "x", "y"))).rejects.toThrow(/ENOTDIR/);
});

test.skipIf(process.platform !== "linux")(
  "ends where nothing can be made, which Node's own recursion does not",
  async () => {
    expect(() => makeFolderSync("/proc/no-such-folder/x/y")).toThrow(/ENOENT/);
    await expect(makeFolder("/proc/no-such-folder/x/y")).rejects.toThrow(/ENOENT/);
  },
);
