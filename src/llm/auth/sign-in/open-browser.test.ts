import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { findBrowser } from "./open-browser.ts";

const ADDRESS = "https://example.org/a?x=1&y=$(touch hacked)`id`;'\"";

/** A program that writes down what it is called with. */
const standIn = (directory: string): string => {
  const path = join(directory, "xdg-open");
  const lines = ["#!/bin/sh", `cd ${directory}`, `printf '%s\\n' "$#" "$1" > seen.tmp`, "mv seen.tmp seen"];
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o755 });
  return path;
};

test.skipIf(process.platform === "win32")(
  `the address reaches the program as one argument, through no shell${process.platform === "win32" ? " (skipped: no sh)" : ""}`,
  async () => {
    await using directory = createTempDirectory();
    const program = standIn(directory.path);
    const open = findBrowser({
      environment: { DISPLAY: ":0", PATH: "/usr/bin:/bin" },
      platform: "linux",
      findProgram: () => program,
    });
    expect(open?.(ADDRESS)).toBe(true);
    const seen = join(directory.path, "seen");
    await expect.poll(() => existsSync(seen), { timeout: 20_000 }).toBe(true);
    expect(readFileSync(seen, "utf8")).toBe(`1\n${ADDRESS}\n`);
    expect(existsSync(join(directory.path, "hacked"))).toBe(false);
  },
);

test("nothing is opened over SSH, without a display, or where no program is; only web addresses are", async () => {
  await using directory = createTempDirectory();
  const none = { findProgram: () => undefined };
  const some = { findProgram: (name: string) => join(directory.path, `no-such-${name}`) };
  expect(findBrowser({ environment: {}, platform: "linux", ...some })).toBeUndefined();
  expect(findBrowser({ environment: { DISPLAY: "" }, platform: "linux", ...some })).toBeUndefined();
  expect(
    findBrowser({ environment: { DISPLAY: ":0", SSH_CONNECTION: "a b" }, platform: "linux", ...some }),
  ).toBeUndefined();
  expect(findBrowser({ environment: { SSH_TTY: "/dev/pts/1" }, platform: "darwin", ...some })).toBeUndefined();
  expect(findBrowser({ environment: { DISPLAY: ":0" }, platform: "linux", ...none })).toBeUndefined();
  const open = findBrowser({ environment: { WAYLAND_DISPLAY: "wayland-0" }, platform: "linux", ...some });
  expect(open?.("file:///etc/passwd")).toBe(false);
  // A program that cannot be started is no reason to stop: the address is shown as well.
  expect(open?.("https://example.org/")).toBe(false);
});

test.each<[NodeJS.Platform, string]>([
  ["darwin", "open"],
  ["win32", "rundll32"],
  ["linux", "xdg-open"],
])("on %s it is %s", (platform, program) => {
  const asked: string[] = [];
  findBrowser({
    environment: { DISPLAY: ":0" },
    platform,
    findProgram: (name) => {
      asked.push(name);
      return undefined;
    },
  });
  expect(asked).toEqual([program]);
});
