import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAuthRig, leased, leaseFrom, nextKey, valueOf } from "../../../testing/auth-rig.ts";
import { endedLogin, loginRig, RIG_START, unsignedToken } from "../../../testing/login-rig.ts";
import { startRotatingServer, startTokenServer } from "../../../testing/token-server.ts";

const { signal } = new AbortController();

describe("each provider's form", () => {
  test("OpenAI Codex: form; the account is in the token, the state beside the pool is kept alike", async () => {
    const token = unsignedToken({
      exp: RIG_START / 1000 + 864_000,
      "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" },
    });
    await using server = await startTokenServer(() => ({ json: { access_token: token, refresh_token: "refresh-1" } }));
    const state = {
      tokens: { access_token: "access-0", refresh_token: "refresh-0", id_token: "i" },
      auth_mode: "chatgpt",
    };
    await using rig = loginRig({
      provider: "openai-codex",
      server,
      entry: endedLogin("device_code"),
      more: { providers: { "openai-codex": state } },
    });
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
      last_refresh: new Date(RIG_START).toISOString(),
      tokens: { access_token: token, refresh_token: "refresh-1", id_token: "i" },
    });
    // Nothing says when it ends but the token itself.
    await rig.clock.advance(864_000_000 - 100_000);
    await nextKey(rig.pool, "openai-codex");
    expect(server.calls).toHaveLength(2);
  });

  test("Anthropic: JSON; its own file is written too, and the newer of both counts", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = loginRig({ provider: "anthropic", server, entry: endedLogin("hermes_pkce") });
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
      expiresAt: RIG_START + 3_600_000,
    });
    // A crash between the two files leaves the older pair there: it is not taken.
    writeFileSync(file, JSON.stringify({ accessToken: "older", refreshToken: "older", expiresAt: RIG_START - 1 }));
    expect(await nextKey(rig.pool, "anthropic")).toBe("access-1");
    // The existing system signs in anew there.
    writeFileSync(file, JSON.stringify({ accessToken: "newer", refreshToken: "n", expiresAt: RIG_START + 9_000_000 }));
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
      await using rig = loginRig({
        provider: "xai-oauth",
        server: fresh,
        entry: endedLogin("loopback_pkce", { discovery: { token_endpoint: own } }),
      });
      expect(await nextKey(rig.pool, "xai-oauth")).toBe("access-1");
      expect(fresh.calls.map((call) => call.path)).toEqual([path]);
    }
    expect(stranger.calls).toEqual([]);
  });

  test("MiniMax: the end is a length in seconds or a moment in milliseconds", async () => {
    for (const given of [7200, RIG_START + 7_200_000]) {
      await using server = await startTokenServer(() => ({
        json: { status: "success", access_token: "access-1", refresh_token: "refresh-1", expired_in: given },
      }));
      await using rig = loginRig({ provider: "minimax-oauth", server, entry: endedLogin("oauth") });
      expect(await nextKey(rig.pool, "minimax-oauth")).toBe("access-1");
      expect(rig.readEntries("minimax-oauth")[0]).toMatchObject({
        expires_at_ms: RIG_START + 7_200_000,
        expires_at: new Date(RIG_START + 7_200_000).toISOString(),
      });
    }
    await using refusing = await startTokenServer(() => ({
      json: { status: "error", base_resp: { status_msg: "x" } },
    }));
    await using rig = loginRig({ provider: "minimax-oauth", server: refusing, entry: endedLogin("oauth") });
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
      const expires_at = new Date(RIG_START + keys * 3_600_000).toISOString();
      return {
        json: { api_key: `agent-${keys}`, key_id: "k", expires_at, inference_base_url: "https://inf.invalid/v1" },
      };
    });
    const entry = endedLogin("device_code", { expires_at_ms: RIG_START + 7_000_000 });
    await using rig = loginRig({ provider: "nous", server, entry });
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
      expiry_date: RIG_START - 1,
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
      expiry_date: RIG_START + 3_600_000,
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
      expiresAt: RIG_START + 1000,
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
      expires: RIG_START + 3_600_000,
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
      const expires_at = RIG_START / 1000 + given * 1800;
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
