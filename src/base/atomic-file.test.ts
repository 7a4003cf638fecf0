import { execFile } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { writeFileAtomic } from "./atomic-file.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const moduleUrl = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

test("content is replaced, the mode of the existing file stays, nothing else is left in the directory", async () => {
  await using temp = createTempDirectory();
  const path = join(temp.path, "config.yaml");
  writeFileSync(path, "old");
  chmodSync(path, 0o640);
  await writeFileAtomic(path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(modeOf(path)).toBe(0o640);
  expect(readdirSync(temp.path)).toEqual(["config.yaml"]);
});

test("a given mode holds whatever the umask and the old mode", async () => {
  await using temp = createTempDirectory();
  const path = join(temp.path, "file");
  const previous = process.umask(0o077);
  try {
    await writeFileAtomic(path, new Uint8Array([0, 255]), { mode: 0o644 });
  } finally {
    process.umask(previous);
  }
  expect(modeOf(path)).toBe(0o644);
  expect([...readFileSync(path)]).toEqual([0, 255]);
  await writeFileAtomic(path, "x", { mode: 0o600 });
  expect(modeOf(path)).toBe(0o600);
});

test("links are followed, also a chain whose end does not exist yet, and stay links", async () => {
  await using temp = createTempDirectory();
  mkdirSync(join(temp.path, "dotfiles"));
  symlinkSync("middle", join(temp.path, "link"));
  symlinkSync(join("dotfiles", "real"), join(temp.path, "middle"));
  await writeFileAtomic(join(temp.path, "link"), "one");
  await writeFileAtomic(join(temp.path, "link"), "two");
  expect(readFileSync(join(temp.path, "dotfiles", "real"), "utf8")).toBe("two");
  expect(lstatSync(join(temp.path, "link")).isSymbolicLink()).toBe(true);
  expect(lstatSync(join(temp.path, "middle")).isSymbolicLink()).toBe(true);
});

test("a loop of links and a directory in the way are refused without leaving a temporary file", async () => {
  await using temp = createTempDirectory();
  symlinkSync("b", join(temp.path, "a"));
  symlinkSync("a", join(temp.path, "b"));
  mkdirSync(join(temp.path, "directory"));
  await expect(writeFileAtomic(join(temp.path, "a"), "x")).rejects.toMatchObject({ code: "file.write_failed" });
  await expect(writeFileAtomic(join(temp.path, "directory"), "x")).rejects.toMatchObject({ code: "file.write_failed" });
  expect(readdirSync(temp.path).toSorted()).toEqual(["a", "b", "directory"]);
});

test("R-CRED-3 a write that fails midway leaves the old file whole and no temporary file", async () => {
  await using temp = createTempDirectory();
  const path = join(temp.path, "auth.json");
  writeFileSync(path, "old and whole");
  const program = `
    import { writeSecretFile } from ${JSON.stringify(moduleUrl("secret-file.ts"))};
    await writeSecretFile(${JSON.stringify(path)}, "x".repeat(200_000)).catch((error) => console.log(error.code));
  `;
  // The limit on file size makes the kernel cut the write after some blocks, as a full disk does.
  const child = await promisify(execFile)("bash", [
    "-c",
    'ulimit -f 16; exec "$0" --input-type=module -e "$1"',
    process.execPath,
    program,
  ]);
  expect(child.stdout.trim()).toBe("file.write_failed");
  expect(readFileSync(path, "utf8")).toBe("old and whole");
  expect(readdirSync(temp.path)).toEqual(["auth.json"]);
});
