import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAuthRig, leased, leaseFrom, nextKey, valueOf, type AuthRig } from "../../../testing/auth-rig.ts";
import { startTokenServer } from "../../../testing/token-server.ts";
import { keyCredential, keyValueOf } from "../../credential.ts";
import { poolNameOf, poolNames } from "./live-credential.ts";
import { PROVIDER_ROWS } from "../../providers/rows.ts";

const { signal } = new AbortController();
const START = Date.UTC(2026, 0, 1);
const TOKEN = "gho_abcdefghijklmnopqrst";

const listed = async (rig: AuthRig, pool: string): Promise<(readonly [string, string | undefined])[]> =>
  (await rig.book.list(pool, signal)).map(({ source, base }) => [source, keyValueOf(base)] as const);

describe("variables and settings", () => {
  test("the variables of a provider's row in their order; blank ones are none", async () => {
    await using rig = createAuthRig({
      variables: { Z_AI_API_KEY: "third", GLM_API_KEY: " first \n", ZAI_API_KEY: "  " },
    });
    expect(await listed(rig, "zai")).toEqual([
      ["env:GLM_API_KEY", "first"],
      ["env:Z_AI_API_KEY", "third"],
    ]);
  });

  test("an entry's own key goes first, and its variable stands for those of the row", async () => {
    const variables = { OPENROUTER_API_KEY: "row", MY_KEY: "mine" };
    await using own = createAuthRig({ variables, providers: { openrouter: { api_key: "inline", models: {} } } });
    expect(await listed(own, "openrouter")).toEqual([
      ["config:openrouter", "inline"],
      ["env:OPENROUTER_API_KEY", "row"],
    ]);
    await using named = createAuthRig({ variables, providers: { openrouter: { key_env: "MY_KEY", models: {} } } });
    expect(await listed(named, "openrouter")).toEqual([["env:MY_KEY", "mine"]]);
  });

  test("an endpoint of the owner's own has a pool of its own name", async () => {
    const rows = PROVIDER_ROWS;
    const providers = { "My Den": { key_env: "DEN_KEY", models: {} } };
    await using rig = createAuthRig({ variables: { DEN_KEY: "den" }, providers });
    expect(await nextKey(rig.pool, "custom:my-den")).toBe("den");
    for (const written of ["My Den", "my-den", "custom:my den", " CUSTOM:My-Den "]) {
      expect(poolNameOf(written, { providers, rows })).toBe("custom:my-den");
    }
    expect(poolNameOf("OpenRouter", { providers, rows })).toBe("openrouter");
    expect(poolNameOf("nowhere", { providers, rows })).toBeUndefined();
    expect(poolNames({ providers, rows })).toContain("custom:my-den");
    expect(
      poolNames({ providers: { openrouter: { models: {} } }, rows }).filter((name) => name.includes("openrouter")),
    ).toEqual(["openrouter"]);
  });

  test("a key of an owner's own entry is not another provider's, and the other way round", async () => {
    const providers = { openrouter2: { api_key: "two", models: {} } };
    await using rig = createAuthRig({ variables: { OPENROUTER_API_KEY: "one" }, providers });
    expect(await listed(rig, "openrouter")).toEqual([["env:OPENROUTER_API_KEY", "one"]]);
    expect(await listed(rig, "custom:openrouter2")).toEqual([["config:openrouter2", "two"]]);
    expect(await leaseFrom(rig.pool, "deepseek")).toEqual({ kind: "no_credential" });
  });
});

describe("logins of other programs", () => {
  test("Claude Code: taken as it is, never renewed here, taken anew when it has renewed itself", async () => {
    await using rig = createAuthRig();
    const write = (accessToken: string, expiresAt: number): void =>
      rig.writeUserFile(".claude/.credentials.json", {
        claudeAiOauth: { accessToken, refreshToken: "theirs", expiresAt },
      });
    write("sk-ant-oat-1", START + 60_000);
    using lease = await leased(rig.pool, "anthropic");
    expect(lease.credential).toMatchObject({ source: "claude_code", secret: { value: "sk-ant-oat-1" } });
    expect(await rig.pool.renew("anthropic", lease.credential, signal)).toMatchObject({ kind: "not_renewable" });
    await rig.clock.advance(60_000);
    expect(await leaseFrom(rig.pool, "anthropic")).toMatchObject({
      kind: "try_later",
      why: expect.stringContaining("`claude`") as string,
    });
    write("sk-ant-oat-2", START + 7_200_000);
    const renewed = await rig.pool.renew("anthropic", lease.credential, signal);
    expect(renewed.kind === "renewed" && valueOf(renewed.lease.credential)).toBe("sk-ant-oat-2");
    expect(await nextKey(rig.pool, "anthropic")).toBe("sk-ant-oat-2");
  });

  test("files that are none: a folder, no JSON, another form, too large", async () => {
    await using rig = createAuthRig();
    const file = join(rig.userDirectory, ".claude/.credentials.json");
    mkdirSync(file, { recursive: true });
    expect(await listed(rig, "anthropic")).toEqual([]);
    for (const content of ["{", "[]", '{"claudeAiOauth": 7}', '{"claudeAiOauth": {"accessToken": ""}}']) {
      await using other = createAuthRig();
      other.writeUserFile(".claude/.credentials.json", content);
      expect(await listed(other, "anthropic")).toEqual([]);
    }
    await using large = createAuthRig();
    large.writeUserFile(".qwen/oauth_creds.json", { access_token: "t", padding: "x".repeat(2 * 1024 * 1024) });
    expect(await listed(large, "qwen-oauth")).toEqual([]);
  });

  test("Amazon's credentials are asked for with the call alone", async () => {
    let asked = 0;
    const credential = { kind: "aws", region: "eu-west-1", accessKeyId: "AKIA1", secretAccessKey: "s" } as const;
    await using rig = createAuthRig({
      aws: () => {
        asked += 1;
        return Promise.resolve({ kind: "found", credential });
      },
    });
    expect(rig.pool.peek("bedrock")).toBeUndefined();
    expect(asked).toBe(0);
    using lease = await leased(rig.pool, "bedrock");
    expect(lease.credential).toMatchObject({ source: "aws", secret: credential });
    await rig.pool.rest("bedrock", lease.credential, { kind: "rate_limit", status: 429, message: "slow" });
    expect(await leaseFrom(rig.pool, "bedrock")).toMatchObject({ kind: "resting" });
    expect(readFileSync(rig.authFile, "utf8")).not.toContain("AKIA1");
    const none = rig.again({ aws: () => Promise.resolve({ kind: "none", why: "no profile" }) });
    expect(await leaseFrom(none.pool, "bedrock")).toEqual({ kind: "try_later", why: "no profile" });
    expect(await leaseFrom(none.pool, "openrouter")).toEqual({ kind: "no_credential" });
  });
});

describe("GitHub's command line", () => {
  const count = 'echo x >> "$0.calls"; ';
  const callsOf = (rig: AuthRig): number => readFileSync(join(rig.userDirectory, "gh.calls"), "utf8").length / 2;
  const exchange = () =>
    startTokenServer(({ headers }) => ({
      json: { token: `for ${String(headers["authorization"])}`, expires_at: START / 1000 + 1800 },
    }));

  test("asked with its own arguments and without the variables, once, and never at a peek", async () => {
    await using server = await exchange();
    await using rig = createAuthRig({
      gh: `${count}[ "$*" = "auth token --hostname github.com" ] && [ -z "$GH_TOKEN$GITHUB_TOKEN" ] && echo ${TOKEN}`,
      overrides: { copilot: { endpoints: { key: server.origin } } },
    });
    expect(rig.pool.peek("copilot")).toBeUndefined();
    rig.writeUserFile(".config/gh/hosts.yml", "github.com:\n");
    expect(rig.pool.peek("copilot")).toMatchObject({ source: "gh_cli", secret: { kind: "none" } });
    expect(() => callsOf(rig)).toThrow();
    expect(await nextKey(rig.pool, "copilot")).toBe(`for token ${TOKEN}`);
    expect(await nextKey(rig.pool, "copilot")).toBe(`for token ${TOKEN}`);
    expect(callsOf(rig)).toBe(1);
    await rig.clock.advance(600_000);
    await nextKey(rig.pool, "copilot");
    expect(callsOf(rig)).toBe(2);
  });

  test("a refused token is asked for anew: another sign-in there is taken", async () => {
    await using server = await exchange();
    await using rig = createAuthRig({
      gh: `cat "$(dirname "$0")/token"`,
      overrides: { copilot: { endpoints: { key: server.origin } } },
    });
    writeFileSync(join(rig.userDirectory, "token"), TOKEN);
    using lease = await leased(rig.pool, "copilot");
    writeFileSync(join(rig.userDirectory, "token"), TOKEN.replace("abc", "xyz"));
    const renewed = await rig.pool.renew("copilot", lease.credential, signal);
    expect(renewed.kind === "renewed" && valueOf(renewed.lease.credential)).toContain("gho_xyz");
  });

  test.each([
    ["fails", "exit 1"],
    ["says something else", "echo 'no oauth token found'"],
    ["gives a classic token, which Copilot refuses", "echo ghp_abcdefghijklmnopqrstuvwxyz"],
    ["floods", "yes token"],
  ])("one that %s gives nothing", async (_, gh) => {
    await using rig = createAuthRig({ gh });
    expect(await leaseFrom(rig.pool, "copilot")).toEqual({ kind: "no_credential" });
  });

  test("one that never answers is ended after 5 s", async () => {
    await using rig = createAuthRig({ gh: 'echo $$ > "$0.pid"; exec sleep 1000' });
    const outcome = leaseFrom(rig.pool, "copilot");
    while (rig.clock.pending === 0) await rig.clock.settle();
    await rig.clock.advance(5_000);
    expect(await outcome).toEqual({ kind: "no_credential" });
  });

  test("classic tokens in variables are not Copilot's either", async () => {
    await using rig = createAuthRig({ variables: { GITHUB_TOKEN: "ghp_abcdefghijklmnopqrst" } });
    expect(await listed(rig, "copilot")).toEqual([]);
  });
});

test("R-CRED-1 a borrowed entry exists only while its source answers", async () => {
  const entry = {
    id: "cccccc",
    label: "gh",
    auth_type: "oauth",
    priority: 0,
    source: "gh_cli",
    access_token: "gho_disk",
  };
  await using rig = createAuthRig({ auth: { credential_pool: { copilot: [entry] } } });
  expect(await listed(rig, "copilot")).toEqual([]);
  expect(rig.pool.peek("copilot")).toBeUndefined();
  expect(await leaseFrom(rig.pool, "copilot")).toEqual({ kind: "no_credential" });
  // The first lease has taken the secret off the disk.
  expect(readFileSync(rig.authFile, "utf8")).not.toContain("gho_disk");
  await expect(rig.book.remove("copilot", "1", signal)).rejects.toMatchObject({
    message: "No credential #1. Provider: copilot.",
  });
  const again = rig.again({ variables: { GH_TOKEN: TOKEN } });
  expect((await again.book.list("copilot", signal)).map(({ source, base }) => [source, base])).toEqual([
    ["env:GH_TOKEN", keyCredential(TOKEN)],
  ]);
});
