import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
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

test("a new file in a folder that is a link lands where the link leads", async () => {
  await using temp = createTempDirectory();
  mkdirSync(join(temp.path, "real"));
  symlinkSync("real", join(temp.path, "link"));
  await writeFileAtomic(join(temp.path, "link", "new"), "x");
  expect(readFileSync(join(temp.path, "real", "new"), "utf8")).toBe("x");
});

test.skipIf(process.getuid?.() === 0)("a folder that may be written to and not be listed takes files", async () => {
  await using temp = createTempDirectory();
  const folder = join(temp.path, "drop");
  mkdirSync(folder);
  chmodSync(folder, 0o300);
  await writeFileAtomic(join(folder, "new"), "x");
  expect(readFileSync(join(folder, "new"), "utf8")).toBe("x");
  chmodSync(folder, 0o700);
});

test("a path that was checked is not followed through links that have come since", async () => {
  await using temp = createTempDirectory();
  const outside = join(temp.path, "outside");
  mkdirSync(outside);
  mkdirSync(join(temp.path, "a", "b"), { recursive: true });
  symlinkSync(join(outside, "file"), join(temp.path, "a", "b", "file"));
  symlinkSync(join(temp.path, "a"), join(temp.path, "link"));
  for (const path of [join("a", "b", "file"), join("link", "b", "new"), join("a", "missing", "new")]) {
    await expect(writeFileAtomic(join(temp.path, path), "x", { links: "refused" })).rejects.toMatchObject({
      code: "file.write_failed",
      message: expect.not.stringContaining("/proc/"),
    });
  }
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(join(temp.path, "a", "b"))).toEqual(["file"]);
  await writeFileAtomic(join(temp.path, "a", "b", "new"), "x", { links: "refused" });
  expect(readFileSync(join(temp.path, "a", "b", "new"), "utf8")).toBe("x");
});

test.skipIf(process.platform !== "linux")(
  "nothing lands elsewhere while a folder of the path is exchanged for a link, again and again",
  async () => {
    await using temp = createTempDirectory();
    const at = (name: string): string => join(temp.path, name);
    mkdirSync(at("outside"));
    mkdirSync(at("folder"));
    const program = `
      const { renameSync, symlinkSync, rmSync } = await import("node:fs");
      const [folder, aside, outside] = process.argv.slice(1);
      process.stdout.write("ready");
      for (;;) {
        renameSync(folder, aside);
        symlinkSync(outside, folder);
        rmSync(folder);
        renameSync(aside, folder);
      }
    `;
    const words = ["--input-type=module", "-e", program, at("folder"), at("aside"), at("outside")];
    const swapper = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    await once(swapper.stdout, "data");
    let written = 0;
    // How often the folder is caught in its place is up to the two processes' turns.
    for (let round = 0; round < 400 || (written === 0 && round < 20_000); round += 1) {
      const landed = await writeFileAtomic(join(at("folder"), "file"), String(round), { links: "refused" }).then(
        () => true,
        () => false,
      );
      if (landed) written += 1;
    }
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
    expect(readdirSync(at("outside"))).toEqual([]);
    expect(written).toBeGreaterThan(0);
  },
);

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
