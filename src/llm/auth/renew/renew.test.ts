import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { acquireProcessLock } from "../../../base/process-lock.ts";
import { startAuthProcess } from "../../../testing/auth-process.ts";
import { createAuthRig, leased, leaseFrom, nextKey, valueOf, type AuthRig } from "../../../testing/auth-rig.ts";
import {
  startRotatingServer,
  startTokenServer,
  type TokenReply,
  type TokenServer,
} from "../../../testing/token-server.ts";

const { signal } = new AbortController();
const START = Date.UTC(2026, 0, 1);

const jwt = (claims: object): string =>
  ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "sig"].join(".");

const login = (source: string, more: object = {}): object => ({
  id: "aaaaaa",
  label: "me@example.org",
  auth_type: "oauth",
  priority: 0,
  source,
  access_token: "access-0",
  refresh_token: "refresh-0",
  expires_at_ms: START - 1000,
  ...more,
});

const rigFor = (provider: string, server: TokenServer, entry: object, more: object = {}): AuthRig =>
  createAuthRig({
    auth: { version: 1, credential_pool: { [provider]: [entry] }, ...more },
    overrides: { [provider]: { endpoints: { token: `${server.origin}/token`, key: `${server.origin}/key` } } },
  });

describe("B23 a refresh token is spent once", () => {
  test("two processes at once: one POST in all, both end with the same new pair", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = rigFor("openai-codex", server, login("device_code", { expires_at_ms: 1 }));
    const children = [1, 2].map(() =>
      startAuthProcess({
        userDirectory: rig.userDirectory,
        tokens: { "openai-codex": `${server.origin}/token` },
        script: `console.log("ready"); await nextLine(); console.log(await lease("openai-codex"));`,
      }),
    );
    await Promise.all(children.map((child) => once(child.stdout!, "data")));
    const outputs = children.map((child) => text(child.stdout!));
    for (const child of children) child.stdin?.end("go\n");
    expect((await Promise.all(outputs)).map((output) => output.trim())).toEqual(["access-1", "access-1"]);
    expect(server.calls).toHaveLength(1);
    expect(rig.readEntries("openai-codex")[0]).toMatchObject({ access_token: "access-1", refresh_token: "refresh-1" });
  }, 60_000);

  test("calls of one process at once: one POST, and each 401 of the old token adopts the new one", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const leases = await Promise.all([1, 2, 3].map(() => leased(rig.pool, "openai-codex")));
    expect(leases.map(({ credential }) => valueOf(credential))).toEqual(["access-1", "access-1", "access-1"]);
    const old = { ...leases[0]!.credential, secret: { kind: "key", value: "access-0" } } as const;
    const renewed = await rig.pool.renew("openai-codex", old, signal);
    expect(renewed.kind === "renewed" && valueOf(renewed.lease.credential)).toBe("access-1");
    expect(server.calls).toHaveLength(1);
    const again = await rig.pool.renew("openai-codex", leases[0]!.credential, signal);
    expect(again.kind === "renewed" && valueOf(again.lease.credential)).toBe("access-2");
    expect(server.calls).toHaveLength(2);
  });

  test("a peer's rotation is adopted inside the lock; nothing is sent", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const request = { directory: join(rig.home, "locks"), name: "auth-openai-codex", clock: rig.clock };
    const held = await acquireProcessLock(request);
    if (held.kind !== "held") throw new Error("busy");
    const waiting = leased(rig.pool, "openai-codex");
    await rig.clock.settle();
    const fresh = { access_token: "peer-access", refresh_token: "peer-refresh", expires_at_ms: START + 3_600_000 };
    writeFileSync(rig.authFile, JSON.stringify({ credential_pool: { "openai-codex": [login("device_code", fresh)] } }));
    held.lock.release();
    while ((await Promise.race([waiting.then(() => true), rig.clock.settle().then(() => false)])) !== true) {
      await rig.clock.advance(100);
    }
    expect(valueOf((await waiting).credential)).toBe("peer-access");
    expect(server.calls).toHaveLength(0);
  });

  test("a lock that is not free in time means try later, and the login lives", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const held = await acquireProcessLock({
      directory: join(rig.home, "locks"),
      name: "auth-openai-codex",
      clock: rig.clock,
    });
    if (held.kind !== "held") throw new Error("busy");
    const { pool } = rig.again({
      lockWaitMs: 0,
      overrides: { "openai-codex": { endpoints: { token: `${server.origin}/token` } } },
    });
    expect(await leaseFrom(pool, "openai-codex")).toMatchObject({
      kind: "try_later",
      why: expect.stringContaining("another process") as string,
    });
    held.lock.release();
    expect(await nextKey(pool, "openai-codex")).toBe("access-1");
    expect(rig.readEntries("openai-codex")[0]).toMatchObject({ last_status: "ok" });
  });

  test("a program that does not know the lock was faster: its pair is taken, not its refusal", async () => {
    const auth = (more: object): string =>
      JSON.stringify({ credential_pool: { "openai-codex": [login("device_code", more)] } });
    let rig: AuthRig | undefined;
    await using server = await startTokenServer(() => {
      const fresh = {
        access_token: "python-access",
        refresh_token: "python-refresh",
        expires_at_ms: START + 3_600_000,
      };
      writeFileSync(rig!.authFile, auth(fresh));
      return { status: 401, body: { error: { code: "refresh_token_reused", message: "used" } } };
    });
    await using made = rigFor("openai-codex", server, login("device_code"));
    rig = made;
    expect(await nextKey(made.pool, "openai-codex")).toBe("python-access");
  });

  test("the wait can be ended; the renewal goes on and its pair is kept", async () => {
    let answer: (reply: TokenReply) => void = () => undefined;
    await using server = await startTokenServer(() => new Promise<TokenReply>((resolve) => (answer = resolve)));
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const stop = new AbortController();
    const call = leaseFrom(rig.pool, "openai-codex", { signal: stop.signal });
    while (server.calls.length === 0) await rig.clock.settle();
    stop.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
    const next = nextKey(rig.pool, "openai-codex");
    answer({ json: { access_token: "access-1", refresh_token: "refresh-1", expires_in: 60_000 } });
    expect(await next).toBe("access-1");
    expect(server.calls).toHaveLength(1);
    expect(rig.readEntries("openai-codex")[0]).toMatchObject({ refresh_token: "refresh-1" });
  });
});

describe("what a token endpoint says", () => {
  test.each([
    ["a code that means the end", { status: 400, body: { error: "invalid_grant", error_description: "revoked" } }],
    [
      "the vendor's own form of it",
      { status: 401, body: { error: { code: "refresh_token_reused", message: "used" } } },
    ],
  ] as const)("%s: the login is lost, and says so until it is made again", async (_, reply) => {
    await using server = await startTokenServer(() => reply);
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const outcome = await leaseFrom(rig.pool, "openai-codex");
    expect(outcome).toMatchObject({ kind: "no_credential", error: { code: "auth.login_lost" } });
    expect(outcome.kind === "no_credential" && `${outcome.error?.message} ${outcome.error?.hint}`).toMatch(
      /me@example\.org.*(revoked|used).*hermes auth add openai-codex --type oauth/,
    );
    const [entry = {}] = rig.readEntries("openai-codex");
    expect(entry).toMatchObject({ last_status: "exhausted", last_error_code: 401 });
    await leaseFrom(rig.pool, "openai-codex");
    await leaseFrom(rig.again().pool, "openai-codex");
    expect(server.calls).toHaveLength(1);
    const added = await rig.book.addLogin({
      provider: "openai-codex",
      flow: "device_code",
      accessToken: "access-new",
      refreshToken: "refresh-new",
      expiresAt: START + 3_600_000,
    });
    expect(added).toMatchObject({ id: "aaaaaa", kind: "renewed" });
    expect(await nextKey(rig.pool, "openai-codex")).toBe("access-new");
  });

  test.each([
    ["a server that is down", { status: 503, body: { error: "unavailable" } }],
    ["a proxy's page with status 403", { status: 403, body: "<html>blocked</html>" }],
    ["too many requests", { status: 429, body: { error: "slow_down" } }],
    ["an answer without a token", { status: 200, body: { ok: true } }],
    ["a client that is not known", { status: 401, body: { error: "invalid_client" } }],
  ] as const)("%s: try later, nothing is held against the login", async (_, reply) => {
    await using server = await startTokenServer(() => reply);
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const before = readFileSync(rig.authFile, "utf8");
    expect((await leaseFrom(rig.pool, "openai-codex")).kind).toBe("try_later");
    expect(readFileSync(rig.authFile, "utf8")).toBe(before);
  });

  test("no network: try later; a token that still has a minute is used meanwhile", async () => {
    const server = await startTokenServer(() => ({ json: {} }));
    await server[Symbol.asyncDispose]();
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const { host } = new URL(server.origin);
    expect(await leaseFrom(rig.pool, "openai-codex")).toMatchObject({
      kind: "try_later",
      why: expect.stringContaining(host) as string,
    });
    await using still = rigFor("openai-codex", server, login("device_code", { expires_at_ms: START + 60_000 }));
    expect(await nextKey(still.pool, "openai-codex")).toBe("access-0");
  });

  test("a login that cannot be renewed for now is passed over for the next credential", async () => {
    await using server = await startTokenServer(() => ({ status: 503, body: {} }));
    await using rig = createAuthRig({
      auth: {
        credential_pool: {
          anthropic: [
            login("hermes_pkce"),
            { id: "bbbbbb", label: "key", auth_type: "api_key", priority: 1, source: "manual", access_token: "sk-2" },
          ],
        },
      },
      overrides: { anthropic: { endpoints: { token: server.origin } } },
    });
    expect(await nextKey(rig.pool, "anthropic")).toBe("sk-2");
  });

  test("the refresh token is never repeated in what is told or written", async () => {
    const body = { error: "invalid_grant", error_description: "no such token: refresh-0" };
    await using server = await startTokenServer(() => ({ status: 400, body }));
    await using rig = rigFor("openai-codex", server, login("device_code"));
    expect(JSON.stringify(await leaseFrom(rig.pool, "openai-codex"))).not.toContain("refresh-0");
    expect(JSON.stringify(rig.readEntries("openai-codex")[0]?.["last_error_message"])).not.toContain("refresh-0");
    expect(rig.warnings.join()).not.toContain("refresh-0");
  });

  test("a pair that cannot be written serves this process, and is written before the next renewal", async () => {
    await using server = await startRotatingServer({ first: "refresh-0", expiresIn: 600 });
    await using rig = rigFor("openai-codex", server, login("device_code"));
    const request = { directory: join(rig.home, "locks"), name: "auth", clock: rig.clock };
    const held = await acquireProcessLock(request);
    if (held.kind !== "held") throw new Error("busy");
    const first = nextKey(rig.pool, "openai-codex");
    while (server.calls.length === 0) await rig.clock.settle();
    const drive = (async () => {
      for (let n = 0; n < 200; n += 1) await rig.clock.advance(100);
    })();
    expect(await first).toBe("access-1");
    await drive;
    expect(rig.readEntries("openai-codex")[0]).toMatchObject({ refresh_token: "refresh-0" });
    expect(await nextKey(rig.pool, "openai-codex")).toBe("access-1");
    held.lock.release();
    await rig.clock.advance(600_000);
    expect(await nextKey(rig.pool, "openai-codex")).toBe("access-2");
    expect(server.calls.map(({ members }) => members["refresh_token"])).toEqual(["refresh-0", "refresh-1"]);
    expect(rig.readEntries("openai-codex")[0]).toMatchObject({ refresh_token: "refresh-2" });
  });

  test("a login that was removed while it was renewed does not come back", async () => {
    let rig: AuthRig | undefined;
    await using server = await startTokenServer(async () => {
      await rig!.again().book.remove("openai-codex", "1", signal);
      return { json: { access_token: "access-1", refresh_token: "refresh-1" } };
    });
    await using made = rigFor("openai-codex", server, login("device_code"));
    rig = made;
    expect((await leaseFrom(made.pool, "openai-codex")).kind).toBe("try_later");
    expect(made.readEntries("openai-codex")).toEqual([]);
    expect(made.readAuth()["providers"] ?? {}).toEqual({});
  });
});

describe("each provider's form", () => {
  test("OpenAI Codex: form; the account is in the token, the state beside the pool is kept alike", async () => {
    const token = jwt({ exp: START / 1000 + 864_000, "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } });
    await using server = await startTokenServer(() => ({ json: { access_token: token, refresh_token: "refresh-1" } }));
    const state = {
      tokens: { access_token: "access-0", refresh_token: "refresh-0", id_token: "i" },
      auth_mode: "chatgpt",
    };
    await using rig = rigFor("openai-codex", server, login("device_code"), { providers: { "openai-codex": state } });
    using lease = await leased(rig.pool, "openai-codex");
    expect(lease.credential.secret).toEqual({
      kind: "key",
      value: token,
      headers: { "chatgpt-account-id": "acc-1" },
    });
    expect(server.calls[0]).toMatchObject({
      method: "POST",
      path: "/token",
      members: {
        grant_type: "refresh_token",
        refresh_token: "refresh-0",
        client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
      },
    });
    expect(server.calls[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect((rig.readAuth()["providers"] as Record<string, unknown>)["openai-codex"]).toMatchObject({
      auth_mode: "chatgpt",
      last_refresh: new Date(START).toISOString(),
      tokens: { access_token: token, refresh_token: "refresh-1", id_token: "i" },
    });
    // Nothing says when it ends but the token itself.
    await rig.clock.advance(864_000_000 - 100_000);
    await nextKey(rig.pool, "openai-codex");
    expect(server.calls).toHaveLength(2);
  });

  test("Anthropic: JSON; its own file is written too, and the newer of both counts", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = rigFor("anthropic", server, login("hermes_pkce"));
    const file = join(rig.home, ".anthropic_oauth.json");
    expect(await nextKey(rig.pool, "anthropic")).toBe("access-1");
    expect(server.calls[0]?.headers["content-type"]).toBe("application/json");
    expect(server.calls[0]?.members).toEqual({
      grant_type: "refresh_token",
      refresh_token: "refresh-0",
      client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      accessToken: "access-1",
      refreshToken: "refresh-1",
      expiresAt: START + 3_600_000,
    });
    // A crash between the two files leaves the older pair there: it is not taken.
    writeFileSync(file, JSON.stringify({ accessToken: "older", refreshToken: "older", expiresAt: START - 1 }));
    expect(await nextKey(rig.pool, "anthropic")).toBe("access-1");
    // The existing system signs in anew there.
    writeFileSync(file, JSON.stringify({ accessToken: "newer", refreshToken: "n", expiresAt: START + 9_000_000 }));
    expect(await nextKey(rig.pool, "anthropic")).toBe("newer");
    rmSync(rig.authFile);
    expect(await nextKey(rig.pool, "anthropic")).toBe("newer");
  });

  test("xAI: at the address that the login brought along, if it is xAI's own", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using stranger = await startRotatingServer({ first: "refresh-0" });
    for (const [endpoint, path] of [
      [`${server.origin}/other/token`, "/other/token"],
      [`${stranger.origin}/token`, "/token"],
    ] as const) {
      await using fresh = await startRotatingServer({ first: "refresh-0" });
      const own = endpoint.replace(server.origin, fresh.origin);
      await using rig = rigFor("xai-oauth", fresh, login("loopback_pkce", { discovery: { token_endpoint: own } }));
      expect(await nextKey(rig.pool, "xai-oauth")).toBe("access-1");
      expect(fresh.calls.map((call) => call.path)).toEqual([path]);
    }
    expect(stranger.calls).toEqual([]);
  });

  test("MiniMax: the end is a length in seconds or a moment in milliseconds", async () => {
    for (const given of [7200, START + 7_200_000]) {
      await using server = await startTokenServer(() => ({
        json: { status: "success", access_token: "access-1", refresh_token: "refresh-1", expired_in: given },
      }));
      await using rig = rigFor("minimax-oauth", server, login("oauth"));
      expect(await nextKey(rig.pool, "minimax-oauth")).toBe("access-1");
      expect(rig.readEntries("minimax-oauth")[0]).toMatchObject({
        expires_at_ms: START + 7_200_000,
        expires_at: new Date(START + 7_200_000).toISOString(),
      });
    }
    await using refusing = await startTokenServer(() => ({
      json: { status: "error", base_resp: { status_msg: "x" } },
    }));
    await using rig = rigFor("minimax-oauth", refusing, login("oauth"));
    expect((await leaseFrom(rig.pool, "minimax-oauth")).kind).toBe("try_later");
  });

  test("Nous: a key is made from the login; the login is renewed only when it has ended", async () => {
    let keys = 0;
    let good = "access-0";
    await using server = await startTokenServer(({ path, headers, members }) => {
      if (path === "/token") {
        good = "access-1";
        expect([members["refresh_token"], headers["x-nous-refresh-token"]]).toEqual(["refresh-0", "refresh-0"]);
        return { json: { access_token: good, refresh_token: "refresh-1", expires_in: 86_400 } };
      }
      if (headers["authorization"] !== `Bearer ${good}`) return { status: 401, body: { error: "unauthorized" } };
      keys += 1;
      const expires_at = new Date(START + keys * 3_600_000).toISOString();
      return {
        json: { api_key: `agent-${keys}`, key_id: "k", expires_at, inference_base_url: "https://inf.invalid/v1" },
      };
    });
    const entry = login("device_code", { expires_at_ms: START + 7_000_000 });
    await using rig = rigFor("nous", server, entry);
    using first = await leased(rig.pool, "nous");
    expect(first.credential).toMatchObject({
      secret: { kind: "key", value: "agent-1" },
      baseUrl: "https://inf.invalid/v1",
    });
    expect(server.calls.map(({ path }) => path)).toEqual(["/key"]);
    expect(server.calls[0]?.members).toEqual({ min_ttl_seconds: 1800 });
    // The key ends before the login does.
    await rig.clock.advance(3_500_000);
    expect(await nextKey(rig.pool, "nous")).toBe("agent-2");
    // Refused though it should be good: another one is made; where the login is refused too, it is renewed.
    good = "somebody else's";
    const renewed = await rig.pool.renew(
      "nous",
      { ...first.credential, secret: { kind: "key", value: "agent-2" } },
      signal,
    );
    expect(renewed.kind === "renewed" && valueOf(renewed.lease.credential)).toBe("agent-3");
    expect(server.calls.map(({ path }) => path)).toEqual(["/key", "/key", "/key", "/token", "/key"]);
    expect(rig.readEntries("nous")[0]).toMatchObject({ agent_key: "agent-3", refresh_token: "refresh-1" });
    expect((rig.readAuth()["providers"] as Record<string, unknown>)["nous"]).toMatchObject({
      access_token: "access-1",
      agent_key: "agent-3",
    });
  });

  test("Qwen: in the file of its own program; members of it that are not ours stay", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = createAuthRig({ overrides: { "qwen-oauth": { endpoints: { token: server.origin } } } });
    rig.writeUserFile(".qwen/oauth_creds.json", {
      access_token: "access-0",
      refresh_token: "refresh-0",
      expiry_date: START - 1,
      resource_url: "portal.qwen.invalid",
      theirs: 1,
    });
    using lease = await leased(rig.pool, "qwen-oauth");
    expect(lease.credential).toMatchObject({
      source: "qwen-cli",
      secret: { value: "access-1" },
      baseUrl: "https://portal.qwen.invalid/v1",
    });
    expect(JSON.parse(readFileSync(join(rig.userDirectory, ".qwen/oauth_creds.json"), "utf8"))).toEqual({
      access_token: "access-1",
      refresh_token: "refresh-1",
      expiry_date: START + 3_600_000,
      resource_url: "portal.qwen.invalid",
      theirs: 1,
    });
    expect(existsSync(rig.authFile)).toBe(false);
  });

  test("Google: in this home's own file; the project goes with the token", async () => {
    await using server = await startTokenServer(() => ({ json: { access_token: "ya29-1", expires_in: 3600 } }));
    await using rig = createAuthRig({ overrides: { "google-gemini-cli": { endpoints: { token: server.origin } } } });
    await rig.book.addLogin({
      provider: "google-gemini-cli",
      flow: "oauth",
      accessToken: "ya29-0",
      refreshToken: "1//refresh",
      expiresAt: START + 1000,
      account: "me@example.org",
      more: { project_id: "project-7" },
    });
    using lease = await leased(rig.pool, "google-gemini-cli");
    expect(lease.credential).toMatchObject({
      label: "me@example.org",
      secret: { kind: "key", value: "ya29-1", project: "project-7" },
    });
    expect(server.calls[0]?.members).toMatchObject({ grant_type: "refresh_token", refresh_token: "1//refresh" });
    expect(JSON.parse(readFileSync(join(rig.home, "auth/google_oauth.json"), "utf8"))).toEqual({
      access: "ya29-1",
      refresh: "1//refresh|project-7|",
      expires: START + 3_600_000,
      email: "me@example.org",
    });
    expect(readFileSync(rig.authFile, "utf8")).not.toContain("ya29");
  });

  test("Copilot: GitHub's token is exchanged, and what it is exchanged for stays in memory", async () => {
    let given = 0;
    await using server = await startTokenServer(({ headers }) => {
      if (headers["authorization"] !== "token gho_abcdefghijklmnopqrst")
        return { status: 401, body: { message: "Bad" } };
      given += 1;
      const expires_at = START / 1000 + given * 1800;
      return { json: { token: `tid=${given}`, expires_at, endpoints: { api: "https://api.business.invalid" } } };
    });
    const overrides = { copilot: { endpoints: { key: server.origin } } };
    await using rig = createAuthRig({ overrides, variables: { GH_TOKEN: "gho_abcdefghijklmnopqrst" } });
    expect(rig.pool.peek("copilot")).toMatchObject({ source: "env:GH_TOKEN", secret: { kind: "none" } });
    using lease = await leased(rig.pool, "copilot");
    expect(lease.credential).toMatchObject({ secret: { value: "tid=1" }, baseUrl: "https://api.business.invalid" });
    expect(server.calls[0]).toMatchObject({ method: "GET", headers: { "editor-version": "vscode/1.104.1" } });
    expect(await nextKey(rig.pool, "copilot")).toBe("tid=1");
    const renewed = await rig.pool.renew("copilot", lease.credential, signal);
    expect(renewed.kind === "renewed" && valueOf(renewed.lease.credential)).toBe("tid=2");
    await rig.clock.advance(3_500_000);
    expect(await nextKey(rig.pool, "copilot")).toBe("tid=3");
    // B24 through the exchange: the short-lived token is refused, GitHub's rests.
    using third = await leased(rig.pool, "copilot");
    await rig.pool.rest("copilot", third.credential, { kind: "rate_limit", status: 429, message: "slow" });
    expect((await leaseFrom(rig.pool, "copilot")).kind).toBe("resting");
    expect(readFileSync(rig.authFile, "utf8")).not.toMatch(/gho_|tid=/);

    await using refused = createAuthRig({ overrides, variables: { GH_TOKEN: "gho_zzzzzzzzzzzzzzzzzzzz" } });
    expect(await leaseFrom(refused.pool, "copilot")).toMatchObject({ kind: "resting", last: { status: 401 } });
    expect(await nextKey(refused.again({ variables: { GH_TOKEN: "gho_abcdefghijklmnopqrst" } }).pool, "copilot")).toBe(
      "tid=4",
    );
  });

  test("Copilot: a token that GitHub has no exchange for is used as it is", async () => {
    await using server = await startTokenServer(() => ({ status: 404, body: { message: "Not Found" } }));
    await using rig = createAuthRig({
      overrides: { copilot: { endpoints: { key: server.origin } } },
      variables: { COPILOT_GITHUB_TOKEN: "github_pat_abcdefghijklmnop" },
    });
    expect(await nextKey(rig.pool, "copilot")).toBe("github_pat_abcdefghijklmnop");
  });
});
