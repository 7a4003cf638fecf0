import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inTurn, startJsonServer, type JsonAnswer, type JsonServer } from "../../src/testing/json-server.ts";
import { unsignedToken } from "../../src/testing/login-rig.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { runCli, startCli, type CliResult } from "../support/cli.ts";

const ACCESS = unsignedToken({ sub: "u1", email: "ann@example.org", exp: 4_000_000_000 });
const CODE = {
  device_code: "dc-secret",
  user_code: "WDJB-MJHT",
  verification_uri: "https://portal.example.org/device",
  expires_in: 600,
  interval: 1,
};

/** Nous' portal, with a server of the models behind it. */
const startPortal = (poll: () => JsonAnswer): Promise<JsonServer> =>
  startJsonServer({
    "/api/oauth/device/code": () => ({ body: CODE }),
    "/api/oauth/token": poll,
    "/api/oauth/agent-key": () => ({ body: { api_key: "agent-key-1", key_id: "k1", expires_in: 86_400 } }),
    "/v1/chat/completions": () => ({
      body: {
        id: "c1",
        object: "chat.completion",
        model: "Hermes-4-70B",
        choices: [{ index: 0, message: { role: "assistant", content: "Signed in indeed." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
      },
    }),
  });

const TOKENS: JsonAnswer = {
  body: { access_token: ACCESS, refresh_token: "rt-secret", token_type: "Bearer", expires_in: 3600 },
};

interface Home extends AsyncDisposable {
  readonly path: string;
  readonly auth: string;
  run(...args: readonly string[]): Promise<CliResult>;
}

const createHome = (): Home => {
  const directory = createTempDirectory();
  return {
    path: directory.path,
    auth: join(directory.path, ".hermes", "auth.json"),
    run: (...args) => runCli(args, { home: directory.path }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
};

test("R-CRED-3 signing in by a code: the code is shown, the login is kept for the owner alone, a call works with it", async () => {
  await using portal = await startPortal(inTurn({ status: 400, body: { error: "authorization_pending" } }, TOKENS));
  await using home = createHome();
  const portalFlags = ["--portal-url", portal.origin, "--inference-url", `${portal.origin}/v1`];
  const signedIn = await home.run("auth", "add", "nous", ...portalFlags);
  expect([signedIn.code, signedIn.stdout]).toEqual([0, 'Signed in to Nous Portal as "ann@example.org".\n']);
  expect(signedIn.stderr).toContain("Next: `hermes model` chooses one.");
  expect(signedIn.stderr).toContain("https://portal.example.org/device\n  WDJB-MJHT\n");
  expect(statSync(home.auth).mode & 0o777).toBe(0o600);
  const status = await home.run("auth", "status", "nous");
  expect(status.stdout).toContain("nous: logged in\n  label: ann@example.org\n");
  const answer = await home.run("-z", "hello", "--provider", "nous", "-m", "Hermes-4-70B");
  expect([answer.code, answer.stdout]).toEqual([0, "Signed in indeed."]);
  const [call] = portal.of("/v1/chat/completions");
  expect(call?.headers["authorization"]).toBe("Bearer agent-key-1");
  for (const { stdout, stderr } of [signedIn, status, answer]) {
    for (const secret of [ACCESS, "rt-secret", "agent-key-1", "dc-secret"])
      expect(stdout + stderr).not.toContain(secret);
  }
}, 60_000);

test("signing in again replaces the login of that person, and JSON says so", async () => {
  await using portal = await startPortal(inTurn(TOKENS));
  await using home = createHome();
  await home.run("auth", "add", "nous", "--portal-url", portal.origin);
  const again = await home.run("auth", "add", "nous", "--portal-url", portal.origin, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({
    provider: "nous",
    index: 1,
    kind: "renewed",
    label: "ann@example.org",
  });
  const file = JSON.parse(readFileSync(home.auth, "utf8")) as { credential_pool: { nous: object[] } };
  expect(file.credential_pool.nous).toEqual([
    expect.objectContaining({ source: "device_code", agent_key: "agent-key-1", portal_base_url: portal.origin }),
  ]);
}, 60_000);

test("Ctrl+C while a code waits ends with 130 and keeps nothing", async () => {
  await using portal = await startPortal(() => ({ status: 400, body: { error: "authorization_pending" } }));
  await using home = createHome();
  const child = startCli(["auth", "add", "nous", "--portal-url", portal.origin], { home: home.path });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (!said.includes(CODE.user_code) && (said + text).includes(CODE.user_code)) child.kill("SIGINT");
    said += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, said]).toEqual([130, expect.stringContaining("Not signed in; nothing was kept.")]);
  expect(existsSync(home.auth)).toBe(false);
}, 60_000);

test.each<[string, readonly string[], string]>([
  ["a provider without a sign-in", ["deepseek", "--type", "oauth"], "has no sign-in here"],
  ["a portal without TLS", ["nous", "--portal-url", "http://portal.example.org"], "over https or to this machine only"],
  ["--insecure without a portal", ["nous", "--insecure"], "named with --portal-url"],
  ["--manual-paste where nothing is pasted", ["copilot", "--type", "oauth", "--manual-paste"], "has nothing to paste"],
  [
    "a portal where there is none",
    ["anthropic", "--type", "oauth", "--portal-url", "https://x.org"],
    "not in one place",
  ],
  ["--timeout without a number", ["nous", "--timeout", "soon"], "takes seconds"],
  ["a paste without a terminal", ["anthropic", "--type", "oauth"], "no terminal to paste it into"],
  [
    "an option of signing in for a key",
    ["openrouter", "--api-key", "k", "--no-browser"],
    "--no-browser is for signing in",
  ],
])("%s is refused with words", async (_name, args, words) => {
  await using home = createHome();
  const { code, stderr } = await home.run("auth", "add", ...args);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
  expect(existsSync(home.auth)).toBe(false);
});

test("R-CRED-4 xAI's sign-in names both plans", async () => {
  await using home = createHome();
  const child = startCli(["auth", "add", "xai-oauth"], { home: home.path });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.includes("https://auth.x.ai/oauth2/authorize?")) child.kill("SIGINT");
  });
  await once(child, "close");
  expect(said).toContain("xAI Grok OAuth (SuperGrok / Premium+)");
}, 60_000);
