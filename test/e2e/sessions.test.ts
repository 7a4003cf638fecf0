import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { withProcessLock } from "../../src/base/process-lock.ts";
import { createPythonState } from "../../src/testing/python-state.ts";
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

test("B27, B28: what was said is found from the command line, by words and filters, and nothing typed is an error", async () => {
  await using home = await homeWithSessions("plan the night-shift", "关于潮汐记录");
  const [newer = "", older = ""] = (await listed(home)).map(({ id }) => id);
  const found = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.run(["sessions", "search", "--json", ...args]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as { hits: { session_id: string; role: string; snippet: string; context: unknown[] }[] };
  };
  expect((await found("night-shift", "--role", "user", "--context", "1")).hits).toMatchObject([
    {
      session_id: older,
      role: "user",
      seq: 1,
      snippet: "plan the >>>night-shift<<<",
      context: [{ seq: 2, role: "assistant" }],
    },
  ]);
  expect((await found("潮汐", "--sort", "oldest")).hits.map(({ session_id: id, role }) => [id, role])).toEqual([
    [newer, "user"],
    [newer, "assistant"],
  ]);
  expect((await found("answer", "--session", older)).hits).toHaveLength(1);
  expect((await found("answer", "--until", "yesterday")).hits).toEqual([]);
  await found('a"b NEAR( AND *');
  expect((await home.run(["sessions", "search", "--", "-x"])).stdout).toBe("Nothing found.\n");
  expect((await home.run(["sessions", "search", "shift"])).stdout).toContain(`${older}  cli  (untitled)\n  #1 `);
  expect(await home.run(["sessions", "search", "x", "--since", "soon"])).toMatchObject({ code: 2, stdout: "" });
});

test("one session is exported by its name, as the format that its file means, or to standard output", async () => {
  await using home = await homeWithSessions("<b>one</b>", "two");
  const [, older = ""] = (await listed(home)).map(({ id }) => id);
  const page = join(home.home, "one.html");
  expect(await home.run(["sessions", "export", older, "-o", page])).toMatchObject({
    code: 0,
    stderr: `1 session written to ${page}\n`,
  });
  expect(await readFile(page, "utf8")).toContain("&lt;b&gt;one&lt;/b&gt;");
  expect((await home.run(["sessions", "export", `[${older}]`, "--format", "markdown"])).stdout).toContain("<b>one</b>");
  expect((await home.run(["sessions", "export", "-", "--session-id", older])).stdout).toContain(older);
  expect(await home.run(["sessions", "export"])).toMatchObject({ code: 2, stdout: "" });
  expect(await home.run(["sessions", "export", "nothing", "-o", page])).toMatchObject({ code: 1, stdout: "" });
  expect(await readFile(page, "utf8")).toContain("&lt;b&gt;one&lt;/b&gt;");
});

test("sessions of the Python system are copied, once, and say where they came from", async () => {
  await using home = await homeWithSessions("one");
  const path = join(home.hermesHome, "state.db");
  using state = createPythonState(path);
  state.session({
    id: "20231114_221320_abcdef",
    title: "Tide tables",
    end_reason: "compression",
    ended_at: 1_700_000_100,
  });
  state.session({
    id: "20231114_221500_fedcba",
    parent_session_id: "20231114_221320_abcdef",
    started_at: 1_700_000_100,
  });
  state.session({ id: "no good" });
  state.message({ session_id: "20231114_221320_abcdef", role: "user", content: "high tide?" });
  state.message({ session_id: "20231114_221500_fedcba", role: "user", content: "summary", timestamp: 1_700_000_101 });
  const first = await home.run(["sessions", "import", "--json"]);
  expect(JSON.parse(first.stdout)).toMatchObject({
    dry_run: false,
    done: [{ id: "20231114_221320_abcdef", messages: 1, title: "Tide tables" }, { id: "20231114_221500_fedcba" }],
    skipped: [],
    failed: [{ id: "no good" }],
  });
  expect((await home.run(["sessions", "import", "--from", home.hermesHome])).stdout).toContain(
    "2 skipped (2: it is here already)",
  );
  const shown = JSON.parse(
    (await home.run(["sessions", "show", "Tide tables", "--lineage", "--json"])).stdout,
  ) as object;
  expect(shown).toMatchObject({
    id: "20231114_221500_fedcba",
    rotated_from: "20231114_221320_abcdef",
    lineage: ["20231114_221320_abcdef", "20231114_221500_fedcba"],
    transcript: [{ parts: [{ text: "high tide?" }] }, { parts: [{ text: "summary" }] }],
  });
  expect((await listed(home)).find(({ id }) => id === "20231114_221320_abcdef")).toMatchObject({
    children: ["20231114_221500_fedcba"],
    rotated_from: null,
  });
  expect(await home.run(["sessions", "import", "--from", join(home.home, "none.db")])).toMatchObject({
    code: 1,
    stdout: "",
  });
});

test("one import at a time: a second one names the first, and a deletion leaves what is coming in alone", async () => {
  await using home = await homeWithSessions("one");
  using state = createPythonState(join(home.hermesHome, "state.db"));
  state.session({ id: "s1" });
  state.message({ session_id: "s1", role: "user", content: "high tide?" });
  const [id = ""] = (await listed(home)).map((session) => session.id);
  const lock = { directory: join(home.hermesHome, "locks"), name: "session-import", clock: systemClock };
  await withProcessLock(lock, async () => {
    expect(await home.run(["sessions", "import"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`process ${process.pid}`),
    });
    expect((await home.run(["sessions", "import", "--dry-run"])).code).toBe(0);
    expect((await home.run(["sessions", "delete", id, "--yes"])).code).toBe(0);
  });
  expect((await home.run(["sessions", "import"])).stdout).toContain("Copied 1 session");
});
