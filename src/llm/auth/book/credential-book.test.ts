import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAuthRig, leased, leaseFrom, nextKey } from "../../../testing/auth-rig.ts";

const { signal } = new AbortController();
const START = Date.UTC(2026, 0, 1);
const TOKEN = "gho_abcdefghijklmnopqrst";

const manual = (id: string, label: string): object => ({
  id,
  label,
  auth_type: "api_key",
  priority: 0,
  source: "manual",
  access_token: `sk-${id}`,
});

describe("which one is meant", () => {
  const auth = {
    credential_pool: { openrouter: [manual("aaaaaa", "work"), manual("000002", "home"), manual("cccccc", "home")] },
  };

  test.each([
    ["1", "aaaaaa"],
    ["cccccc", "cccccc"],
    ["Work", "aaaaaa"],
    // An id of digits alone is an id, not a place.
    ["000002", "000002"],
  ])("%s", async (target, id) => {
    await using rig = createAuthRig({ auth });
    expect((await rig.book.remove("openrouter", target, signal)).candidate.id).toBe(id);
    expect(rig.readEntries("openrouter").map((entry) => entry["id"])).not.toContain(id);
    expect(rig.readEntries("openrouter")).toHaveLength(2);
  });

  test.each([
    ["4", "No credential #4. Provider: openrouter."],
    ["0", "No credential #0. Provider: openrouter."],
    ["nothing", 'No credential matching "nothing". Provider: openrouter.'],
    ["HOME", 'Ambiguous credential label "HOME". Use the numeric index or entry id instead. Provider: openrouter.'],
    [" ", "No credential target provided. Provider: openrouter."],
  ])("%j: nothing is removed", async (target, message) => {
    await using rig = createAuthRig({ auth });
    const before = readFileSync(rig.authFile, "utf8");
    await expect(rig.book.remove("openrouter", target, signal)).rejects.toMatchObject({
      code: "auth.no_such_credential",
      message,
    });
    expect(readFileSync(rig.authFile, "utf8")).toBe(before);
  });
});

describe("R-CRED-2 what is removed does not come back", () => {
  test("Copilot: GitHub's command line and the variables go together", async () => {
    await using rig = createAuthRig({ gh: `echo ${TOKEN}`, variables: { GH_TOKEN: "gho_zzzzzzzzzzzzzzzzzzzz" } });
    expect(await rig.book.list("copilot", signal)).toHaveLength(2);
    const removed = await rig.book.remove("copilot", "gh_cli", signal);
    expect(removed).toMatchObject({
      index: 2,
      suppressed: ["gh_cli", "env:COPILOT_GITHUB_TOKEN", "env:GH_TOKEN", "env:GITHUB_TOKEN"],
    });
    expect(await rig.book.list("copilot", signal)).toEqual([]);
    expect(await leaseFrom(rig.again().pool, "copilot")).toEqual({ kind: "no_credential" });
    expect(rig.readAuth()["suppressed_sources"]).toEqual({ copilot: [...removed.suppressed] });
    expect(rig.book.suppressed("copilot")).toEqual(removed.suppressed);
    expect(await rig.book.restore("copilot")).toEqual(removed.suppressed);
    expect(await rig.book.list("copilot", signal)).toHaveLength(2);
  });

  test("a variable; a manual key just goes and suppresses nothing", async () => {
    await using rig = createAuthRig({
      auth: { credential_pool: { openrouter: [manual("aaaaaa", "work")] } },
      variables: { OPENROUTER_API_KEY: "sk-env" },
    });
    expect((await rig.book.remove("openrouter", "work", signal)).suppressed).toEqual([]);
    expect(await nextKey(rig.pool, "openrouter")).toBe("sk-env");
    await rig.book.remove("openrouter", "1", signal);
    expect(rig.pool.peek("openrouter")).toBeUndefined();
    expect(rig.readAuth()["suppressed_sources"]).toEqual({ openrouter: ["env:OPENROUTER_API_KEY"] });
  });

  test("a login goes with the states that the existing system keeps beside it, until it is made again", async () => {
    await using rig = createAuthRig();
    const login = { accessToken: "a", refreshToken: "r", expiresAt: START + 3_600_000 };
    await rig.book.addLogin({ provider: "nous", flow: "device_code", ...login, more: { scope: "x" } });
    await rig.book.addLogin({ provider: "anthropic", flow: "hermes_pkce", ...login });
    expect(rig.book.active()).toBe("anthropic");
    const file = join(rig.home, ".anthropic_oauth.json");
    expect(existsSync(file)).toBe(true);
    await rig.book.remove("anthropic", "1", signal);
    await rig.book.remove("nous", "1", signal);
    expect(existsSync(file)).toBe(false);
    expect(rig.readAuth()).toMatchObject({
      providers: {},
      credential_pool: { nous: [], anthropic: [] },
      suppressed_sources: { nous: ["device_code"], anthropic: ["hermes_pkce"] },
    });
    await rig.book.addLogin({ provider: "anthropic", flow: "hermes_pkce", ...login });
    expect(await nextKey(rig.pool, "anthropic")).toBe("a");
    expect(rig.readAuth()["suppressed_sources"]).toEqual({ nous: ["device_code"] });
  });
});

describe("adding", () => {
  test("keys stand behind what is there already, in this process and the next", async () => {
    await using rig = createAuthRig({ variables: { OPENROUTER_API_KEY: "sk-env" } });
    await rig.book.addKey({ pool: "openrouter", key: "sk-1" });
    await rig.book.addKey({ pool: "openrouter", key: "sk-2", label: "spare" });
    expect(await rig.book.addKey({ pool: "openrouter", key: "sk-1" })).toMatchObject({
      kind: "same",
      label: "api-key-1",
    });
    for (const book of [rig.book, rig.again().book]) {
      expect((await book.list("openrouter", signal)).map(({ label }) => label)).toEqual([
        "OPENROUTER_API_KEY",
        "api-key-1",
        "spare",
      ]);
    }
    expect(readFileSync(rig.authFile, "utf8")).not.toContain("sk-env");
  });

  test("what has no name of its own gets the lowest free number, never one that is used", async () => {
    await using rig = createAuthRig();
    const labels = async (pool: string): Promise<readonly string[]> =>
      (await rig.book.list(pool, signal)).map(({ label }) => label);
    for (const key of ["sk-1", "sk-2", "sk-3"]) await rig.book.addKey({ pool: "openrouter", key });
    await rig.book.remove("openrouter", "api-key-2", signal);
    await rig.book.addKey({ pool: "openrouter", key: "sk-4" });
    await rig.book.addKey({ pool: "openrouter", key: "sk-5", label: "API-Key-4" });
    await rig.book.addKey({ pool: "openrouter", key: "sk-6" });
    expect(await labels("openrouter")).toEqual(["api-key-1", "api-key-3", "api-key-2", "API-Key-4", "api-key-5"]);

    const login = { provider: "openai-codex", flow: "device_code" };
    for (const accessToken of ["a", "b"]) await rig.book.addLogin({ ...login, accessToken });
    await rig.book.remove("openai-codex", "openai-codex-oauth-1", signal);
    await rig.book.addLogin({ ...login, accessToken: "c" });
    expect((await labels("openai-codex")).toSorted()).toEqual(["openai-codex-oauth-1", "openai-codex-oauth-2"]);
  });

  test("the first login has the source that the existing system knows; a second person's is another entry", async () => {
    await using rig = createAuthRig();
    const login = { provider: "openai-codex", flow: "device_code", refreshToken: "r" };
    await rig.book.addLogin({ ...login, accessToken: "a1", account: "me@example.org" });
    await rig.book.addLogin({ ...login, accessToken: "b1", account: "you@example.org" });
    expect(await rig.book.addLogin({ ...login, accessToken: "a2", account: "me@example.org" })).toMatchObject({
      kind: "renewed",
    });
    expect(
      rig.readEntries("openai-codex").map(({ label, source, access_token }) => [label, source, access_token]),
    ).toEqual([
      ["me@example.org", "device_code", "a2"],
      ["you@example.org", "manual:device_code", "b1"],
    ]);
    expect((rig.readAuth()["providers"] as Record<string, unknown>)["openai-codex"]).toMatchObject({
      tokens: { access_token: "a2", refresh_token: "r" },
    });
    expect(rig.readAuth()["active_provider"]).toBe("openai-codex");
  });
});

describe("the existing system's login states", () => {
  const state = { tokens: { access_token: "state-a", refresh_token: "state-r" }, last_refresh: "2025-12-31T00:00:00Z" };

  test("one without an entry is a credential; it is written as an entry when something is learned of it", async () => {
    await using rig = createAuthRig({ auth: { version: 1, providers: { "openai-codex": state } } });
    const [candidate] = await rig.book.list("openai-codex", signal);
    expect(candidate).toMatchObject({ source: "device_code", authType: "oauth", secret: { value: "state-a" } });
    using lease = await leased(rig.pool, "openai-codex");
    await rig.pool.rest("openai-codex", lease.credential, { kind: "rate_limit", status: 429, message: "" });
    expect(rig.readEntries("openai-codex")[0]).toMatchObject({ access_token: "state-a", last_status: "exhausted" });
    expect(await rig.book.logout("openai-codex")).toBe(1);
    expect(rig.readAuth()).toMatchObject({ providers: {}, credential_pool: { "openai-codex": [] } });
    expect(await rig.book.logout("openai-codex")).toBe(0);
  });

  test("the newer of entry and state counts", async () => {
    const entry = (last_refresh: string): object => ({
      id: "aaaaaa",
      label: "me",
      auth_type: "oauth",
      priority: 0,
      source: "device_code",
      access_token: "entry-a",
      refresh_token: "entry-r",
      last_refresh,
      last_status: "exhausted",
      last_status_at: START / 1000,
      last_error_reason: "invalid_grant",
    });
    for (const [last_refresh, expected] of [
      ["2025-12-30T00:00:00Z", "state-a"],
      ["2025-12-31T06:00:00Z", undefined],
    ] as const) {
      await using rig = createAuthRig({
        auth: { providers: { "openai-codex": state }, credential_pool: { "openai-codex": [entry(last_refresh)] } },
      });
      const outcome = await leaseFrom(rig.pool, "openai-codex");
      expect(outcome.kind === "leased" ? outcome.lease.credential.secret : outcome.kind).toEqual(
        expected === undefined ? "no_credential" : { kind: "key", value: expected },
      );
    }
  });
});

test("logging out leaves keys alone, and forgets who was signed in last", async () => {
  await using rig = createAuthRig({ auth: { credential_pool: { anthropic: [manual("aaaaaa", "key")] } } });
  await rig.book.addLogin({ provider: "anthropic", flow: "hermes_pkce", accessToken: "a" });
  await rig.book.addLogin({ provider: "google-gemini-cli", flow: "oauth", accessToken: "g" });
  await rig.book.addLogin({ provider: "anthropic", flow: "hermes_pkce", accessToken: "b", label: "second" });
  expect(await rig.book.logout("anthropic")).toBe(2);
  expect(rig.readEntries("anthropic").map(({ label }) => label)).toEqual(["key"]);
  expect([rig.book.active(), existsSync(join(rig.home, ".anthropic_oauth.json"))]).toEqual([undefined, false]);
  expect(await rig.book.logout("google-gemini-cli")).toBe(1);
  expect(await rig.book.list("google-gemini-cli", signal)).toEqual([]);
});

test("a broken file stops what people do, with its name", async () => {
  await using rig = createAuthRig({ auth: "{ broken" });
  for (const work of [
    () => rig.book.list("openrouter", signal),
    () => rig.book.reset("openrouter", signal),
    () => rig.book.logout("anthropic"),
    () => rig.book.restore("openrouter"),
  ]) {
    await expect(work()).rejects.toMatchObject({ code: "auth.broken_file" });
  }
  expect(() => rig.book.active()).toThrow(rig.authFile);
  writeFileSync(rig.authFile, "{}");
  expect(rig.book.active()).toBeUndefined();
  expect(rig.book.pools()).toContain("openrouter");
});
