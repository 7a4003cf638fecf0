import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { PROVIDER_ROWS } from "../../src/llm/providers/rows.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { createScriptedHome } from "../support/scripted-home.ts";
import { cliEnvironment, runCli, type CliOptions, type CliResult } from "../support/cli.ts";

const KEY = "sk-or-v1-0123456789abcdef0123456789abcdef";

interface Home extends AsyncDisposable {
  readonly path: string;
  readonly auth: string;
  readonly env: string;
  run(args: readonly string[], options?: Partial<CliOptions>): Promise<CliResult>;
}

const createHome = async (): Promise<Home> => {
  const directory = createTempDirectory();
  const home = join(directory.path, ".hermes");
  await mkdir(home);
  return {
    path: directory.path,
    auth: join(home, "auth.json"),
    env: join(home, ".env"),
    run: (args, options = {}) => runCli(args, { home: directory.path, ...options }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
};

test("a key comes through standard input, is listed masked, and goes; no secret is ever printed", async () => {
  await using home = await createHome();
  expect((await home.run(["auth"])).stdout).toBe("No keys and logins yet.\n");
  const added = await home.run(["auth", "add", "openrouter", "--api-key", "-", "--label", "work"], {
    stdin: `${KEY}\n`,
  });
  expect([added.code, added.stdout]).toEqual([0, 'Added openrouter credential #1: "work"\n']);
  expect(added.stderr).toBe("None of its models is configured yet. Next: `hermes model` chooses one.\n");
  await home.run(["model", "set", "anthropic/claude-sonnet-4.5", "--provider", "openrouter"]);
  const again = await home.run(["auth", "add", "openrouter", "--api-key", "-"], { stdin: KEY });
  expect(again.stderr).toBe("");
  expect(again.stdout).toBe('Already there: openrouter credential #1: "work"\n');
  const list = await home.run(["auth", "list", "openrouter"]);
  expect(list.stdout).toMatch(/openrouter +1 +[0-9a-f]{6} +work +api_key +manual +sk-o…cdef +next/);
  const json = JSON.parse((await home.run(["auth", "list", "--json"])).stdout) as { credentials: object[] };
  expect(json.credentials).toEqual([
    expect.objectContaining({ provider: "openrouter", index: 1, label: "work", key: "sk-o…cdef", kept_here: true }),
  ]);
  const status = await home.run(["auth", "status", "openrouter"]);
  expect(status.stdout).toContain("openrouter: logged in\n  label: work\n");
  const removed = await home.run(["auth", "remove", "openrouter", "work"]);
  expect(removed.stdout).toBe("Removed openrouter credential #1 (work)\n");
  expect((await home.run(["auth", "status", "openrouter"])).stdout).toBe("openrouter: logged out\n");
  for (const { stdout, stderr } of [added, again, list, status, removed]) expect(stdout + stderr).not.toContain(KEY);
});

test("R-CRED-1 nothing there: the exact words; unknown names get the nearest one", async () => {
  await using home = await createHome();
  const none = await home.run(["auth", "remove", "copilot", "1"]);
  expect([none.code, none.stderr.split("\n")[0]]).toEqual([1, "✗ No credential #1. Provider: copilot."]);
  const unknown = await home.run(["auth", "add", "openruter", "--api-key", "-"], { stdin: KEY });
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean openrouter?")]);
  const silent = await home.run(["auth", "add", "openrouter"]);
  expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining("no terminal to ask on")]);
  for (const [stdin, words] of [
    ["", "it is empty"],
    ["two words", "blanks"],
    ["k".repeat(9000), "longer than"],
  ] as const) {
    const bad = await home.run(["auth", "add", "openrouter", "--api-key", "-"], { stdin });
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining(words)]);
  }
  expect((await home.run(["auth", "add", "openai-codex", "--api-key", "-"], { stdin: KEY })).stderr).toContain(
    "belongs to openai-api",
  );
});

test("an id is found under the names that people use, and in a list of all; letters of any case will do", async () => {
  await using home = await createHome();
  const added = await home.run(["auth", "add", "OpenAI-API", "--api-key", "-"], { stdin: KEY });
  expect(added.stdout).toContain("Added openai-api credential #1");
  for (const args of [
    ["auth", "add", "OpenAI", "--api-key", "-"],
    ["model", "list", "--provider", "OpenAI"],
    ["fallback", "add", "OpenAI/gpt-5.4"],
    ["-z", "hi", "--provider", "OpenAI", "-m", "gpt-5.4"],
  ]) {
    const { code, stderr } = await home.run(args, { stdin: KEY });
    expect(code, args.join(" ")).not.toBe(0);
    expect(stderr, args.join(" ")).toMatch(
      /here is no provider "OpenAI".*[Dd]id you mean openai-api or openai-codex\?/,
    );
    expect(stderr, args.join(" ")).toContain("hermes auth list --all");
  }
  await writeFile(
    join(home.path, ".hermes", "config.yaml"),
    "providers: {den: {base_url: 'http://127.0.0.1:9/v1', key_env: DEN_KEY}}\n",
  );
  const json = await home.run(["auth", "list", "--all", "--json"]);
  const listed = JSON.parse(json.stdout) as readonly { readonly id: string }[];
  const found = (id: string): object | undefined => listed.find((each) => each.id === id);
  expect(listed.map(({ id }) => id)).toEqual(["den", ...PROVIDER_ROWS.map(({ id }) => id), "practice"]);
  expect(found("den")).toMatchObject({ connected_by: ["key"], variables: ["DEN_KEY"], connected: false });
  expect(found("openai-api")).toEqual({
    id: "openai-api",
    label: "OpenAI",
    connected_by: ["key"],
    variables: ["OPENAI_API_KEY"],
    connected: true,
  });
  expect(found("anthropic")).toMatchObject({ connected_by: ["key", "login"], connected: false });
  expect(found("openai-codex")).toMatchObject({ connected_by: ["login"], variables: [] });
  expect(found("bedrock")).toMatchObject({ connected_by: ["aws", "key"] });
  expect(found("ollama")).toMatchObject({ connected_by: ["nothing"] });
  const { stdout } = await home.run(["auth", "list", "--all"]);
  expect(stdout).toMatch(/^openai-api +OpenAI +a key \(OPENAI_API_KEY\) +connected$/m);
  expect(stdout).toMatch(/^anthropic +Anthropic +a key \(ANTHROPIC_API_KEY\) or a login *$/m);
});

test("R-CRED-2 a variable of .env: its line goes, and the source stays away until it is restored", async () => {
  await using home = await createHome();
  await writeFile(home.env, `# keys\nOPENROUTER_API_KEY=${KEY}\nGLM_API_KEY=zz\n`);
  const removed = await home.run(["auth", "remove", "openrouter", "1"]);
  expect(removed.stdout).toContain(`Cleared OPENROUTER_API_KEY in ${home.env}`);
  expect(removed.stdout).toContain("is deleted. One that is written there again is read after `hermes auth restore");
  expect(removed.stdout).not.toContain("reads it again");
  expect(await readFile(home.env, "utf8")).toBe("# keys\nGLM_API_KEY=zz\n");
  const environment = { OPENROUTER_API_KEY: KEY };
  expect((await home.run(["auth", "list", "openrouter"], { environment })).stdout).toBe(
    "No credentials for openrouter.\nopenrouter: not read until `hermes auth restore openrouter`: env:OPENROUTER_API_KEY\n",
  );
  expect((await home.run(["auth", "restore", "openrouter"], { environment })).stdout).toContain(
    "Read again: env:OPENROUTER_API_KEY. openrouter has 1 credential now.",
  );
  const shell = await home.run(["auth", "remove", "openrouter", "1"], { environment });
  expect(shell.stdout).toContain("OPENROUTER_API_KEY is still set in the environment");
  expect(shell.stdout).toContain("`hermes auth restore openrouter` reads it again.");
  expect(await readFile(home.auth, "utf8")).not.toContain(KEY);
});

test("R-CRED-2 Copilot: GitHub's command line and its variables go together, and .env keeps what other tools use", async () => {
  await using home = await createHome();
  const program = join(home.path, "bin", "gh");
  await mkdir(join(home.path, "bin"));
  await writeFile(program, "#!/bin/sh\necho gho_abcdefghijklmnopqrst\n");
  await chmod(program, 0o755);
  await writeFile(home.env, "GITHUB_TOKEN=gho_zzzzzzzzzzzzzzzzzzzz\n");
  const environment = { PATH: `${join(home.path, "bin")}:${cliEnvironment({ home: home.path })["PATH"]}` };
  expect((await home.run(["auth", "list", "copilot"], { environment })).stdout).toMatch(/copilot +2 .*gh_cli/);
  const removed = await home.run(["auth", "remove", "copilot", "gh_cli"], { environment });
  expect(removed.stdout).toContain("GitHub's command line stays signed in.");
  expect((await home.run(["auth", "list", "copilot", "--json"], { environment })).stdout).toBe(
    `${JSON.stringify(
      {
        credentials: [],
        suppressed: { copilot: ["gh_cli", "env:COPILOT_GITHUB_TOKEN", "env:GH_TOKEN", "env:GITHUB_TOKEN"] },
      },
      undefined,
      2,
    )}\n`,
  );
  expect(await readFile(home.env, "utf8")).toContain("GITHUB_TOKEN=gho_");
  expect(await readFile(home.auth, "utf8")).not.toContain("gho_");
});

test("a key that was added is what calls carry; one that is refused rests, and the next call is made with another", async () => {
  await using scripted = await createScriptedHome(
    [
      { status: 401, body: JSON.stringify({ error: { message: "no such key" } }) },
      { text: "with the second" },
      { text: "and again" },
    ],
    "providers:\n  den:\n    base_url: $BASE\n",
  );
  const settings = join(scripted.hermesHome, "config.yaml");
  const text = await readFile(settings, "utf8");
  await writeFile(settings, text.replace("$BASE", scripted.provider.baseUrl));
  for (const key of ["den-key-1", "den-key-2"])
    await scripted.run(["auth", "add", "den", "--api-key", "-"], { stdin: key });
  const ask = ["-z", "hi", "--provider", "den", "-m", "scripted-model"];
  expect((await scripted.run(ask)).stdout.trim()).toBe("with the second");
  expect((await scripted.run(ask)).stdout.trim()).toBe("and again");
  expect(scripted.provider.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer den-key-1",
    "Bearer den-key-2",
    "Bearer den-key-2",
  ]);
  expect((await scripted.run(["auth", "list", "den"])).stdout).toMatch(/api-key-1 .*rests .*\(auth, 401\)/);
});

test("another program's login is there for whoever names its provider, and for nobody else", async () => {
  await using home = await createHome();
  await mkdir(join(home.path, ".claude"));
  const claudeAiOauth = { accessToken: "sk-ant-oat01-theirs", expiresAt: systemClock.now() + 3_600_000 };
  await writeFile(join(home.path, ".claude", ".credentials.json"), JSON.stringify({ claudeAiOauth }));
  expect((await home.run(["auth", "status", "anthropic"])).stdout).toContain("source: claude_code");
  const asked = await home.run(["-z", "hi"], { environment: { GITHUB_TOKEN: "gho_abcdefghijklmnopqrst" } });
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("no model configured")]);
});

test("a configured entry's key leaves config.yaml; rests end; logins are removed; a broken file is named", async () => {
  await using home = await createHome();
  const settings = join(home.path, ".hermes", "config.yaml");
  await writeFile(settings, "providers:\n  den:\n    base_url: http://127.0.0.1:9/v1\n    api_key: den-key # mine\n");
  const removed = await home.run(["auth", "remove", "den", "1"]);
  expect(removed.stdout).toContain("Cleared providers.den.api_key");
  expect(await readFile(settings, "utf8")).not.toContain("den-key");
  expect(removed.stdout).toContain("One that is written there again is read after `hermes auth restore custom:den`.");
  expect(removed.stdout).not.toContain("reads it again");
  await writeFile(settings, "providers:\n  den:\n    base_url: http://127.0.0.1:9/v1\n    api_key: den-key-2\n");
  expect((await home.run(["auth", "list", "den"])).stdout).toContain("No credentials for custom:den.");
  await home.run(["auth", "restore", "den"]);
  expect((await home.run(["auth", "list", "den"])).stdout).toContain("config:den");

  const login = {
    id: "aaaaaa",
    label: "me@example.org",
    auth_type: "oauth",
    priority: 0,
    source: "device_code",
    access_token: "secret-access",
    refresh_token: "secret-refresh",
    last_status: "exhausted",
    last_status_at: systemClock.now() / 1000,
    last_error_code: 429,
    last_error_reason: "rate_limit",
  };
  const auth = { active_provider: "openai-codex", credential_pool: { "openai-codex": [login] } };
  await writeFile(home.auth, JSON.stringify(auth));
  const list = await home.run(["auth", "list"]);
  expect(list.stdout).toMatch(/me@example\.org +oauth +device_code +rests \S+ \(rate_limit, 429\)/);
  expect(list.stdout).not.toContain("secret");
  expect((await home.run(["auth", "status", "openai-codex"])).stdout).toContain("openai-codex: logged out (rests");
  expect((await home.run(["auth", "reset", "openai-codex"])).stdout).toBe(
    "Reset status on 1 openai-codex credentials\n",
  );
  expect((await home.run(["auth", "status", "openai-codex"])).stdout).toContain("openai-codex: logged in");
  const gone = await home.run(["auth", "remove", "openai-codex", "1"]);
  expect(gone.stdout).toContain("`hermes auth add openai-codex` signs in again.");
  await writeFile(home.auth, JSON.stringify(auth));
  expect((await home.run(["logout"])).stdout).toContain("Logged out of OpenAI Codex");
  expect((await home.run(["logout", "--provider", "openai-codex"])).stdout).toContain("No auth state found");
  expect(await readFile(home.auth, "utf8")).not.toContain("secret");
  expect((await home.run(["login", "--provider", "nous"])).stdout).toContain("hermes auth add PROVIDER --type oauth");

  await writeFile(home.auth, "{ broken");
  const broken = await home.run(["auth", "list"]);
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining(`${home.auth} is no JSON`)]);
  const all = await home.run(["auth", "list", "--all"]);
  expect([all.code, all.stdout]).toEqual([0, expect.stringContaining("openrouter")]);
  expect(all.stderr).toContain(`not counted: ${home.auth} is no JSON`);
  expect(await readFile(home.auth, "utf8")).toBe("{ broken");
});
