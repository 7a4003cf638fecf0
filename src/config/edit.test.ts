import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { addToList, type EditTarget, setKey, unsetKey } from "./edit.ts";
import { resolveHome } from "./home.ts";
import { loadConfig } from "./load.ts";

interface Fixture extends AsyncDisposable {
  readonly target: EditTarget;
  readonly config: string;
  readonly env: string;
  readonly write: (text: string | Uint8Array) => void;
  readonly read: () => string;
}

const fixture = (text?: string): Fixture => {
  const temp = createTempDirectory();
  const config = path.join(temp.path, "config.yaml");
  const write = (bytes: string | Uint8Array): void => writeFileSync(config, bytes);
  if (text !== undefined) write(text);
  return {
    target: { home: resolveHome({ environment: { HERMES_HOME: temp.path } }), clock: systemClock },
    config,
    env: path.join(temp.path, ".env"),
    write,
    read: () => readFileSync(config, "utf8"),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

const BROKEN = [
  { what: "a list that never closes", bytes: Buffer.from("model: m1\nlist: [a, b\n"), line: ":2:" },
  { what: "a list at the top", bytes: Buffer.from("- a\n- b\n"), line: ":1:" },
  { what: "a text at the top", bytes: Buffer.from("hello\n"), line: ":1:" },
  { what: "the same key twice", bytes: Buffer.from("model: a\nmodel: b\n"), line: ":2:" },
  { what: "bytes that are no UTF-8", bytes: Buffer.from([0x61, 0x3a, 0x0a, 0xff, 0xfe]), line: ":2:" },
  { what: "a file over a mebibyte", bytes: Buffer.alloc(1024 * 1024 + 1, 0x23), line: "config.yaml: is larger" },
];

test.each(BROKEN)("B64 $what: no edit writes, the bytes stay, the line is named", async ({ bytes, line }) => {
  await using it = fixture();
  it.write(bytes);
  const edits = [
    () => setKey(it.target, "agent.max_turns", "5"),
    () => setKey(it.target, "model", "m2"),
    () => unsetKey(it.target, "model"),
    () => addToList(it.target, "command_allowlist", "git push"),
  ];
  for (const edit of edits) {
    await expect(edit()).rejects.toMatchObject({
      code: "config.broken_file",
      exitCode: 1,
      message: expect.stringContaining(line),
    });
    expect(readFileSync(it.config).equals(bytes)).toBe(true);
  }
  expect(readdirSync(path.dirname(it.config)).toSorted()).toEqual(["config.yaml", "locks"]);
});

test("B64 a config.yaml that is a directory is left alone", async () => {
  await using it = fixture();
  mkdirSync(it.config);
  await expect(setKey(it.target, "model", "m2")).rejects.toMatchObject({ code: "config.broken_file" });
  expect(statSync(it.config).isDirectory()).toBe(true);
});

test("B64 a config.yaml that can't be reached is left alone", async () => {
  await using it = fixture();
  symlinkSync("config.yaml", it.config);
  await expect(setKey(it.target, "model", "m2")).rejects.toMatchObject({
    code: "config.broken_file",
    message: expect.stringContaining("can't be read"),
  });
  expect(lstatSync(it.config).isSymbolicLink()).toBe(true);
});

test.skipIf(process.getuid?.() === 0)(
  "B64 a config.yaml that can't be read is left alone (skipped for root, who can read everything)",
  async () => {
    await using it = fixture("model: m1\n");
    chmodSync(it.config, 0o000);
    await expect(setKey(it.target, "model", "m2")).rejects.toMatchObject({ code: "config.broken_file" });
    chmodSync(it.config, 0o600);
    expect(it.read()).toBe("model: m1\n");
  },
);

test("B64 a .env with a quote that never closes is left alone", async () => {
  await using it = fixture();
  writeFileSync(it.env, 'A="x\n');
  await expect(setKey(it.target, "OPENAI_API_KEY", "k")).rejects.toMatchObject({
    code: "config.cannot_edit",
    message: expect.stringContaining("line 1"),
  });
  expect(readFileSync(it.env, "utf8")).toBe('A="x\n');
});

test.each([
  { key: "agent.max_turns", typed: "12", yaml: "agent:\n  max_turns: 12\n", value: 12 },
  { key: "agent.maxTurns", typed: "12", yaml: "agent:\n  max_turns: 12\n", value: 12 },
  { key: "terminal.timeout", typed: "2.5", yaml: "terminal:\n  timeout: 2.5\n", value: 2.5 },
  { key: "display.streaming", typed: "yes", yaml: "display:\n  streaming: true\n", value: true },
  { key: "display.streaming", typed: "off", yaml: "display:\n  streaming: false\n", value: false },
  { key: "approvals.mode", typed: "off", yaml: 'approvals:\n  mode: "off"\n', value: "off" },
  { key: "approvals.mode", typed: "Smart", yaml: "approvals:\n  mode: smart\n", value: "smart" },
  { key: "agent.system_prompt", typed: "123", yaml: 'agent:\n  system_prompt: "123"\n', value: "123" },
  { key: "agent.system_prompt", typed: "yes", yaml: 'agent:\n  system_prompt: "yes"\n', value: "yes" },
  {
    key: "agent.disabled_toolsets",
    typed: "[web, 'x y']",
    yaml: "agent:\n  disabled_toolsets: [web, x y]\n",
    value: ["web", "x y"],
  },
  {
    key: "command_allowlist.0",
    typed: "git push",
    yaml: "command_allowlist: [git push]\n",
    value: ["git push"],
    at: "command_allowlist",
  },
  { key: "model", typed: "m1", yaml: "model: m1\n", value: "m1", at: "model.default" },
  { key: "model.provider", typed: "p", yaml: "model:\n  provider: p\n", value: "p" },
  { key: "timezone", typed: "Europe/Berlin", yaml: "timezone: Europe/Berlin\n", value: "Europe/Berlin" },
  {
    key: "providers.a.models.gpt-4.1.timeout_seconds",
    typed: "9",
    yaml: "providers:\n  a:\n    models:\n      gpt-4.1:\n        timeout_seconds: 9\n",
    value: 9,
  },
  {
    key: "providers.a.base_url",
    typed: "http://${HOST}/v1",
    yaml: 'providers:\n  a:\n    base_url: "http://${HOST}/v1"\n',
    value: "http://${HOST}/v1",
  },
  { key: "model.max_tokens", typed: "${N}", yaml: 'model:\n  max_tokens: "${N}"\n', value: undefined },
  { key: "file_read_max_chars", typed: "1e3", yaml: "file_read_max_chars: 1000\n", value: 1000 },
])("set $key $typed", async ({ key, typed, yaml, value, at }) => {
  await using it = fixture();
  expect(await setKey(it.target, key, typed)).toMatchObject({ file: it.config, target: "config", isChanged: true });
  expect(it.read()).toBe(yaml);
  expect(statSync(it.config).mode & 0o777).toBe(0o600);
  if (value !== undefined)
    expect(loadConfig({ home: it.target.home, environment: {} }).setting(at ?? key)?.value).toEqual(value);
});

test("set of an open mapping's member keeps the kind of value that was typed", async () => {
  await using it = fixture("providers:\n  a: {base_url: http://a}\n");
  await setKey(it.target, "providers.a.extra_body.top_k", "40");
  await setKey(it.target, "providers.a.extra_body.stop", "[x, y]");
  await setKey(it.target, "providers.a.extra_body.note", "plain");
  expect(loadConfig({ home: it.target.home, environment: {} }).entry("providers", "a")?.extra_body).toEqual({
    top_k: 40,
    stop: ["x", "y"],
    note: "plain",
  });
});

test("model as a text grows into a mapping, and a mapping keeps its other keys", async () => {
  await using it = fixture("model: m1 # mine\n");
  await setKey(it.target, "model.provider", "local");
  expect(it.read()).toBe("model: {default: m1, provider: local} # mine\n");
  await setKey(it.target, "model", "m2");
  expect(it.read()).toBe("model: {default: m2, provider: local} # mine\n");
  await unsetKey(it.target, "model");
  expect(it.read()).toBe("model: {provider: local} # mine\n");
});

test("an alias is set as the file may have it, and grows into a mapping", async () => {
  await using it = fixture("# mine\nmodel_aliases:\n  old: {model: m, provider: p} # kept\n");
  const aliases = (): unknown => loadConfig({ home: it.target.home, environment: {} }).section("model_aliases");
  expect(await setKey(it.target, "model_aliases.fast", "den/qwen/3")).toMatchObject({ key: "model_aliases.fast" });
  await setKey(it.target, "model_aliases.plain", "m5");
  expect(it.read()).toBe(
    "# mine\nmodel_aliases:\n  old: {model: m, provider: p} # kept\n  fast: den/qwen/3\n  plain: m5\n",
  );
  await setKey(it.target, "model_aliases.fast.base_url", "http://den/v1");
  await setKey(it.target, "model_aliases.old", "q/n");
  expect(aliases()).toEqual({
    fast: { model: "qwen/3", provider: "den", base_url: "http://den/v1" },
    old: { model: "n", provider: "q" },
    plain: { model: "m5" },
  });
  await unsetKey(it.target, "model_aliases.fast");
  expect(aliases()).not.toHaveProperty("fast");
  const before = it.read();
  for (const [key, typed] of [
    ["model_aliases.none", ""],
    ["model_aliases", "den/x"],
    ["providers.den", "http://den/v1"],
  ] as const) {
    await expect(setKey(it.target, key, typed)).rejects.toMatchObject({ code: "config.bad_value" });
  }
  expect(it.read()).toBe(before);
});

test("a key that stands there in another spelling is changed where it stands, and taken out in every spelling", async () => {
  await using it = fixture(
    "model:\n  model: m1\nproviders:\n  a:\n    url: http://old # mine\n    baseUrl: http://older\n    name: A\n",
  );
  await setKey(it.target, "providers.a.base_url", "http://new");
  await setKey(it.target, "model", "m2");
  expect(it.read()).toBe(
    "model:\n  model: m2\nproviders:\n  a:\n    url: http://new # mine\n    baseUrl: http://older\n    name: A\n",
  );
  await unsetKey(it.target, "providers.a.base_url");
  expect(it.read()).toBe("model:\n  model: m2\nproviders:\n  a:\n    name: A\n");
});

test("an entry of the older list custom_providers is changed in that list", async () => {
  await using it = fixture("custom_providers:\n  - name: My Box\n    base_url: http://box/v1\n    api_key: k\n");
  await setKey(it.target, "providers.my-box.base_url", "http://new/v1");
  await setKey(it.target, "custom_providers.0.context_length", "9");
  expect(it.read()).toBe(
    "custom_providers:\n  - name: My Box\n    base_url: http://new/v1\n    api_key: k\n    context_length: 9\n",
  );
});

test.each([
  { key: "agent.max_turn", typed: "5", code: "config.unknown_key", hint: "agent.max_turns" },
  { key: "max_turns", typed: "5", code: "config.unknown_key", hint: "agent.max_turns" },
  { key: "providers.a.base_ur", typed: "x", code: "config.unknown_key", hint: "providers.a.base_url" },
  { key: "HERMES_MAX_ITERATION", typed: "5", code: "config.unknown_key", hint: "HERMES_MAX_ITERATIONS" },
  { key: "agent..max_turns", typed: "5", code: "config.unknown_key" },
  { key: "__proto__.x", typed: "5", code: "config.unknown_key" },
  { key: "telegram.reactions", typed: "true", code: "config.unknown_key" },
  { key: "agent.gateway_timeout", typed: "5", code: "config.not_in_this_version" },
  { key: "browser.engine", typed: "chrome", code: "config.not_in_this_version" },
  { key: "providers.a.key_cmd", typed: "x", code: "config.not_in_this_version" },
  { key: "environment.request_timeout_seconds", typed: "5", code: "config.only_variable", hint: "HERMES_API_TIMEOUT" },
  { key: "agent", typed: "5", code: "config.bad_value" },
  { key: "agent.max_turns", typed: "many", code: "config.bad_value" },
  { key: "agent.max_turns", typed: "0", code: "config.bad_value" },
  { key: "agent.max_turns", typed: "1.5", code: "config.bad_value" },
  { key: "terminal.timeout", typed: "0", code: "config.bad_value" },
  { key: "terminal.timeout", typed: "true", code: "config.bad_value" },
  { key: "terminal.timeout", typed: "inf", code: "config.bad_value" },
  { key: "terminal.backend", typed: "docker", code: "config.bad_value" },
  { key: "display.streaming", typed: "maybe", code: "config.bad_value" },
  { key: "timezone", typed: "Mars/Olympus", code: "config.bad_value" },
  { key: "model.base_url", typed: "box:80", code: "config.bad_value" },
  { key: "command_allowlist.5", typed: "x", code: "config.cannot_edit" },
  { key: "HERMES_API_TIMEOUT", typed: "-1", code: "config.bad_value" },
])("set $key $typed is refused ($code), nothing is written", async ({ key, typed, code, hint }) => {
  const text = "# mine\nagent: {max_turns: 3}\nproviders: {a: {base_url: http://a}}\n";
  await using it = fixture(text);
  await expect(setKey(it.target, key, typed)).rejects.toMatchObject({
    code,
    exitCode: 1,
    ...(hint === undefined ? {} : { hint: expect.stringContaining(hint) }),
  });
  expect(it.read()).toBe(text);
  expect(existsSync(it.env)).toBe(false);
});

test("unset takes a key that nothing reads, and says when there is nothing to take", async () => {
  await using it = fixture("browser: {engine: auto}\nmodel: m1\ntypo_key: 1\n");
  await unsetKey(it.target, "browser.engine");
  await unsetKey(it.target, "typo_key");
  expect(it.read()).toBe("model: m1\n");
  await expect(unsetKey(it.target, "agent.max_turns")).rejects.toMatchObject({ code: "config.not_set" });
  await expect(unsetKey(it.target, "agent.max_turn")).rejects.toMatchObject({ code: "config.unknown_key" });
  await expect(unsetKey(it.target, "OPENAI_API_KEY")).rejects.toMatchObject({ code: "config.not_set" });
});

test.each([
  ["OPENAI_API_KEY", "OPENAI_API_KEY"],
  ["openai_api_key", "OPENAI_API_KEY"],
  ["SUDO_PASSWORD", "SUDO_PASSWORD"],
  ["my_bot_token", "MY_BOT_TOKEN"],
  ["TERMINAL_SSH_HOST", "TERMINAL_SSH_HOST"],
  ["OPENAI_BASE_URL", "OPENAI_BASE_URL"],
])("set %s goes to .env, for the owner alone, and nowhere else", async (key, name) => {
  await using it = fixture();
  writeFileSync(it.env, "# keys\nexport OTHER=1\n", { mode: 0o644 });
  const outcome = await setKey(it.target, key, "sk 'odd' $value");
  expect(outcome).toEqual({ key: name, file: it.env, target: ".env", isChanged: true });
  expect(readFileSync(it.env, "utf8")).toContain("# keys\nexport OTHER=1\n");
  expect(statSync(it.env).mode & 0o777).toBe(0o600);
  expect(existsSync(it.config)).toBe(false);
  expect(loadConfig({ home: it.target.home, environment: {} }).secret(name)).toBe("sk 'odd' $value");
  await unsetKey(it.target, key);
  expect(readFileSync(it.env, "utf8")).toBe("# keys\nexport OTHER=1\n");
});

test("${VAR} is never written back as its value", async () => {
  const text = "model:\n  api_key: ${BOX_KEY} # from .env\n  base_url: http://${HOST}/v1\n";
  await using it = fixture(text);
  writeFileSync(it.env, "BOX_KEY=s3cret-value\nHOST=box\n", { mode: 0o600 });
  await setKey(it.target, "model.max_tokens", "5");
  expect(it.read()).toBe(`${text}  max_tokens: 5\n`);
  await setKey(it.target, "display.streaming", "true");
  await unsetKey(it.target, "model.max_tokens");
  expect(it.read()).toBe(`${text}display:\n  streaming: true\n`);
  expect(it.read()).not.toContain("s3cret");
});

test("a config.yaml behind a link stays behind it, with its mode", async () => {
  await using it = fixture();
  const real = path.join(path.dirname(it.config), "dotfiles.yaml");
  writeFileSync(real, "model: m1\n");
  chmodSync(real, 0o640);
  symlinkSync(real, it.config);
  await setKey(it.target, "model", "m2");
  expect(readFileSync(real, "utf8")).toBe("model: m2\n");
  expect(statSync(real).mode & 0o777).toBe(0o640);
});

test("setting what is set already writes nothing", async () => {
  await using it = fixture("model: m1\n");
  chmodSync(it.config, 0o400);
  expect(await setKey(it.target, "model", "m1")).toMatchObject({ isChanged: false });
});

test("addToList grows a list in its own layout and adds nothing twice", async () => {
  await using it = fixture("command_allowlist: # mine\n  - git push # ok\n");
  await addToList(it.target, "command_allowlist", "npm publish");
  expect(await addToList(it.target, "command_allowlist", "git push")).toMatchObject({ isChanged: false });
  expect(it.read()).toBe("command_allowlist: # mine\n  - git push # ok\n  - npm publish\n");
  await addToList(it.target, "agent.disabled_toolsets", "web");
  await addToList(it.target, "agent.disabled_toolsets", "file");
  expect(loadConfig({ home: it.target.home, environment: {} }).section("agent").disabled_toolsets).toEqual([
    "web",
    "file",
  ]);
});

const WRITER = `
import { setKey } from ${JSON.stringify(path.join(import.meta.dirname, "edit.ts"))};
import { systemClock } from ${JSON.stringify(path.join(import.meta.dirname, "../base/clock.ts"))};
import { resolveHome } from ${JSON.stringify(path.join(import.meta.dirname, "home.ts"))};
const home = resolveHome({ environment: { HERMES_HOME: process.argv[1] } });
const own = process.argv[2];
for (let index = 0; index < 5; index++) {
  await setKey({ home, clock: systemClock }, \`providers.\${own}\${index}.base_url\`, "http://" + own + index);
  await setKey({ home, clock: systemClock }, \`\${own.toUpperCase()}\${index}_API_KEY\`, own + index);
}
`;

test("two processes that set at once both survive, in both files", async () => {
  await using it = fixture("# shared\nmodel: m1\n");
  const run = async (own: string): Promise<number> => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, it.target.home.path, own], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code]: unknown[] = await once(child, "exit");
    return Number(code);
  };
  expect(await Promise.all([run("left"), run("right")])).toEqual([0, 0]);
  const loaded = loadConfig({ home: it.target.home, environment: {} });
  for (const own of ["left", "right"]) {
    for (const index of [0, 1, 2, 3, 4]) {
      expect(loaded.entry("providers", `${own}${index}`)?.base_url).toBe(`http://${own}${index}`);
      expect(loaded.secret(`${own.toUpperCase()}${index}_API_KEY`)).toBe(`${own}${index}`);
    }
  }
  expect(it.read().startsWith("# shared\nmodel: m1\n")).toBe(true);
});
