import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { createShellFolders, HELD_PIPE } from "./shell-folders.ts";

const moduleUrl = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);

/** Another program that holds a pool below `directory`; resolves with it and its folder's name once there are pipes. */
const startOwner = async (
  directory: string,
): Promise<{ readonly child: ChildProcess; readonly folder: string; readonly kill: () => Promise<void> }> => {
  const program = `
    import { createFifoPool } from ${moduleUrl("fifo-pool.ts")};
    import { createShellFolders } from ${moduleUrl("shell-folders.ts")};
    const pool = createFifoPool(createShellFolders(process.argv[1]));
    process.stdout.write(await pool.take());
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, directory], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  const [path] = await once(child.stdout, "data");
  return { child, folder: join(String(path), ".."), kill };
};

/** Makes a folder as the next program would, and waits until it has looked at those of others. */
const sweep = async (directory: string): Promise<void> => {
  const folders = createShellFolders(directory);
  const own = await folders.make();
  await folders.close();
  expect(existsSync(own)).toBe(true);
};

/** No process has this pid: Linux and macOS end below. */
const NO_PID = 2 ** 31 - 2;
test.skipIf(process.platform === "win32")(
  "the folder of a program that was killed goes at the next start, one of a living program never",
  async () => {
    await using temp = createTempDirectory();
    const [killed, living] = await Promise.all([startOwner(temp.path), startOwner(temp.path)]);
    await killed.kill();
    expect(existsSync(killed.folder)).toBe(true);
    await sweep(temp.path);
    expect(existsSync(killed.folder)).toBe(false);
    expect(readdirSync(living.folder).length).toBeGreaterThan(1);
  },
);

test.skipIf(process.platform === "win32")("a pid that was reused meanwhile keeps nothing", async () => {
  await using temp = createTempDirectory();
  const reused = join(temp.path, `hermes-sh-${process.pid}-0badcafe-aaaaaa`);
  mkdirSync(reused);
  await sweep(temp.path);
  expect(existsSync(reused)).toBe(false);
});

test.skipIf(process.platform === "win32")(
  "what cannot be told to be abandoned stays: held by who cannot be seen, of an unknown start, a link, another's name",
  async () => {
    await using temp = createTempDirectory();
    const at = (name: string): string => join(temp.path, name);
    const held = at(`hermes-sh-${NO_PID}-0badcafe-aaaaaa`);
    mkdirSync(held);
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(held, HELD_PIPE)]);
    const holder = openSync(join(held, HELD_PIPE), constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(holder));
    mkdirSync(at(`hermes-sh-${process.pid}-00000000-bbbbbb`));
    mkdirSync(at("elsewhere"));
    symlinkSync(at("elsewhere"), at(`hermes-sh-${NO_PID}-0badcafe-cccccc`));
    mkdirSync(at("hermes-sh-AbC123"));
    const before = readdirSync(temp.path);
    const abandoned = at(`hermes-sh-${NO_PID}-0badcafe-dddddd`);
    mkdirSync(abandoned);
    writeFileSync(join(abandoned, "script"), "echo");
    await sweep(temp.path);
    expect(existsSync(abandoned)).toBe(false);
    expect(readdirSync(temp.path)).toEqual(expect.arrayContaining(before));
  },
);

test("a temporary directory that is missing is told by what needs it", async () => {
  await using temp = createTempDirectory();
  const folders = createShellFolders(join(temp.path, "missing"));
  await expect(folders.make()).rejects.toMatchObject({ code: "ENOENT" });
  await folders.close();
});
