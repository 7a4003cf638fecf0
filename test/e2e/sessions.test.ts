import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createScriptedHome, type ScriptedHome } from "../support/scripted-home.ts";

const listed = async (
  home: ScriptedHome,
  ...more: string[]
): Promise<readonly { id: string; title: string | null }[]> =>
  JSON.parse((await home.run(["sessions", "list", "--json", ...more])).stdout) as {
    id: string;
    title: string | null;
  }[];

const homeWithSessions = async (...prompts: string[]): Promise<ScriptedHome> => {
  const home = await createScriptedHome(prompts.map((prompt) => ({ text: `answer to ${prompt}` })));
  for (const prompt of prompts) expect((await home.run(["-z", prompt])).code).toBe(0);
  return home;
};

test("R-SESS-1 a session is renamed, and found by its title; a title belongs to one session", async () => {
  await using home = await homeWithSessions("one", "two");
  const [newer, older] = (await listed(home)).map(({ id }) => id);
  expect(await home.run(["sessions", "rename", older ?? "", "Tide", "tables"])).toMatchObject({
    code: 0,
    stdout: `${older} is now "Tide tables"\n`,
  });
  expect((await home.run(["sessions", "show", "tide tables"])).stdout).toContain("answer to one");
  expect(await home.run(["sessions", "rename", newer ?? "", "Tide tables"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`belongs to session ${older}`),
  });
});

test("a list names a session without a title by how it begins", async () => {
  await using home = await homeWithSessions("plan the\njourney", "two");
  const [newer] = (await listed(home)).map(({ id }) => id);
  await home.run(["sessions", "rename", newer ?? "", "Tide", "tables"]);
  const { stdout } = await home.run(["sessions", "list"]);
  expect(stdout.trimEnd().split("\n").slice(1)).toEqual([
    expect.stringMatching(/ Tide tables$/u),
    expect.stringMatching(/ “plan the journey”$/u),
  ]);
  expect(await listed(home)).toMatchObject([{ opening: "two" }, { opening: "plan the journey", title: null }]);
});

test("sessions are deleted after a yes alone, named once however often, and come back", async () => {
  await using home = await homeWithSessions("one", "two");
  const [id = ""] = (await listed(home)).map((session) => session.id);
  const dry = await home.run(["sessions", "delete", id, id, "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: `Would delete 1 session with 2 messages:\n  ${id}\n` });
  expect(await home.run(["sessions", "delete", id])).toMatchObject({ code: 2, stdout: "" });
  expect(await listed(home)).toHaveLength(2);

  expect((await home.run(["sessions", "delete", id, "--yes"])).stdout).toMatch(/^Deleted 1 session\./);
  expect(await listed(home)).toHaveLength(1);
  expect(await listed(home, "--deleted")).toMatchObject([{ id }]);
  expect(await home.run(["sessions", "show", id])).toMatchObject({ code: 1, stdout: "" });
  expect((await home.run(["sessions", "restore", id])).stdout).toBe("Restored 1 session.\n");
  expect(await listed(home)).toHaveLength(2);
});

test("an export holds every message of every session, readable by the owner alone; a place that cannot be written is said", async () => {
  await using home = await homeWithSessions("one", "two");
  const target = join(home.home, "all.jsonl");
  expect(await home.run(["sessions", "export", target])).toMatchObject({
    code: 0,
    stderr: `2 sessions written to ${target}\n`,
  });
  const text = await readFile(target, "utf8");
  const texts = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.stringify(JSON.parse(line)));
  expect(texts).toEqual([expect.stringContaining("answer to two"), expect.stringContaining("answer to one")]);
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  expect((await home.run(["sessions", "export", "-"])).stdout).toBe(text);

  const nowhere = join(home.home, "no", "such", "folder.jsonl");
  expect(await home.run(["sessions", "export", nowhere])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`${nowhere} cannot be written`),
  });
});
