import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { skillText, writeTree } from "../../testing/skill-files.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { findSkills, type SkillRoots, type SkillSet } from "./find-skills.ts";
import { WALK_LIMITS } from "./walk-skill-folders.ts";

const LONG_AFTER = 4_000_000_000_000;

const rig = () => {
  const temp = createTempDirectory();
  const roots: SkillRoots = {
    home: join(temp.path, "home"),
    external: [join(temp.path, "ext-a"), join(temp.path, "ext-b")],
    bundled: join(temp.path, "bundled"),
  };
  for (const root of [roots.home, ...roots.external, roots.bundled ?? ""]) mkdirSync(root);
  const cacheFile = join(temp.path, "cache", "skills_index.json");
  return {
    roots,
    cacheFile,
    home: roots.home,
    find: (now = LONG_AFTER): Promise<SkillSet> => findSkills({ roots, cacheFile, now: () => now }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

const listed = ({ skills }: SkillSet): readonly string[] => skills.map(({ source, name }) => `${source} ${name}`);
const troubles = ({ problems }: SkillSet): readonly string[] => problems.map(({ code }) => code);

test("skills stand in folders and in categories; what is below a skill is the skill's own", async () => {
  await using temp = rig();
  writeTree(temp.home, {
    "plain/SKILL.md": skillText("plain"),
    "office/mail/SKILL.md": skillText("mail"),
    "office/deep/er/SKILL.md": skillText("er"),
    "plain/examples/inner/SKILL.md": skillText("inner"),
    "README.md": "no skill",
    "tagged/SKILL.md": skillText("tagged", { front: "metadata:\n  hermes:\n    category: misc" }),
  });
  const set = await temp.find();
  expect(set.skills.map(({ name, group }) => [name, group])).toEqual([
    ["er", "office/deep"],
    ["mail", "office"],
    ["plain", ""],
    ["tagged", "misc"],
  ]);
  expect(set.problems).toEqual([]);
});

test("the home's skill is used before an external one and both before a bundled one; the others are named", async () => {
  await using temp = rig();
  writeTree(temp.home, { "a/SKILL.md": skillText("a") });
  writeTree(temp.roots.external[0] ?? "", {
    "a/SKILL.md": skillText("a"),
    "b/SKILL.md": skillText("b", { body: "first" }),
  });
  writeTree(temp.roots.external[1] ?? "", { "b/SKILL.md": skillText("b", { body: "second" }) });
  writeTree(temp.roots.bundled ?? "", { "a/SKILL.md": skillText("a"), "c/SKILL.md": skillText("c") });
  const set = await temp.find();
  expect(listed(set)).toEqual(["home a", "external b", "bundled c"]);
  expect(set.skills[1]?.directory).toBe(join(temp.roots.external[0] ?? "", "b"));
  expect(set.shadowed.map(({ skill, by }) => `${skill.source} ${skill.name} by ${by.source}`)).toEqual([
    "external a by home",
    "external b by external",
    "bundled a by home",
  ]);
});

test("hidden folders and node_modules are passed over", async () => {
  await using temp = rig();
  const hidden = [".hub/quarantine/a", ".archive/b", ".curator_backups/c", ".pending/d", "node_modules/e", "x/.git/f"];
  writeTree(temp.home, Object.fromEntries(hidden.map((path) => [`${path}/SKILL.md`, skillText("a")])));
  expect((await temp.find()).skills).toEqual([]);
});

test("loops of links end, a folder that two ways lead to counts once, and a linked folder is read", async () => {
  await using temp = rig();
  writeTree(temp.roots.bundled ?? "", { "real/SKILL.md": skillText("real") });
  writeTree(temp.home, { "box/own/SKILL.md": skillText("own") });
  symlinkSync(temp.home, join(temp.home, "box", "loop"));
  symlinkSync("self", join(temp.home, "self"));
  symlinkSync(join(temp.home, "box"), join(temp.home, "twice"));
  symlinkSync(join(temp.roots.bundled ?? "", "real"), join(temp.home, "linked"));
  const set = await temp.find();
  expect(listed(set)).toEqual(["home own", "home real"]);
  expect(set.shadowed).toEqual([]);
  expect(troubles(set)).toContain("skill.unreadable"); // the link that leads to itself
});

test("a SKILL.md that is a link to elsewhere is not read, and that is said", async () => {
  await using temp = rig();
  writeTree(temp.home, { "inner/real.md": skillText("inner"), "thief/x.txt": "" });
  const secret = join(temp.home, "..", "secret.md");
  writeFileSync(secret, skillText("secret", { body: "the key is 1234" }));
  symlinkSync(secret, join(temp.home, "thief", "SKILL.md"));
  symlinkSync("real.md", join(temp.home, "inner", "SKILL.md"));
  const set = await temp.find();
  expect(listed(set)).toEqual(["home inner"]);
  expect(set.problems).toEqual([
    expect.objectContaining({ code: "skill.leads_outside", file: join(temp.home, "thief", "SKILL.md") }),
  ]);
});

test("a file of 10 MB, one that is no skill, and a folder in place of a file are named and do not keep others out", async () => {
  await using temp = rig();
  writeTree(temp.home, {
    "big/SKILL.md": skillText("big", { body: "x".repeat(10_000_000) }),
    "broken/SKILL.md": "no front matter",
    "fine/SKILL.md": skillText("fine"),
    "bytes/SKILL.md": skillText("bytes"),
  });
  writeFileSync(join(temp.home, "bytes", "SKILL.md"), Buffer.from(skillText("bytes", { body: "caf\u00e9" }), "latin1"));
  mkdirSync(join(temp.home, "folder", "SKILL.md"), { recursive: true });
  const set = await temp.find();
  expect(listed(set)).toEqual(["home bytes", "home fine"]);
  expect(troubles(set)).toEqual(["skill.too_large", "skill.no_front_matter", "skill.not_utf8"]);
});

test("skill.md in small letters is read, and the capital one before it (test_find_skill_md_*)", async () => {
  await using temp = rig();
  writeTree(temp.home, { "small/skill.md": skillText("small"), "none/other.md": "x" });
  writeTree(temp.home, { "both/skill.md": skillText("both", { description: "small" }) });
  writeTree(temp.home, { "both/SKILL.md": skillText("both", { description: "capital" }) });
  const set = await temp.find();
  expect(set.skills.map(({ name, description }) => [name, description])).toEqual([
    ["both", "capital"],
    ["small", "Does small. Use when small is wanted."],
  ]);
});

test("too deep is said, too many ends the walk", async () => {
  await using temp = rig();
  writeTree(temp.home, { "1/2/3/4/5/SKILL.md": skillText("deep"), "1/2/3/4/SKILL.md": skillText("4") });
  rmSync(join(temp.home, "1/2/3/4/SKILL.md"));
  expect(troubles(await temp.find())).toEqual(["skill.too_deep"]);
  for (let count = 0; count <= WALK_LIMITS.folders; count += 1) mkdirSync(join(temp.home, `empty-${count}`));
  const set = await temp.find();
  expect(troubles(set).filter((code) => code === "skill.too_many")).toHaveLength(1);
});

test("missing folders have no skills and no problems", async () => {
  await using temp = rig();
  rmSync(temp.home, { recursive: true });
  expect(await temp.find()).toMatchObject({ skills: [], problems: [] });
});

test("500 skills: the second look reads no file, and after one change one", async () => {
  await using temp = rig();
  const names = Array.from({ length: 500 }, (_, index) => `skill-${index}`);
  writeTree(
    temp.home,
    Object.fromEntries(names.map((name) => [`group-${name.at(-1)}/${name}/SKILL.md`, skillText(name)])),
  );
  expect(await temp.find()).toMatchObject({ filesRead: 500 });
  const again = await temp.find();
  expect(again.filesRead).toBe(0);
  expect(again.skills).toHaveLength(500);
  const changed = join(temp.home, "group-7", "skill-7", "SKILL.md");
  writeFileSync(changed, skillText("skill-7", { description: "Does other things." }));
  rmSync(join(temp.home, "group-8", "skill-8"), { recursive: true });
  const third = await temp.find();
  expect(third.filesRead).toBe(1);
  expect(third.skills.find(({ name }) => name === "skill-7")?.description).toBe("Does other things.");
  expect(third.skills).toHaveLength(499);
  expect(Object.keys((JSON.parse(readFileSync(temp.cacheFile, "utf8")) as { files: object }).files)).toHaveLength(499);
});

test("what changed just now is read again; a changed file with the time of the old one is noticed", async () => {
  await using temp = rig();
  writeTree(temp.home, { "a/SKILL.md": skillText("a", { description: "One." }) });
  const file = join(temp.home, "a", "SKILL.md");
  expect((await temp.find(systemClock.now())).filesRead).toBe(1);
  expect((await temp.find(systemClock.now())).filesRead).toBe(1);
  const old = new Date(1_600_000_000_000);
  utimesSync(file, old, old);
  expect((await temp.find()).filesRead).toBe(1);
  writeFileSync(file, skillText("a", { description: "Two." }));
  utimesSync(file, old, old);
  const set = await temp.find();
  expect(set.skills[0]?.description).toBe("Two.");
});

test("a folder that moves is found where it is", async () => {
  await using temp = rig();
  writeTree(temp.home, { "one/a/SKILL.md": skillText("a") });
  await temp.find();
  renameSync(join(temp.home, "one"), join(temp.home, "two"));
  expect((await temp.find()).skills.map(({ group }) => group)).toEqual(["two"]);
});

test.each(["", "{", '{"version":1,"files":{"x":1}}', '{"version":0,"files":{}}', "[]"])(
  "a cache that says %j is no cache",
  async (text) => {
    await using temp = rig();
    writeTree(temp.home, { "a/SKILL.md": skillText("a") });
    writeTree(join(temp.cacheFile, ".."), { "skills_index.json": text });
    expect(await temp.find()).toMatchObject({ filesRead: 1, skills: [{ name: "a" }] });
    expect((await temp.find()).filesRead).toBe(0);
  },
);

test("a cache that cannot be written costs reading, nothing else", async () => {
  await using temp = rig();
  writeTree(temp.home, { "a/SKILL.md": skillText("a") });
  writeFileSync(join(temp.cacheFile, "..", "..", "cache"), "a file");
  expect((await temp.find()).skills).toHaveLength(1);
});
