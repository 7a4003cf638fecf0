import { expect, test } from "vitest";
import { findBash } from "./find-bash.ts";

const search = (platform: NodeJS.Platform, environment: Record<string, string>, present: readonly string[]): unknown =>
  findBash({ platform, environment, isExecutable: (path) => present.includes(path) });

test("the first bash on the PATH is taken; relative folders are passed over", () => {
  const path = { PATH: "bin:/none:/opt/bin:/bin" };
  expect(search("linux", path, ["bin/bash", "/opt/bin/bash", "/bin/bash"])).toEqual({
    kind: "found",
    path: "/opt/bin/bash",
  });
});

test("services with a bare PATH find it in the usual places", () => {
  expect(search("darwin", {}, ["/opt/homebrew/bin/bash"])).toEqual({ kind: "found", path: "/opt/homebrew/bin/bash" });
});

test("Windows: beside the git of the PATH, then where Git is installed, then the Linux subsystem's", () => {
  const environment = {
    PATH: String.raw`C:\Windows\System32;D:\Tools\Git\cmd`,
    PROGRAMFILES: String.raw`C:\Program Files`,
    LOCALAPPDATA: String.raw`C:\Users\me\AppData\Local`,
    SYSTEMROOT: String.raw`C:\Windows`,
  };
  const places = [
    String.raw`D:\Tools\Git\bin\bash.exe`,
    String.raw`C:\Program Files\Git\bin\bash.exe`,
    String.raw`C:\Users\me\AppData\Local\Programs\Git\bin\bash.exe`,
    String.raw`C:\Windows\System32\bash.exe`,
  ];
  for (const [at, path] of places.entries()) {
    expect(search("win32", environment, places.slice(at))).toEqual({ kind: "found", path });
  }
});

test("none found: the fix fits the system", () => {
  expect(search("win32", {}, [])).toMatchObject({
    kind: "unavailable",
    fix: expect.stringContaining("Git for Windows"),
  });
  expect(search("linux", {}, [])).toMatchObject({
    kind: "unavailable",
    fix: expect.stringContaining("package manager"),
  });
});
