import { expect, test } from "vitest";
import { success } from "../../../base/result.ts";
import { badPath, pathInside } from "./check-path.ts";
import type { PackageEntry } from "./package-file.ts";
import { pickSkill } from "./pick-skill.ts";

const entry = (path: string, more: Partial<PackageEntry> = {}): PackageEntry => ({
  path,
  kind: path.endsWith("/") ? "folder" : "file",
  size: 10,
  isExecutable: false,
  ...more,
});

const pick = (entries: readonly PackageEntry[], folder = "") =>
  pickSkill({
    source: "the package",
    folder,
    listing: { entries, read: (wanted) => Promise.resolve(success(wanted.map(({ path }) => Buffer.from(path)))) },
  });

const paths = async (entries: readonly PackageEntry[], folder = ""): Promise<readonly string[] | string> => {
  const picked = await pick(entries, folder);
  return picked.ok ? picked.value.map(({ path }) => path) : picked.error.code;
};

test("the one skill of a package is found wherever it is, with its own files only", async () => {
  const wrapped = [
    entry("repo-main/"),
    entry("repo-main/README.md"),
    entry("repo-main/s/SKILL.md"),
    entry("repo-main/s/a.txt"),
  ];
  expect(await paths(wrapped)).toEqual(["SKILL.md", "a.txt"]);
  expect(await paths(wrapped, "s")).toEqual(["SKILL.md", "a.txt"]);
  expect(await paths([entry("./SKILL.md"), entry("./x/y.txt")])).toEqual(["SKILL.md", "x/y.txt"]);
  expect(await paths([entry("SKILL.md"), entry("examples/one/SKILL.md")])).toEqual([
    "SKILL.md",
    "examples/one/SKILL.md",
  ]);
});

test("several skills, none, or a folder without one are errors that name what to do", async () => {
  const two = [entry("a/SKILL.md"), entry("b/SKILL.md")];
  expect(await paths(two)).toBe("skills.many_skills_in_package");
  expect((await pick(two)).ok || (await pick(two))).toMatchObject({
    error: { message: expect.stringContaining("a, b") },
  });
  expect(await paths(two, "b")).toEqual(["SKILL.md"]);
  expect(await paths(two, "c")).toBe("skills.no_skill_in_package");
  expect(await paths([entry("README.md")])).toBe("skills.no_skill_in_package");
});

test.each(["../SKILL.md", "s/../../x", "/etc/passwd", "C:/x", "\\\\server\\x", "s\\..\\..\\x", "a/\0b"])(
  "a package with the path %j is refused whole, though the skill itself is fine",
  async (path) => {
    expect(await paths([entry("s/SKILL.md"), entry(path)])).toBe("skills.hostile_package");
  },
);

test.each([
  ["a link", [entry("s/x", { kind: "other", what: "a symbolic link" })]],
  ["a device", [entry("s/x", { kind: "other", what: "a device" })]],
  ["two names that one system takes for one", [entry("s/Readme.md"), entry("s/README.md")]],
  ["two forms of one name", [entry("s/caf\u00e9.md"), entry("s/cafe\u0301.md")]],
  ["folders that differ in case", [entry("s/Data/a"), entry("s/data/b")]],
  ["one name twice", [entry("s/a"), entry("s/a")]],
  ["a file where a folder is", [entry("s/a"), entry("s/a/b")]],
  ["a git folder", [entry("s/.git/config")]],
  ["a device's name", [entry("s/aux.txt")]],
  ["a name with a line break", [entry("s/a\nb")]],
  ["a name whose direction turns", [entry("s/a\u202Egpj.sh")]],
  ["a name that ends in a dot", [entry("s/a.")]],
  ["a stream of Windows", [entry("s/a:b")]],
  ["folders without end", [entry(`s/${"a/".repeat(20)}b`)]],
])("a skill with %s is refused; the same beside the skill is not looked at", async (_, hostile) => {
  expect(await paths([entry("s/SKILL.md"), ...hostile])).toBe("skills.hostile_package");
  const beside = hostile.map((each) => ({ ...each, path: each.path.replace(/^s\//u, "elsewhere/") }));
  expect(await paths([entry("s/SKILL.md"), ...beside])).toEqual(["SKILL.md"]);
});

test("too many files and too many bytes are refused before anything is read", async () => {
  const many = Array.from({ length: 401 }, (_, index) => entry(`s/${index}`));
  expect(await paths([entry("s/SKILL.md"), ...many])).toBe("skills.too_large");
  expect(await paths([entry("s/SKILL.md"), entry("s/big", { size: 21 * 1024 * 1024 })])).toBe("skills.too_large");
});

test("what is allowed stays as it is written", () => {
  for (const path of ["SKILL.md", "references/Über uns.md", "a/b-c_d.e", ".gitignore", "日本語.md"]) {
    expect(pathInside(path)).toEqual({ ok: true, value: path });
    expect(badPath(path)).toBeUndefined();
  }
  expect(pathInside("./a//b/")).toEqual({ ok: true, value: "a/b" });
});
