import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createScriptedHome } from "../support/scripted-home.ts";

const lines = (text: string): readonly string[] => text.trimEnd().split("\n");

test("R-MONEY-3 context says part by part what a request carries; --json adds up", async () => {
  await using home = await createScriptedHome([{ text: "hello" }]);
  await home.run(["-z", "hi"]);
  const fresh = JSON.parse((await home.run(["context", "--json"])).stdout) as {
    session: string | null;
    used: number;
    window: number;
    parts: { name: string; tokens: number }[];
  };
  expect(fresh).toMatchObject({ session: null, window: 32_000 });
  expect(fresh.parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(fresh.used);
  expect(fresh.parts.map(({ name }) => name)).toContain("tool terminal");
  const [session] = JSON.parse((await home.run(["sessions", "list", "--json"])).stdout) as { id: string }[];
  const used = JSON.parse((await home.run(["context", session?.id ?? "", "--json"])).stdout) as { used: number };
  expect(used.used).toBeGreaterThan(fresh.used);
  expect((await home.run(["context"])).stdout).toMatch(/in all +\d+/);
  expect(JSON.parse((await home.run(["sessions", "list", "--json"])).stdout)).toHaveLength(1);
});

test("doctor finds what is wrong, exits 1 for what is broken, and --fix mends modes", async () => {
  await using home = await createScriptedHome();
  const secrets = join(home.hermesHome, ".env");
  await writeFile(secrets, "SOME_API_KEY=x\n");
  await chmod(secrets, 0o644);
  const found = JSON.parse((await home.run(["doctor", "--json"])).stdout) as {
    ok: boolean;
    findings: { check: string; status: string; message: string }[];
  };
  expect(found.ok).toBe(true);
  expect(found.findings.find(({ check }) => check === "privacy")).toMatchObject({
    status: "warning",
    message: expect.stringContaining(secrets),
  });
  expect(found.findings.find(({ check }) => check === "model")).toMatchObject({
    status: "ok",
    message: expect.stringContaining("scripted-model"),
  });
  expect((await home.run(["doctor", "--fix"])).code).toBe(0);
  expect((await home.run(["doctor"])).stdout).not.toContain("privacy");
  await writeFile(join(home.hermesHome, "config.yaml"), "model: [unclosed\n");
  const broken = await home.run(["doctor"]);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/✗ settings: .*config\.yaml:\d/);
});

test("logs: newest lines, filters, the rotated file, lines of others, list", async () => {
  await using home = await createScriptedHome();
  const folder = join(home.hermesHome, "logs");
  await mkdir(folder, { recursive: true });
  const line = (
    minute: number,
    row: { readonly level: string; readonly message: string; readonly [more: string]: unknown },
  ): string => {
    const time = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    return `${JSON.stringify({ time, component: "agent", pid: 1, ...row })}\n`;
  };
  await writeFile(join(folder, "agent.log.1"), line(0, { level: "info", message: "oldest" }));
  await writeFile(
    join(folder, "agent.log"),
    line(1, { level: "info", message: "older" }) +
      line(2, { level: "error", message: "bad", session: "20260101_000000_abcdef", fields: { code: 7 } }),
  );
  await appendFile(join(folder, "agent.log"), "not json\n" + line(3, { level: "debug", message: "newest" }));
  const shown = async (...args: string[]) => lines((await home.run(["logs", ...args])).stdout);
  expect(await shown()).toHaveLength(5);
  expect((await shown("-n", "2")).map((text) => text.split(" ").at(-1))).toEqual(["json", "newest"]);
  expect(await shown("--level", "warning")).toEqual([expect.stringMatching(/ERROR agent bad code=7$/)]);
  expect(await shown("--session", "20260101")).toHaveLength(1);
  expect(await shown("--component", "cli")).toEqual([""]);
  expect(await shown("--since", "2026-01-01T00:02:30Z")).toEqual([expect.stringContaining("newest")]);
  expect(JSON.parse((await shown("--level", "error", "--json"))[0] ?? "")).toMatchObject({ message: "bad" });
  expect(JSON.parse((await home.run(["logs", "list", "--json"])).stdout)).toMatchObject([
    { name: "agent.log" },
    { name: "agent.log.1" },
  ]);
  expect(await home.run(["logs", "nonsense"])).toMatchObject({ code: 2 });
  expect(await home.run(["logs", "--since", "soon"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--since"),
  });
  expect(await home.run(["logs", "-n", "0"])).toMatchObject({ code: 2 });
});

test("config: where a value comes from, secrets to .env and never shown, unknown and unbuilt keys refused", async () => {
  await using home = await createScriptedHome();
  expect((await home.run(["config", "get", "model.default", "--source"])).stdout).toMatch(
    /scripted-model.*config\.yaml:\d/s,
  );
  expect(
    (await home.run(["config", "get", "model.default", "--source"], { environment: { HERMES_MODEL: "other" } })).stdout,
  ).toMatch(/other.*HERMES_MODEL/s);
  expect(
    await home.run(["config", "set", "OPENROUTER_API_KEY", "-"], { stdin: "sk-or-v1-abcdefabcdef0123\n" }),
  ).toMatchObject({ code: 0, stderr: "" });
  expect(await readFile(join(home.hermesHome, ".env"), "utf8")).toBe("OPENROUTER_API_KEY=sk-or-v1-abcdefabcdef0123\n");
  expect(await home.run(["config", "set", "OPENROUTER_API_KEY"])).toMatchObject({ code: 2, stdout: "" });
  const shown = await home.run(["config", "show", "--json"]);
  expect(shown.stdout).not.toContain("abcdefabcdef0123");
  expect(await home.run(["config", "set", "agent.max_turn", "5"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("agent.max_turns"),
  });
  expect(await home.run(["config", "set", "cron.wrap_response", "true"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing in this version"),
  });
  expect(await home.run(["config", "migrate"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not in this version"),
  });
});

test("version, with --json what it runs on", async () => {
  await using home = await createScriptedHome();
  expect((await home.run(["--version"])).stdout).toMatch(/^hermes \d+\.\d+\.\d+\n$/);
  expect(JSON.parse((await home.run(["version", "--json"])).stdout)).toMatchObject({
    hermes: expect.any(String),
    node: expect.stringMatching(/^\d+/),
    sqlite: expect.any(String),
  });
});

test("the logs tell of every turn, and of a failed one what the provider said", async () => {
  await using home = await createScriptedHome([
    { text: "fine" },
    { status: 400, body: '{"error":{"message":"no such thing"}}' },
  ]);
  expect((await home.run(["-z", "one"])).code).toBe(0);
  expect((await home.run(["logs"])).stdout).toMatch(/turn finished.*completed/s);
  expect((await home.run(["logs", "errors"])).stdout).toBe("");
  expect((await home.run(["-z", "two"])).code).toBe(1);
  expect((await home.run(["logs", "errors"])).stdout).toMatch(/turn failed.*no such thing/s);
});

test("decision 29: a config.yaml that does not parse, or a wrong zone, keeps nobody from looking at what is there", async () => {
  await using home = await createScriptedHome([{ text: "kept words" }]);
  await home.run(["-z", "hello"]);
  const config = join(home.hermesHome, "config.yaml");
  const broken = "model: {default: x\n  bad: [\n";
  const [{ id }] = JSON.parse((await home.run(["sessions", "list", "--json"])).stdout) as [{ id: string }];
  const looks = [
    ["timezone: Mars/Olympus\n", ["logs"]],
    [broken, ["logs"]],
    [broken, ["sessions", "list", "--json"]],
    [broken, ["sessions", "show", id]],
  ] as const;
  for (const [text, args] of looks) {
    await writeFile(config, text);
    const { code, stdout, stderr } = await home.run(args);
    expect([args, code]).toEqual([args, 0]);
    expect(stdout).toMatch(/kept words|hello|turn finished/u);
    expect(stderr).toMatch(/^! [^\n]+config\.yaml:1: [^\n]+; going on with defaults [^\n]+\n$/u);
  }
  expect(await home.run(["sessions", "export", "-"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/kept words/u),
  });
  expect(await home.run(["config", "path"])).toMatchObject({ code: 0, stdout: `${config}\n` });
  expect((await home.run(["config", "check"])).stdout).toContain("config.yaml:1");
  expect((await home.run(["doctor"])).stdout).toContain("✓ database");
  // What needs a setting still stops, and says where the fault is.
  expect(await home.run(["-z", "again"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/config\.yaml:1/u),
  });
});
