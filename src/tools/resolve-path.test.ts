import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { absolutePath, displayPath, realPathOf } from "./resolve-path.ts";
import type { PathFlavour } from "./resolve-path.ts";

describe("absolutePath", () => {
  const posix = { cwd: "/work/app", home: "/home/ann", flavour: "posix" } as const;
  const windows = { cwd: "C:\\work\\app", home: "C:\\Users\\ann", flavour: "win32" } as const;

  test.each([
    ["a/b.txt", "/work/app/a/b.txt"],
    ["../x", "/work/x"],
    ["/etc//hosts/.", "/etc/hosts"],
    ["~", "/home/ann"],
    ["~/x", "/home/ann/x"],
    ["~$doc.docx", "/work/app/~$doc.docx"],
    ["~bob/x", "/work/app/~bob/x"],
    [" spaced ", "/work/app/ spaced "],
    ["a\\b", "/work/app/a\\b"],
  ])("POSIX %j is %s", (input, path) => {
    expect(absolutePath(input, posix)).toEqual({ kind: "ok", path });
  });

  test.each([
    ["a/b.txt", "C:\\work\\app\\a\\b.txt"],
    ["..\\x", "C:\\work\\x"],
    ["D:\\data", "D:\\data"],
    ["\\tmp", "C:\\tmp"],
    ["~/x", "C:\\Users\\ann\\x"],
    ["~\\x", "C:\\Users\\ann\\x"],
    ["/c/Users/x", "C:\\Users\\x"],
    ["/d", "D:\\"],
    ["\\\\server\\share\\f", "\\\\server\\share\\f"],
    ["console.txt", "C:\\work\\app\\console.txt"],
  ])("Windows %j is %s", (input, path) => {
    expect(absolutePath(input, windows)).toEqual({ kind: "ok", path });
  });

  test("a working directory as Git's bash writes it is understood on Windows", () => {
    expect(absolutePath("x", { ...windows, cwd: "/c/work" })).toEqual({ kind: "ok", path: "C:\\work\\x" });
  });

  test.each<[string, PathFlavour]>([
    ["", "posix"],
    ["  ", "posix"],
    ["a\0b", "posix"],
    ["", "win32"],
    ["NUL", "win32"],
    ["dir\\con.txt", "win32"],
    ["aux ", "win32"],
    ["lpt1:", "win32"],
    ["\\\\.\\PhysicalDrive0", "win32"],
    ["//?/C:/x", "win32"],
  ])("refuses %j (%s)", (input, flavour) => {
    expect(absolutePath(input, flavour === "win32" ? windows : posix)).toMatchObject({ kind: "invalid" });
  });
});

describe("realPathOf", () => {
  test("follows links through the deepest part that exists, and dangling links to where a write would land", async () => {
    await using temp = createTempDirectory();
    const at = (name: string): string => join(temp.path, name);
    await mkdir(at("real/deep"), { recursive: true });
    await writeFile(at("real/file"), "");
    await symlink("real", at("link"));
    await symlink("link/deep", at("chain"));
    await symlink("../nowhere/x", at("real/dangling"));
    const real = async (name: string): Promise<unknown> => realPathOf(at(name));
    expect(await real("link/file")).toEqual({ kind: "ok", path: at("real/file") });
    expect(await real("chain/new/file")).toEqual({ kind: "ok", path: at("real/deep/new/file") });
    expect(await real("link/dangling")).toEqual({ kind: "ok", path: at("nowhere/x") });
    expect(await real("plain/new")).toEqual({ kind: "ok", path: at("plain/new") });
  });

  test("refuses loops, also below them", async () => {
    await using temp = createTempDirectory();
    await symlink("b", join(temp.path, "a"));
    await symlink("a", join(temp.path, "b"));
    expect(await realPathOf(join(temp.path, "a"))).toMatchObject({ kind: "invalid" });
    expect(await realPathOf(join(temp.path, "a/x"))).toMatchObject({ kind: "invalid" });
  });
});

test.skipIf(process.platform === "win32")("displayPath is relative below the working directory only", () => {
  expect(displayPath("/work/app/a/b", "/work/app")).toBe("a/b");
  expect(displayPath("/work/app/..data", "/work/app")).toBe("..data");
  expect(displayPath("/work/other", "/work/app")).toBe("/work/other");
  expect(displayPath("/work/app", "/work/app")).toBe(".");
});
