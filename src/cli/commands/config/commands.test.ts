import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AppError } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { type Environment, readEnvironment } from "../../../config/environment.ts";
import { resolveHome } from "../../../config/home.ts";
import { listVariables } from "../../../config/schema/tree.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { configCheck } from "./check.ts";
import type { ConfigContext } from "./context.ts";
import { configEdit } from "./edit.ts";
import { configGet } from "./get.ts";
import { configEnvPath, configPath } from "./path.ts";
import { configSet, configUnset } from "./set.ts";
import { configShow } from "./show.ts";

// The machine's own settings must not reach the tests; the editor needs its PATH.
const BLANK: Environment = Object.fromEntries(listVariables().map(({ name }) => [name, undefined]));

interface Bench extends AsyncDisposable {
  readonly context: ConfigContext;
  readonly folder: string;
  readonly config: string;
  /** What was printed since the last call. */
  readonly printed: () => string;
}

const bench = (
  files: { readonly config?: string; readonly env?: string } = {},
  environment: Environment = {},
): Bench => {
  const temp = createTempDirectory();
  const config = path.join(temp.path, "config.yaml");
  if (files.config !== undefined) writeFileSync(config, files.config);
  if (files.env !== undefined) writeFileSync(path.join(temp.path, ".env"), files.env, { mode: 0o600 });
  let output = "";
  return {
    context: {
      home: resolveHome({ environment: { HERMES_HOME: temp.path } }),
      environment: { ...readEnvironment(), ...BLANK, ...environment },
      clock: systemClock,
      stdout: (text) => {
        output += text;
      },
    },
    folder: temp.path,
    config,
    printed: () => {
      const text = output;
      output = "";
      return text;
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

const SECRETS = [
  "hunter2-in-address",
  "hunter3-in-body",
  "sk-model-key",
  "sk-provider-key",
  "sk-from-env",
  "sk-in-header",
];
const WITH_SECRETS = {
  config: `model:
  default: m1
  api_key: sk-model-key
providers:
  box:
    api_key: sk-provider-key
    base_url: http://box/\${BOX_KEY}/v1
    extra_body: {user: "\${BOX_KEY}"}
  other:
    base_url: https://me:hunter2-in-address@box/v1
    extra_body: {auth: {api_key: hunter3-in-body}}
`,
  env: "BOX_KEY=sk-from-env\nOPENAI_API_KEY=sk-in-header\n",
};

test("show, get and check print no secret, in text and in JSON", async () => {
  await using it = bench(WITH_SECRETS);
  for (const json of [false, true]) {
    configShow(it.context, { json });
    configCheck(it.context, { json });
    for (const key of [
      "model.api_key",
      "model",
      "providers",
      "providers.box",
      "providers.box.base_url",
      "providers.box.extra_body",
      "providers.other.extra_body",
      "OPENAI_API_KEY",
      "BOX_KEY",
    ]) {
      expect(configGet(it.context, { key, source: true, json })).toBe(0);
    }
    const text = it.printed();
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(text).toContain("«set»");
    expect(text).toContain("m1");
  }
});

test("get says the value, and with --source the file and line", async () => {
  await using it = bench(
    { config: "# c\nagent:\n  max_turns: 5\ncommand_allowlist: [git push]\n" },
    { TERMINAL_CWD: "/srv" },
  );
  const get = (key: string, source = false): string => {
    expect(configGet(it.context, { key, source, json: false })).toBe(0);
    return it.printed();
  };
  expect(get("agent.max_turns")).toBe("5\n");
  expect(get("agent.max_turns", true)).toBe(`5  (from ${it.config}:3)\n`);
  expect(get("agent.maxTurns")).toBe("5\n");
  expect(get("agent.api_max_retries", true)).toBe("3  (default)\n");
  expect(get("terminal.cwd", true)).toBe("/srv  (from the variable TERMINAL_CWD)\n");
  expect(get("command_allowlist")).toBe('["git push"]\n');
  expect(get("model")).toBe("(not set)\n");
  expect(get("OPENAI_API_KEY")).toBe("(not set)\n");
  expect(get("privacy", true)).toBe("privacy.redact_pii = false  (default)\n");
  expect(get("agent", true)).toContain(
    `agent.max_turns = 5  (from ${it.config}:3)\nagent.api_max_retries = 3  (default)\n`,
  );
  expect(get("providers")).toBe("");
});

test("get --json names source, file and line", async () => {
  await using it = bench({ config: "agent: {max_turns: 5}\n" });
  configGet(it.context, { key: "agent.max_turns", source: false, json: true });
  expect(JSON.parse(it.printed())).toEqual({
    key: "agent.max_turns",
    value: 5,
    from: "config",
    file: it.config,
    line: 1,
    secret: false,
  });
  configGet(it.context, { key: "privacy", source: false, json: true });
  expect(JSON.parse(it.printed())).toEqual([
    { key: "privacy.redact_pii", value: false, from: "default", secret: false },
  ]);
});

test("control characters of a value don't reach the terminal", async () => {
  await using it = bench({ config: 'agent: {system_prompt: "a\\e[2Jb"}\n' });
  configGet(it.context, { key: "agent.system_prompt", source: false, json: false });
  configShow(it.context, { json: false });
  expect(it.printed()).not.toContain("\u001b");
});

test.each([
  { key: "agent.max_turn", code: "config.unknown_key" },
  { key: "agnt", code: "config.unknown_key" },
  { key: "browser.engine", code: "config.not_in_this_version" },
  { key: "display.streaming", code: "config.bad_value" },
  { key: "display", code: "config.bad_value" },
  { key: "providers.later.api_mode", code: "config.bad_value" },
])("get $key fails with $code", async ({ key, code }) => {
  await using it = bench({
    config: "display: {streaming: perhaps}\nproviders: {later: {api_mode: telepathy}, fine: {name: F}}\n",
  });
  expect(() => configGet(it.context, { key, source: false, json: false })).toThrow(
    expect.objectContaining({ code, exitCode: 1 }),
  );
  expect(configGet(it.context, { key: "providers.fine.name", source: false, json: false })).toBe(0);
});

test("show lists every setting once, with its source and the files", async () => {
  await using it = bench({ config: "model: m1\nproviders: {a: {models: {m-1.5: {timeout_seconds: 2}}}}\n" });
  configShow(it.context, { json: false });
  const lines = it.printed().split("\n");
  expect(lines).toContain(`model.default = m1  (from ${it.config}:1)`);
  expect(lines).toContain(`providers.a.models.m-1.5.timeout_seconds = 2  (from ${it.config}:2)`);
  expect(lines).toContain("agent.max_turns = 90  (default)");
  const keys = lines.flatMap((line) => (line.includes(" = ") ? [line.split(" = ")[0]] : []));
  expect(new Set(keys).size).toBe(keys.length);
  configShow(it.context, { json: true });
  expect(JSON.parse(it.printed())).toMatchObject({ profile: "default", config: it.config, problems: [] });
});

test("set and unset say what they did and where", async () => {
  await using it = bench({ config: "# mine\n" });
  expect(await configSet(it.context, { key: "agent.maxTurns", value: "5" })).toBe(0);
  expect(it.printed()).toBe(`Set agent.max_turns in ${it.config}\n`);
  await configSet(it.context, { key: "agent.max_turns", value: "5" });
  expect(it.printed()).toBe(`Already set: agent.max_turns in ${it.config}\n`);
  await configSet(it.context, { key: "OPENAI_API_KEY", value: "sk-x" });
  expect(it.printed()).toBe(`Set OPENAI_API_KEY in ${path.join(it.folder, ".env")}\n`);
  expect(await configUnset(it.context, { key: "agent.max_turns" })).toBe(0);
  expect(it.printed()).toBe(`Removed agent.max_turns in ${it.config}\n`);
  expect(readFileSync(it.config, "utf8")).toBe("# mine\n");
});

test("path and env-path name files that need not exist", async () => {
  await using it = bench();
  for (const print of [configPath, configEnvPath]) expect(print(it.context, { json: false })).toBe(0);
  expect(it.printed()).toBe(`${it.config}\n${path.join(it.folder, ".env")}\n`);
  configPath(it.context, { json: true });
  expect(JSON.parse(it.printed())).toEqual({ path: it.config });
});

test("check lists problems with file and line and fails only for errors", async () => {
  await using it = bench({ config: "agent:\n  max_turn: 5\nterminal:\n  timeout: 0\n" });
  expect(configCheck(it.context, { json: false })).toBe(0);
  expect(it.printed().split("\n")).toEqual([
    `warning: ${it.config}:2: there is no setting agent.max_turn; it is passed over (Did you mean agent.max_turns?)`,
    `warning: ${it.config}:4: terminal.timeout must be seconds, more than 0, not 0; the default applies`,
    "",
  ]);
  writeFileSync(it.config, "agent: {max_turns: -1}\n");
  expect(configCheck(it.context, { json: true })).toBe(1);
  expect(JSON.parse(it.printed())).toMatchObject({
    ok: false,
    problems: [{ severity: "error", key: "agent.max_turns", file: it.config, line: 1 }],
  });
  writeFileSync(it.config, "agent: {max_turns: 1}\n");
  expect(configCheck(it.context, { json: false })).toBe(0);
  expect(it.printed()).toMatch(/^No problems in /);
});

test("B64 check, show and get name the line of a broken file and leave its bytes", async () => {
  const text = "model: m1\nlist: [a, b\n";
  await using it = bench({ config: text });
  expect(configCheck(it.context, { json: false })).toBe(1);
  expect(it.printed()).toContain(`error: ${it.config}:2: `);
  const broken = expect.objectContaining({
    code: "config.broken_file",
    exitCode: 1,
    message: expect.stringContaining(`${it.config}:2: `),
  });
  expect(() => configShow(it.context, { json: false })).toThrow(broken);
  expect(() => configGet(it.context, { key: "model", source: false, json: false })).toThrow(broken);
  await expect(configSet(it.context, { key: "model", value: "m2" })).rejects.toThrow(broken);
  await expect(configUnset(it.context, { key: "model" })).rejects.toThrow(broken);
  expect(readFileSync(it.config, "utf8")).toBe(text);
});

/** An editor made of a few lines of JavaScript; `file` is the path of the text. */
const editor = (folder: string, script: string): string => {
  const program = path.join(folder, "my editor.mjs");
  writeFileSync(
    program,
    `import { readFileSync, writeFileSync, rmSync, statSync } from "node:fs";\nconst file = process.argv.at(-1);\n${script}\n`,
  );
  return `"${process.execPath}" "${program}" --wait`;
};

const editing = async (
  files: { readonly config?: string },
  script: string,
): Promise<Bench & { readonly outcome: number | AppError }> => {
  const it = bench(files);
  const context: ConfigContext = {
    ...it.context,
    environment: { ...it.context.environment, EDITOR: editor(it.folder, script) },
  };
  const outcome = await configEdit(context).catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
  return { ...it, outcome };
};

const keptCopy = (outcome: number | AppError): string =>
  /kept in (\S+config\.yaml)/.exec(outcome instanceof AppError ? (outcome.hint ?? "") : "")?.[1] ?? "";

test("edit replaces the file when the new text parses, keeps its mode, and tells of wrong values", async () => {
  await using it = await editing(
    { config: "model: m1\n" },
    `writeFileSync(file, "# new\\nmodel: m2\\nagent: {max_turn: 1}\\n");`,
  );
  expect(it.outcome).toBe(0);
  expect(readFileSync(it.config, "utf8")).toBe("# new\nmodel: m2\nagent: {max_turn: 1}\n");
  expect(it.printed()).toMatch(/^Saved .*\nwarning: .*:3: there is no setting agent\.max_turn/);
  expect(readdirSync(path.join(it.folder, "cache/scratch"))).toEqual([]);
});

test("edit shows the copy to the owner alone and makes a new file so", async () => {
  await using it = await editing(
    {},
    `writeFileSync(file, "model: m" + (statSync(file).mode & 0o777).toString(8) + "\\n");`,
  );
  expect(it.outcome).toBe(0);
  expect(readFileSync(it.config, "utf8")).toBe("model: m600\n");
  expect(statSync(it.config).mode & 0o777).toBe(0o600);
});

test("B64 edit keeps the copy and leaves the file when the new text doesn't parse", async () => {
  await using it = await editing({ config: "model: m1\n" }, `writeFileSync(file, "model: m2\\nlist: [a\\n");`);
  expect(it.outcome).toMatchObject({
    code: "config.edit_rejected",
    exitCode: 1,
    message: expect.stringContaining("line 2 of the new text"),
  });
  expect(readFileSync(it.config, "utf8")).toBe("model: m1\n");
  expect(readFileSync(keptCopy(it.outcome), "utf8")).toBe("model: m2\nlist: [a\n");
});

test("edit repairs a file that doesn't parse", async () => {
  await using it = await editing(
    { config: "model: [m1\n" },
    `writeFileSync(file, readFileSync(file, "utf8").replace("[", ""));`,
  );
  expect(it.outcome).toBe(0);
  expect(readFileSync(it.config, "utf8")).toBe("model: m1\n");
});

test("edit doesn't write over what somebody else saved meanwhile", async () => {
  const script = `import path from "node:path";\nwriteFileSync(path.join(path.dirname(file), "../../../config.yaml"), "model: theirs\\n");\nwriteFileSync(file, "model: mine\\n");`;
  await using other = await editing({ config: "model: m1\n" }, script);
  expect(other.outcome).toMatchObject({ code: "config.edit_rejected", message: expect.stringContaining("meanwhile") });
  expect(readFileSync(other.config, "utf8")).toBe("model: theirs\n");
  expect(readFileSync(keptCopy(other.outcome), "utf8")).toBe("model: mine\n");
});

test.each([
  { what: "fails", script: "process.exitCode = 3;", message: /failed with exit code 3/ },
  {
    what: "is killed",
    script: 'process.kill(process.pid, "SIGKILL");',
    message: /was ended by SIGKILL|failed with exit code 137/,
  },
])("edit changes nothing when the editor $what", async ({ script, message }) => {
  await using it = await editing({ config: "model: m1\n" }, `writeFileSync(file, "model: m2\\n");\n${script}`);
  expect(it.outcome).toMatchObject({
    code: "config.editor_failed",
    exitCode: 1,
    message: expect.stringMatching(message),
  });
  expect(readFileSync(it.config, "utf8")).toBe("model: m1\n");
  expect(existsSync(keptCopy(it.outcome))).toBe(true);
});

test("edit keeps no copy, and speaks of none, when the editor fails before it changed anything", async () => {
  await using it = await editing({ config: "model: m1\n" }, "process.exitCode = 3;");
  expect(it.outcome).toMatchObject({ code: "config.editor_failed", hint: "Choose an editor with $VISUAL or $EDITOR." });
  expect(readdirSync(path.join(it.folder, "cache", "scratch"))).toEqual([]);
});

test("edit says so when nothing was changed, and when the editor took the file away", async () => {
  await using same = await editing({ config: "model: m1\n" }, "");
  expect(same.outcome).toBe(0);
  expect(same.printed()).toMatch(/^No changes; /);
  await using gone = await editing({ config: "model: m1\n" }, "rmSync(file);");
  expect(gone.outcome).toMatchObject({ code: "config.edit_rejected" });
  expect(readFileSync(gone.config, "utf8")).toBe("model: m1\n");
});

test("$VISUAL beats $EDITOR", async () => {
  await using it = bench({ config: "model: m1\n" });
  const visual = editor(it.folder, `writeFileSync(file, "model: visual\\n");`);
  const environment = { ...it.context.environment, VISUAL: visual, EDITOR: "false" };
  expect(await configEdit({ ...it.context, environment })).toBe(0);
  expect(readFileSync(it.config, "utf8")).toBe("model: visual\n");
});

test("a config.yaml that is a directory can't be edited", async () => {
  await using it = bench();
  mkdirSync(it.config);
  chmodSync(it.config, 0o700);
  await expect(configEdit(it.context)).rejects.toMatchObject({ code: "config.broken_file" });
});
