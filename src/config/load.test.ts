import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import type { Environment } from "./environment.ts";
import { type Home, resolveHome } from "./home.ts";
import { type LoadedConfig, loadConfig } from "./load.ts";
import type { FlagOverrides } from "./overrides.ts";
import { configSchema, SECTION_NAMES } from "./schema/config.ts";

interface Given {
  readonly config?: string | Uint8Array;
  readonly env?: string;
  readonly environment?: Environment;
  readonly flags?: FlagOverrides;
}

const prepare = (folder: string, { config, env }: Given): Home => {
  if (config !== undefined) writeFileSync(path.join(folder, "config.yaml"), config);
  if (env !== undefined) writeFileSync(path.join(folder, ".env"), env, { mode: 0o600 });
  return resolveHome({ environment: { HERMES_HOME: folder } });
};

const withConfig = async (given: Given, check: (loaded: LoadedConfig, folder: string) => void): Promise<void> => {
  await using temp = createTempDirectory();
  const home = prepare(temp.path, given);
  check(loadConfig({ home, environment: given.environment ?? {}, flags: given.flags }), temp.path);
};

const problemsOf = (loaded: LoadedConfig) =>
  loaded.problems.map(({ severity, code, key, line }) => [severity, code, key, line]);

test("an empty home has the defaults of the reference and no problems", async () => {
  await withConfig({}, (loaded) => {
    expect(loaded.problems).toEqual([]);
    const defaults = configSchema.parse({});
    for (const name of SECTION_NAMES) expect(loaded.section(name)).toEqual(defaults[name]);
    expect(loaded.section("agent").max_turns).toBe(90);
    expect(loaded.setting("agent.max_turns")).toEqual({
      key: "agent.max_turns",
      value: 90,
      from: "default",
      isSecret: false,
    });
  });
});

// One row a layer: each adds a stronger one, so each must win over all before it.
test.each([
  { given: {}, value: 90, from: "default" },
  { given: { env: "# k\nHERMES_MAX_ITERATIONS=11\n" }, value: 11, from: ".env", line: 2 },
  {
    given: { env: "HERMES_MAX_ITERATIONS=11\n", config: "\nagent:\n  max_turns: 12\n" },
    value: 12,
    from: "config",
    line: 3,
  },
  {
    given: {
      env: "HERMES_MAX_ITERATIONS=11\n",
      config: "agent: {max_turns: 12}\n",
      environment: { HERMES_MAX_ITERATIONS: "13" },
    },
    value: 13,
    from: "env",
  },
  {
    given: {
      env: "HERMES_MAX_ITERATIONS=11\n",
      config: "agent: {max_turns: 12}\n",
      environment: { HERMES_MAX_ITERATIONS: "13" },
      flags: { "agent.max_turns": 14 },
    },
    value: 14,
    from: "flag",
  },
])("precedence: $from wins with $value", async ({ given, value, from, line }) => {
  await withConfig(given, (loaded, folder) => {
    expect(loaded.section("agent").max_turns).toBe(value);
    const setting = loaded.setting("agent.max_turns");
    expect(setting).toMatchObject({ value, from });
    expect(setting?.line).toBe(line);
    const file = { config: "config.yaml", ".env": ".env" }[from];
    expect(setting?.file).toBe(file === undefined ? undefined : path.join(folder, file));
  });
});

test.each([
  { name: "HERMES_MODEL", text: "m9", key: "model.default", value: "m9" },
  { name: "HERMES_INFERENCE_MODEL", text: "m8", key: "model.default", value: "m8" },
  { name: "HERMES_API_TIMEOUT", text: "300", key: "environment.request_timeout_seconds", value: 300 },
  { name: "HERMES_API_CALL_STALE_TIMEOUT", text: "45.5", key: "environment.stale_timeout_seconds", value: 45.5 },
  { name: "HERMES_REDACT_SECRETS", text: "false", key: "security.redact_secrets", value: false },
  { name: "HERMES_YOLO_MODE", text: "1", key: "approvals.mode", value: "off" },
  { name: "HERMES_YOLO_MODE", text: "0", key: "approvals.mode", value: "manual" },
  { name: "HERMES_TIMEZONE", text: "Europe/Berlin", key: "timezone", value: "Europe/Berlin" },
  { name: "TERMINAL_CWD", text: "/srv", key: "terminal.cwd", value: "/srv" },
  { name: "TERMINAL_TIMEOUT", text: "20", key: "terminal.timeout", value: 20 },
])("the variable $name=$text gives $key", async ({ name, text, key, value }) => {
  await withConfig({ environment: { [name]: text } }, (loaded) => {
    expect(loaded.problems).toEqual([]);
    expect(loaded.setting(key)?.value).toBe(value);
  });
});

test("HERMES_INFERENCE_MODEL beats HERMES_MODEL", async () => {
  await withConfig({ environment: { HERMES_MODEL: "weak", HERMES_INFERENCE_MODEL: "strong" } }, (loaded) => {
    expect(loaded.section("model").default).toBe("strong");
  });
});

test("HERMES_IGNORE_USER_CONFIG leaves config.yaml out, .env not; the flag beats the variable", async () => {
  const given = { config: "agent: [broken", env: "K=1\nHERMES_TIMEZONE=UTC\n" };
  await withConfig({ ...given, environment: { HERMES_IGNORE_USER_CONFIG: "1" } }, (loaded) => {
    expect(loaded.section("agent").max_turns).toBe(90);
    expect(loaded.section("timezone")).toBe("UTC");
    expect(loaded.secret("K")).toBe("1");
    expect(loaded.problems).toEqual([]);
  });
  await withConfig({ ...given, flags: { "environment.ignore_user_config": true } }, (loaded) => {
    expect(loaded.section("environment").ignore_user_config).toBe(true);
    expect(loaded.section("agent").max_turns).toBe(90);
  });
  const forced = {
    ...given,
    environment: { HERMES_IGNORE_USER_CONFIG: "1" },
    flags: { "environment.ignore_user_config": false },
  };
  await withConfig(forced, (loaded) => {
    expect(() => loaded.section("agent")).toThrow();
  });
});

const BAD_SECONDS = ["0", "-3", ".inf", "-.inf", ".nan", "true", "no", "soon", "[1]", "{a: 1}", "-0.0"];

test.each(BAD_SECONDS)(
  "R-TIME-2 a time of %s in config.yaml is reported with file and line and dropped",
  async (bad) => {
    const config = `terminal:\n  timeout: ${bad}\nproviders:\n  p:\n    stale_timeout_seconds: 7\n    request_timeout_seconds: ${bad}\n    models:\n      m-1.5:\n        timeout_seconds: ${bad}\n        stale_timeout_seconds: ${bad}\n        context_length: 9\n`;
    await withConfig({ config }, (loaded, folder) => {
      expect(loaded.section("terminal").timeout).toBe(180);
      expect(loaded.section("providers").p).toEqual({
        stale_timeout_seconds: 7,
        models: { "m-1.5": { context_length: 9 } },
      });
      expect(loaded.setting("terminal.timeout")).toMatchObject({ value: 180, from: "default" });
      expect(problemsOf(loaded)).toEqual([
        ["warning", "config.bad_value", "terminal.timeout", 2],
        ["warning", "config.bad_value", "providers.p.request_timeout_seconds", 6],
        ["warning", "config.bad_value", "providers.p.models.m-1.5.timeout_seconds", 9],
        ["warning", "config.bad_value", "providers.p.models.m-1.5.stale_timeout_seconds", 10],
      ]);
      expect(loaded.problems.every((problem) => problem.file === path.join(folder, "config.yaml"))).toBe(true);
    });
  },
);

test.each(["0", "-3", "inf", "Infinity", "nan", "true", "soon", "1e999"])(
  "R-TIME-2 a time of %s in a variable is reported and dropped",
  async (bad) => {
    const environment = { HERMES_API_TIMEOUT: bad, HERMES_API_CALL_STALE_TIMEOUT: bad, TERMINAL_TIMEOUT: bad };
    await withConfig({ environment, config: "terminal: {timeout: 77}\n" }, (loaded) => {
      expect(loaded.section("environment")).toEqual({ ignore_user_config: false, ignore_rules: false });
      expect(loaded.section("terminal").timeout).toBe(77);
      expect(loaded.problems.map((problem) => problem.severity)).toEqual(["warning", "warning", "warning"]);
      expect(loaded.problems[0]?.message).toMatch(/TERMINAL_TIMEOUT|HERMES_API/);
    });
  },
);

test("times that are right reach their sections, numbers written as text too", async () => {
  const config = 'providers:\n  p: {request_timeout_seconds: 0.5, stale_timeout_seconds: "12"}\n';
  await withConfig({ config }, (loaded) => {
    expect(loaded.section("providers").p).toEqual({
      request_timeout_seconds: 0.5,
      stale_timeout_seconds: 12,
      models: {},
    });
    expect(loaded.problems).toEqual([]);
  });
});

test("a wrong value stops its own section with file, line and key, and no other", async () => {
  await withConfig({ config: "agent:\n  max_turns: many\ndisplay:\n  streaming: yes\n" }, (loaded) => {
    expect(loaded.section("display").streaming).toBe(true);
    expect(() => loaded.section("agent")).toThrow(
      expect.objectContaining({
        code: "config.bad_value",
        exitCode: 1,
        message: expect.stringMatching(/config\.yaml:2: agent\.max_turns must be whole number, at least 1, not "many"/),
      }),
    );
    expect(loaded.sectionOrDefaults("agent").max_turns).toBe(90);
  });
});

test("a wrong entry under a free name stops that entry alone", async () => {
  const config = "providers:\n  good: {base_url: http://a/v1}\n  wrong:\n    api_mode: telegraph\n  odd: text\n";
  await withConfig({ config }, (loaded) => {
    expect(Object.keys(loaded.section("providers"))).toEqual(["good"]);
    expect(loaded.entry("providers", "good")).toMatchObject({ base_url: "http://a/v1" });
    expect(loaded.entry("providers", "none")).toBeUndefined();
    expect(loaded.entry("providers", "constructor")).toBeUndefined();
    expect(() => loaded.entry("providers", "wrong")).toThrow(
      /config\.yaml:4: .*api_mode must be one of chat_completions/,
    );
    expect(() => loaded.entry("providers", "odd")).toThrow(/config\.yaml:5: providers\.odd must be a mapping/);
  });
});

test("values of later versions are refused in so many words", async () => {
  await withConfig({ config: "terminal:\n  backend: docker\n" }, (loaded) => {
    expect(() => loaded.section("terminal")).toThrow(/docker is not in this version \(only local\)/);
  });
});

test("a secret that is wrong is not repeated in the message", async () => {
  await withConfig({ config: "model:\n  api_key: 12.5\n" }, (loaded) => {
    expect(() => loaded.section("model")).toThrow(/model\.api_key must be text$/);
    expect(JSON.stringify(loaded.problems)).not.toContain("12.5");
  });
});

test("a key that was put where its variable's name belongs, or into any other field, is not repeated", async () => {
  const config =
    "providers:\n  a: {key_env: my-own-secret-123}\nterminal: {timeout: sk-ant-api03-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z}\n";
  await withConfig({ config }, (loaded) => {
    expect(() => loaded.entry("providers", "a")).toThrow(
      /config\.yaml:2: providers\.a\.key_env must be the name of a variable$/,
    );
    expect(JSON.stringify(loaded.problems)).not.toMatch(/my-own-secret|Ab3dEf6h/);
  });
});

test("unknown keys are named with line and nearest, unbuilt ones as a notice, the version in silence", async () => {
  const config =
    "_config_version: 23\nagent:\n  max_turn: 5\n  gateway_timeout: 9\ndisplya: {}\nbrowser: {engine: auto}\nshop: {a: 1}\n";
  await withConfig({ config }, (loaded) => {
    expect(problemsOf(loaded)).toEqual([
      ["warning", "config.unknown_key", "agent.max_turn", 3],
      ["warning", "config.unknown_key", "displya", 5],
      ["warning", "config.unknown_key", "shop", 7],
      ["notice", "config.not_in_this_version", "agent.gateway_timeout", 4],
      ["notice", "config.not_in_this_version", "browser", 6],
    ]);
    expect(loaded.problems.map((problem) => problem.hint)).toEqual([
      "Did you mean agent.max_turns?",
      "Did you mean display?",
      "Blocks of chat platforms are not read in this version.",
      undefined,
      undefined,
    ]);
    expect(loaded.section("agent").max_turns).toBe(90);
  });
});

test("config.yaml has no section for what only variables give", async () => {
  await withConfig({ config: "environment:\n  ignore_user_config: true\n" }, (loaded) => {
    expect(loaded.section("environment").ignore_user_config).toBe(false);
    expect(problemsOf(loaded)).toEqual([["warning", "config.unknown_key", "environment", 1]]);
  });
});

test("older spellings are taken with a warning, the present one wins", async () => {
  const config = `providers:
  a: {url: http://a/v1, apiKeyEnv: KA, transport: chat_completions, requestTimeoutSeconds: 5, defaultModel: m}
  b: {api: http://b/v1, api_key_env: KB, model: n}
  c: {url: http://old/v1, base_url: http://new/v1}
fallback_model: {provider: x, model: y}
`;
  await withConfig({ config }, (loaded) => {
    expect(loaded.section("providers")).toEqual({
      a: {
        base_url: "http://a/v1",
        key_env: "KA",
        api_mode: "chat_completions",
        request_timeout_seconds: 5,
        default_model: "m",
        models: {},
      },
      b: { base_url: "http://b/v1", key_env: "KB", default_model: "n", models: {} },
      c: { base_url: "http://new/v1", models: {} },
    });
    const count = (code: string): number => loaded.problems.filter((problem) => problem.code === code).length;
    expect(loaded.section("fallback_providers")).toEqual([{ provider: "x", model: "y" }]);
    expect(count("config.legacy_key")).toBe(9);
    expect(count("config.duplicate_key")).toBe(1);
  });
});

test("fallbacks: entries, texts and a single one are read alike, a wrong one says what an entry is", async () => {
  const config = `fallback_providers:
  - {provider: deepseek, model: deepseek-chat, key_env: DS, base_url: http://ds/v1}
  - openrouter/z-ai/glm-5.3
`;
  await withConfig({ config }, (loaded) => {
    expect(loaded.section("fallback_providers")).toEqual([
      { provider: "deepseek", model: "deepseek-chat", key_env: "DS", base_url: "http://ds/v1" },
      { provider: "openrouter", model: "z-ai/glm-5.3" },
    ]);
  });
  await withConfig({ config: "fallback_providers: [{provider: x}]\n" }, (loaded) => {
    expect(() => loaded.section("fallback_providers")).toThrow(
      expect.objectContaining({ message: expect.stringContaining("{provider, model, base_url, key_env}") }),
    );
  });
});

test("the shapes that compat §3.2 allows are read alike", async () => {
  const config = `model: m1
custom_providers:
  - {name: My Box, base_url: http://box/v1, api_key: 1234}
  - {name: dup, base_url: http://lost/v1}
  - {base_url: http://nameless/v1}
providers:
  dup: {base_url: http://kept/v1, models: [x, {id: y, context_length: 5}]}
  map: {models: {z: null, w: {timeout_seconds: 3}}}
model_aliases: {fast: dup/x/y, plain: just, full: {model: q, provider: dup}}
agent: {disabled_toolsets: web}
command_allowlist:
approvals: {mode: off}
`;
  await withConfig({ config }, (loaded) => {
    expect(loaded.section("model")).toEqual({ default: "m1", provider: "auto" });
    expect(loaded.section("providers")).toEqual({
      dup: { base_url: "http://kept/v1", models: { x: {}, y: { context_length: 5 } } },
      map: { models: { z: {}, w: { timeout_seconds: 3 } } },
      "my-box": { name: "My Box", base_url: "http://box/v1", api_key: "1234", models: {} },
    });
    expect(loaded.section("model_aliases")).toEqual({
      fast: { model: "x/y", provider: "dup" },
      plain: { model: "just" },
      full: { model: "q", provider: "dup" },
    });
    expect(loaded.section("agent").disabled_toolsets).toEqual(["web"]);
    expect(loaded.section("command_allowlist")).toEqual([]);
    expect(loaded.section("approvals").mode).toBe("off");
    expect(problemsOf(loaded)).toEqual([
      ["warning", "config.duplicate_key", "providers.dup", 4],
      ["warning", "config.bad_value", "custom_providers", 5],
    ]);
  });
  await withConfig({ config: "model: {model: m2, aliases: {a: p/m}}\n" }, (loaded) => {
    expect(loaded.section("model").default).toBe("m2");
    expect(loaded.section("model_aliases")).toEqual({ a: { model: "m", provider: "p" } });
    expect(loaded.problems).toEqual([]);
  });
});

test("a bare `off`, as YAML 1.1 writers leave it, is the choice off and not false", async () => {
  await withConfig({ config: "approvals: {mode: false}\ndisplay: {tool_progress: OFF}\n" }, (loaded) => {
    expect(loaded.section("approvals").mode).toBe("off");
    expect(loaded.section("display").tool_progress).toBe("off");
  });
});

test("aliases and merges of YAML are followed, with the line of the key that uses them", async () => {
  await withConfig({ config: "x_base: &b\n  max_lines: 7\ntool_output:\n  <<: *b\n  max_bytes: 9\n" }, (loaded) => {
    expect(loaded.section("tool_output")).toMatchObject({ max_lines: 7, max_bytes: 9 });
    expect(loaded.setting("tool_output.max_lines")).toMatchObject({ value: 7, from: "config", line: 3 });
  });
});

test("${VAR} takes the variable, then .env, and stays as it is when neither has it", async () => {
  const config =
    "model:\n  base_url: http://${HOST}:${PORT}/v1\n  api_key: ${BOX_KEY}\n  max_tokens: ${N}\nterminal:\n  cwd: ${NOPE}/x\n";
  await withConfig(
    { config, env: "HOST=envfile\nPORT=1\nBOX_KEY=s3cret\n", environment: { HOST: "real", N: "12" } },
    (loaded) => {
      expect(loaded.section("model")).toMatchObject({
        base_url: "http://real:1/v1",
        api_key: "s3cret",
        max_tokens: 12,
      });
      expect(loaded.section("terminal").cwd).toBe("${NOPE}/x");
      expect(loaded.setting("model.api_key")?.isSecret).toBe(true);
      expect(loaded.setting("model.base_url")?.isSecret).toBe(false);
    },
  );
  await withConfig({ config: "model:\n  default: m-${BOX_KEY}\n", env: "BOX_KEY=s3cret\n" }, (loaded) => {
    expect(loaded.setting("model.default")).toMatchObject({ value: "m-s3cret", isSecret: true });
  });
});

test("keys whose names have dots are found", async () => {
  await withConfig({ config: "providers:\n  p.q:\n    models:\n      gpt-4.1: {context_length: 5}\n" }, (loaded) => {
    expect(loaded.setting("providers.p.q.models.gpt-4.1.context_length")).toMatchObject({ value: 5, line: 4 });
    expect(loaded.settings().map((setting) => setting.key)).toContain("providers.p.q.models.gpt-4.1.context_length");
  });
});

test.each([
  { what: "a list that never closes", config: "model: m1\nlist: [a, b\n", line: 2 },
  { what: "a list at the top", config: "# c\n- a\n", line: 2 },
  { what: "a text at the top", config: "just text\n", line: 1 },
  { what: "the same key twice", config: "a: 1\nmodel: x\nmodel: y\n", line: 3 },
  { what: "tabs", config: "a:\n\tb: 1\n", line: 2 },
  { what: "an alias without its anchor", config: "a: 1\nb: *none\n", line: 2 },
  { what: "an alias inside what it names", config: "a: 1\nb: &b\n  - c: *b\n", line: 3 },
  { what: "two documents", config: "a: 1\n---\nb: 1\n", line: 2 },
  {
    what: "bytes that are no UTF-8",
    config: Buffer.from([0x61, 0x3a, 0x20, 0x31, 0x0a, 0x62, 0x3a, 0x20, 0xff, 0x0a]),
    line: 2,
  },
  { what: "more than a mebibyte", config: `a: ${"x".repeat(1024 * 1024)}\n`, line: undefined },
  {
    what: "aliases that multiply",
    config: `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh".replaceAll(/./g, (c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`,
    line: undefined,
  },
  { what: "bottomless nesting", config: `a: ${"[".repeat(50_000)}\n`, line: undefined },
])(
  "B64 $what: every section says so with its line, and what must come up has its defaults",
  async ({ config, line }) => {
    await withConfig({ config, environment: { HERMES_MAX_ITERATIONS: "5", HERMES_API_TIMEOUT: "7" } }, (loaded) => {
      expect(loaded.problems[0]).toMatchObject({ severity: "error", code: "config.broken_file" });
      if (line !== undefined) expect(loaded.problems[0]?.line).toBe(line);
      for (const name of SECTION_NAMES.filter((each) => each !== "environment")) {
        expect(() => loaded.section(name)).toThrow(
          expect.objectContaining({ code: "config.broken_file", exitCode: 1 }),
        );
      }
      expect(loaded.section("environment").request_timeout_seconds).toBe(7);
      expect(loaded.sectionOrDefaults("security").redact_secrets).toBe(true);
      expect(loaded.sectionOrDefaults("agent").max_turns).toBe(5);
    });
  },
);

test("B64 a config.yaml that is a directory is reported, not passed over", async () => {
  await using temp = createTempDirectory();
  mkdirSync(path.join(temp.path, "config.yaml"));
  const loaded = loadConfig({ home: prepare(temp.path, {}), environment: {} });
  expect(() => loaded.section("agent")).toThrow(/is a directory/);
});

test.skipIf(process.getuid?.() === 0)(
  "B64 a config.yaml that can't be read is reported (skipped for root, who can read everything)",
  async () => {
    await using temp = createTempDirectory();
    const home = prepare(temp.path, { config: "model: m1\n" });
    chmodSync(path.join(temp.path, "config.yaml"), 0o000);
    expect(() => loadConfig({ home, environment: {} }).section("agent")).toThrow(/can't be read/);
  },
);

test("B63 a named profile sees its own .env and never the root's", async () => {
  await using temp = createTempDirectory();
  const profile = path.join(temp.path, "profiles", "work");
  mkdirSync(profile, { recursive: true });
  writeFileSync(path.join(profile, "SOUL.md"), "");
  prepare(temp.path, {
    env: "A=1\nB=2\nHERMES_TIMEZONE=UTC\n",
    config: "model: root-model\nterminal: {cwd: '${B}'}\n",
  });
  writeFileSync(path.join(profile, ".env"), "A=9\n");
  writeFileSync(path.join(profile, "config.yaml"), "terminal: {cwd: '${B}'}\n");
  const home = resolveHome({ environment: { HERMES_HOME: temp.path }, profile: "work" });
  const loaded = loadConfig({ home, environment: {} });
  expect(loaded.secret("A")).toBe("9");
  expect(loaded.secret("B")).toBeUndefined();
  expect(loaded.section("timezone")).toBeUndefined();
  expect(loaded.section("model").default).toBeUndefined();
  expect(loaded.section("terminal").cwd).toBe("${B}");
  expect(loadConfig({ home, environment: { B: "from the process" } }).secret("B")).toBe("from the process");
});

test("a .env that others may read, or with odd lines, is reported and read", async () => {
  await using temp = createTempDirectory();
  const home = prepare(temp.path, { env: "A=1\nodd line\n" });
  chmodSync(path.join(temp.path, ".env"), 0o644);
  const loaded = loadConfig({ home, environment: {} });
  expect(problemsOf(loaded)).toEqual([
    ["warning", "config.env_exposed", undefined, undefined],
    ["warning", "config.bad_env_line", undefined, 2],
  ]);
  expect(loaded.secret("A")).toBe("1");
});

test("a flag for a key that the schema doesn't have is a bug, not a silence", async () => {
  await withConfig({}, (loaded) => {
    expect(() => loadConfig({ home: loaded.home, environment: {}, flags: { "agent.max_turn": 5 } })).toThrow(TypeError);
  });
});

test("__proto__ as a key pollutes nothing", async () => {
  await withConfig(
    { config: "__proto__: {polluted: 1}\nproviders:\n  __proto__: {base_url: http://x}\n" },
    (loaded) => {
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
      expect(loaded.problems.map((problem) => problem.code)).toContain("config.unknown_key");
      expect(Reflect.get({}, "base_url")).toBeUndefined();
    },
  );
});
