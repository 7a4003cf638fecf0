import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { ensureHome, homePaths, isPythonHome, listProfileNames, resolveHome } from "./home.ts";
import { isProfileName } from "./profile-name.ts";

const addProfile = (root: string, name: string): string => {
  const folder = path.join(root, "profiles", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "SOUL.md"), "");
  return folder;
};

test("the home is $HERMES_HOME, else ~/.hermes of the given environment", () => {
  expect(resolveHome({ environment: { HOME: "/home/ann" } })).toEqual({
    root: "/home/ann/.hermes",
    path: "/home/ann/.hermes",
    profile: { kind: "default" },
  });
  expect(resolveHome({ environment: { HOME: "/home/ann", HERMES_HOME: "" } }).path).toBe("/home/ann/.hermes");
  expect(resolveHome({ environment: { HOME: "/home/ann", HERMES_HOME: "~/agents/a" } }).path).toBe(
    "/home/ann/agents/a",
  );
  expect(resolveHome({ environment: { HERMES_HOME: "/srv/hermes/../h" } }).path).toBe("/srv/h");
});

test("a HERMES_HOME under profiles/ is that profile; -p beats it; the sticky profile is for the root home", async () => {
  await using temp = createTempDirectory();
  const work = addProfile(temp.path, "work");
  addProfile(temp.path, "play");
  writeFileSync(path.join(temp.path, "active_profile"), "play\n");
  const named = (name: string) => ({
    root: temp.path,
    path: path.join(temp.path, "profiles", name),
    profile: { kind: "named", name },
  });

  expect(resolveHome({ environment: { HERMES_HOME: temp.path } })).toEqual(named("play"));
  expect(resolveHome({ environment: { HERMES_HOME: temp.path }, profile: "work" })).toEqual(named("work"));
  expect(resolveHome({ environment: { HERMES_HOME: temp.path }, profile: "default" }).path).toBe(temp.path);
  expect(resolveHome({ environment: { HERMES_HOME: work } })).toEqual(named("work"));
  expect(resolveHome({ environment: { HERMES_HOME: work }, profile: "play" })).toEqual(named("play"));
  expect(resolveHome({ environment: { HERMES_HOME: work }, profile: "default" }).path).toBe(temp.path);
});

test("a profile that isn't there is refused, with the ones that are", async () => {
  await using temp = createTempDirectory();
  addProfile(temp.path, "work");
  mkdirSync(path.join(temp.path, "profiles", "empty"));
  const environment = { HERMES_HOME: temp.path };
  expect(listProfileNames(temp.path)).toEqual(["work"]);
  expect(() => resolveHome({ environment, profile: "empty" })).toThrow(
    expect.objectContaining({ code: "config.no_such_profile", hint: expect.stringContaining("work") }),
  );
  writeFileSync(path.join(temp.path, "active_profile"), "gone");
  expect(() => resolveHome({ environment })).toThrow(/active_profile names the profile gone/);
});

test("R-SVC-1 names of profiles", () => {
  for (const name of ["a", "0", "work", "my-agent_2", "a".repeat(64)]) expect(isProfileName(name), name).toBe(true);
  const refused = [
    "",
    "Work",
    "my agent",
    "-a",
    "_a",
    "a/b",
    "a\\b",
    "..",
    "a..b",
    "default",
    "a".repeat(65),
    "nul",
    "com1",
    "a\n",
    "é",
    "a:b",
  ];
  for (const name of refused) {
    expect(isProfileName(name), name).toBe(false);
    if (name !== "default") {
      expect(() => resolveHome({ environment: { HERMES_HOME: "/h" }, profile: name })).toThrow(
        expect.objectContaining({
          code: "config.bad_profile_name",
          exitCode: 2,
          message: expect.stringContaining("lower-case letters"),
        }),
      );
    }
  }
});

test("ensureHome makes folders for the owner alone and keeps the mode of what exists", async () => {
  await using temp = createTempDirectory();
  const home = resolveHome({ environment: { HERMES_HOME: path.join(temp.path, "new", "home") } });
  ensureHome(home, ["locks", "scratch"]);
  const paths = homePaths(home);
  for (const folder of [home.path, paths.locks, paths.cache, paths.scratch])
    expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
  mkdirSync(paths.logs, { mode: 0o755 });
  const before = statSync(paths.logs).mode;
  ensureHome(home, ["logs"]);
  expect(statSync(paths.logs).mode).toBe(before);
  writeFileSync(paths.blobs, "");
  expect(() => ensureHome(home, ["blobs"])).toThrow(expect.objectContaining({ code: "config.home_not_a_directory" }));
});

test.skipIf(process.platform !== "linux")(
  "a home that cannot be made is refused with the reason, not waited for",
  () => {
    const home = resolveHome({ environment: { HERMES_HOME: "/proc/no-such-home/inner" } });
    expect(() => ensureHome(home)).toThrow(
      expect.objectContaining({ code: "config.home_unusable", message: expect.stringContaining("ENOENT") }),
    );
  },
);

test("a home of the Python system is known by state.db without hermes.db", async () => {
  await using temp = createTempDirectory();
  const home = resolveHome({ environment: { HERMES_HOME: temp.path } });
  expect(isPythonHome(home)).toBe(false);
  writeFileSync(homePaths(home).pythonDatabase, "");
  expect(isPythonHome(home)).toBe(true);
  writeFileSync(homePaths(home).database, "");
  expect(isPythonHome(home)).toBe(false);
});
