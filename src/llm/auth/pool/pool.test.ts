import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAuthRig, leased, leaseFrom, nextKey, valueOf, type AuthRig } from "../../../testing/auth-rig.ts";
import { RIG_START } from "../../../testing/login-rig.ts";
import type { PooledCredential } from "../credential-pool.ts";
import type { ProviderError } from "../../provider-error.ts";

const LIMIT: ProviderError = { kind: "rate_limit", status: 429, message: "slow down" };
const REFUSED: ProviderError = { kind: "auth", status: 401, message: "no" };
const BROKE: ProviderError = { kind: "billing", status: 402, message: "pay" };

const manual = (n: number, more: object = {}): object => ({
  id: `00000${n}`,
  label: `key ${n}`,
  auth_type: "api_key",
  priority: n,
  source: "manual",
  access_token: `sk-${n}`,
  ...more,
});

const authOf = (...entries: readonly object[]): object => ({ version: 1, credential_pool: { openrouter: entries } });
const three = authOf(manual(1), manual(2), manual(3));

const credentialOf = async (rig: AuthRig, value: string): Promise<PooledCredential> => {
  const found = await rig.book.list("openrouter", new AbortController().signal);
  const candidate = found.find(({ secret }) => secret.kind === "key" && secret.value === value);
  if (candidate === undefined) throw new Error(`no ${value}`);
  return { id: candidate.id, label: candidate.label, source: candidate.source, secret: candidate.secret };
};

const keysOf = async (rig: AuthRig, count: number): Promise<(string | undefined)[]> => {
  const keys: (string | undefined)[] = [];
  for (let n = 0; n < count; n += 1) keys.push(await nextKey(rig.pool, "openrouter"));
  return keys;
};

describe("strategies", () => {
  test("fill_first takes the first by priority, whatever the order in the file", async () => {
    await using rig = createAuthRig({ auth: authOf(manual(3), manual(1), manual(2)) });
    expect(await keysOf(rig, 3)).toEqual(["sk-1", "sk-1", "sk-1"]);
    expect(rig.pool.peek("openrouter")).toMatchObject({ label: "key 1", secret: { value: "sk-1" } });
  });

  test("round_robin goes round, steps over what rests, and goes on in the next process", async () => {
    const strategies = { openrouter: "round_robin" } as const;
    await using rig = createAuthRig({ auth: three, strategies });
    expect(await keysOf(rig, 4)).toEqual(["sk-1", "sk-2", "sk-3", "sk-1"]);
    await rig.pool.rest("openrouter", await credentialOf(rig, "sk-2"), LIMIT);
    expect(await keysOf(rig, 3)).toEqual(["sk-3", "sk-1", "sk-3"]);
    const keys: (string | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) {
      const next = rig.again();
      keys.push(await nextKey(next.pool, "openrouter"));
      await next.pool[Symbol.asyncDispose]();
    }
    expect(new Set(keys.slice(0, 2))).toEqual(new Set(["sk-1", "sk-3"]));
    expect(keys.slice(2)).toEqual(keys.slice(0, 2));
  });

  test("least_used takes the one with the fewest calls, those of other processes counted", async () => {
    const strategies = { openrouter: "least_used" } as const;
    await using rig = createAuthRig({
      auth: authOf(manual(1, { request_count: 5 }), manual(2, { request_count: 3 }), manual(3, { request_count: 4 })),
      strategies,
    });
    expect(await keysOf(rig, 5)).toEqual(["sk-2", "sk-2", "sk-3", "sk-1", "sk-2"]);
    const other = rig.again();
    expect(await nextKey(other.pool, "openrouter")).toBe("sk-2");
    await other.pool[Symbol.asyncDispose]();
    expect(rig.readEntries("openrouter").map((entry) => entry["request_count"])).toEqual([5, 4, 4]);
  });

  test("random takes what chance says, and never what is not there", async () => {
    for (const [chance, key] of [
      [0, "sk-1"],
      [0.5, "sk-2"],
      [0.999, "sk-3"],
    ] as const) {
      await using rig = createAuthRig({ auth: three, strategies: { openrouter: "random" }, random: () => chance });
      expect(await nextKey(rig.pool, "openrouter")).toBe(key);
    }
  });
});

describe("leases", () => {
  test("a free credential before one in use; when all are in use, the strategy's own", async () => {
    await using rig = createAuthRig({ auth: three });
    const leases = [];
    for (let n = 0; n < 4; n += 1) leases.push(await leased(rig.pool, "openrouter"));
    expect(leases.map(({ credential }) => valueOf(credential))).toEqual(["sk-1", "sk-2", "sk-3", "sk-1"]);
    leases[1]?.[Symbol.dispose]();
    leases[1]?.[Symbol.dispose]();
    expect(await nextKey(rig.pool, "openrouter")).toBe("sk-2");
    // The first one was leased twice, so one release leaves it in use.
    leases[0]?.[Symbol.dispose]();
    leases[0]?.[Symbol.dispose]();
    expect(await nextKey(rig.pool, "openrouter")).toBe("sk-2");
    leases[3]?.[Symbol.dispose]();
    expect(await nextKey(rig.pool, "openrouter")).toBe("sk-1");
  });

  test("calls that begin at the same moment get different credentials", async () => {
    await using rig = createAuthRig({ auth: three });
    const leases = await Promise.all([1, 2, 3].map(() => leased(rig.pool, "openrouter")));
    expect(new Set(leases.map(({ credential }) => credential.id)).size).toBe(3);
  });

  test("the preferred one is taken though it is in use, unless it is excluded or rests", async () => {
    await using rig = createAuthRig({ auth: three, strategies: { openrouter: "round_robin" } });
    using held = await leased(rig.pool, "openrouter", { prefer: "000002" });
    expect(valueOf(held.credential)).toBe("sk-2");
    expect(await nextKey(rig.pool, "openrouter", { prefer: "000002" })).toBe("sk-2");
    expect(await nextKey(rig.pool, "openrouter", { prefer: "000002", exclude: new Set(["000002"]) })).not.toBe("sk-2");
    await rig.pool.rest("openrouter", held.credential, LIMIT);
    expect(await nextKey(rig.pool, "openrouter", { prefer: "000002" })).not.toBe("sk-2");
  });

  test("others counts what could be leased besides", async () => {
    await using rig = createAuthRig({ auth: three });
    using first = await leased(rig.pool, "openrouter");
    expect(first.others).toBe(2);
    await rig.pool.rest("openrouter", await credentialOf(rig, "sk-2"), LIMIT);
    using second = await leased(rig.pool, "openrouter", { exclude: new Set([first.credential.id]) });
    expect([valueOf(second.credential), second.others]).toEqual(["sk-3", 0]);
  });

  test("the same key twice is one credential: who refuses the first is not asked with the second", async () => {
    await using rig = createAuthRig({ auth: authOf(manual(1), manual(2, { access_token: "sk-1" })) });
    using first = await leased(rig.pool, "openrouter");
    expect(first.others).toBe(0);
    expect(await leaseFrom(rig.pool, "openrouter", { exclude: new Set(["000001"]) })).toEqual({
      kind: "no_credential",
    });
  });

  test("an ended wish is not served; a provider that nobody knows has nothing", async () => {
    await using rig = createAuthRig({ auth: three });
    await expect(leaseFrom(rig.pool, "openrouter", { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow(
      "stop",
    );
    expect(await leaseFrom(rig.pool, "nowhere")).toEqual({ kind: "no_credential" });
    expect(rig.pool.peek("nowhere")).toBeUndefined();
  });
});

describe("rests", () => {
  test("401 = 300 s, all else 3,600 s, the provider's own time before both", async () => {
    await using rig = createAuthRig({ auth: three });
    const start = rig.clock.now();
    for (const [value, error, seconds] of [
      ["sk-1", REFUSED, 300],
      ["sk-2", BROKE, 3600],
      ["sk-3", { ...LIMIT, retryAfterMs: 45_000 }, 45],
    ] as const) {
      await rig.pool.rest("openrouter", await credentialOf(rig, value), error);
      const { status } = (await rig.book.list("openrouter", new AbortController().signal)).find(
        ({ secret }) => secret.kind === "key" && secret.value === value,
      )!;
      expect(status).toMatchObject({ kind: "resting", until: start + seconds * 1000 });
    }
    expect(await leaseFrom(rig.pool, "openrouter")).toMatchObject({
      kind: "resting",
      until: start + 45_000,
      last: { kind: "rate_limit", status: 429, message: "slow down" },
    });
    await rig.clock.advance(45_000);
    expect(await keysOf(rig, 1)).toEqual(["sk-3"]);
    await rig.clock.advance(255_000);
    expect(await keysOf(rig, 1)).toEqual(["sk-1"]);
  });

  test("other processes see them, in the existing system's form; a reset there ends them here", async () => {
    await using rig = createAuthRig({ auth: three });
    await rig.pool.rest("openrouter", await credentialOf(rig, "sk-1"), { ...LIMIT, retryAfterMs: 120_000 });
    const now = rig.clock.now() / 1000;
    expect(rig.readEntries("openrouter")[0]).toMatchObject({
      last_status: "exhausted",
      last_status_at: now,
      last_error_code: 429,
      last_error_reason: "rate_limit",
      last_error_message: "slow down",
      last_error_reset_at: now + 120,
    });
    const other = rig.again();
    expect(await nextKey(other.pool, "openrouter")).toBe("sk-2");
    expect(await other.book.reset("openrouter", new AbortController().signal)).toBe(1);
    expect(await nextKey(rig.pool, "openrouter")).toBe("sk-1");
    expect(rig.readEntries("openrouter")[0]).toMatchObject({ last_status: "ok", last_error_code: null });
  });

  test("the existing system's marks are read: seconds, milliseconds, ISO", async () => {
    const at = Date.UTC(2026, 0, 1) / 1000;
    const exhausted = (reset: unknown, code = 429): object => ({
      last_status: "exhausted",
      last_status_at: at,
      last_error_code: code,
      last_error_reset_at: reset,
    });
    await using rig = createAuthRig({
      auth: authOf(
        manual(1, exhausted(at + 60)),
        manual(2, exhausted((at + 120) * 1000)),
        manual(3, exhausted(new Date((at + 180) * 1000).toISOString())),
        manual(4, exhausted(null, 401)),
        manual(5, { last_status: "exhausted" }),
      ),
    });
    expect(await keysOf(rig, 1)).toEqual(["sk-5"]);
    const exclude = new Set(["000005"]);
    for (const key of ["sk-1", "sk-2", "sk-3"]) {
      await rig.clock.advance(59_999);
      expect((await leaseFrom(rig.pool, "openrouter", { exclude })).kind).toBe("resting");
      await rig.clock.advance(1);
      expect(await nextKey(rig.pool, "openrouter", { exclude })).toBe(key);
      for (const each of rig.readEntries("openrouter"))
        if (each["access_token"] === key) exclude.add(String(each["id"]));
    }
    await rig.clock.advance(120_000);
    expect(await nextKey(rig.pool, "openrouter", { exclude })).toBe("sk-4");
  });

  test("even a resting one where there is nowhere else to go: the one that wakes first", async () => {
    await using rig = createAuthRig({ auth: three });
    for (const [value, retryAfterMs] of [
      ["sk-1", 300_000],
      ["sk-2", 100_000],
      ["sk-3", 200_000],
    ] as const) {
      await rig.pool.rest("openrouter", await credentialOf(rig, value), { ...LIMIT, retryAfterMs });
    }
    expect(await nextKey(rig.pool, "openrouter", { evenResting: true })).toBe("sk-2");
    expect(await nextKey(rig.pool, "openrouter", { evenResting: true, exclude: new Set(["000002"]) })).toBe("sk-3");
  });

  test("an absurd time of the provider's does not bench a key for years", async () => {
    await using rig = createAuthRig({ auth: authOf(manual(1)) });
    await rig.pool.rest("openrouter", await credentialOf(rig, "sk-1"), { ...LIMIT, retryAfterMs: 1e15 });
    await rig.clock.advance(32 * 24 * 3_600_000);
    expect(await keysOf(rig, 1)).toEqual(["sk-1"]);
  });

  test("a rest that a clock of the future began does not bench a key until then", async () => {
    const rested = (sinceMs: number): object => ({
      last_status: "exhausted",
      last_status_at: sinceMs / 1000,
      last_error_code: 429,
      last_error_reason: "rate_limit",
    });
    const year = 365 * 24 * 3_600_000;
    await using rig = createAuthRig({
      auth: authOf(manual(1, rested(RIG_START + year)), manual(2, rested(RIG_START + 60_000))),
    });
    expect(await keysOf(rig, 1)).toEqual(["sk-1"]);
    expect(await leaseFrom(rig.pool, "openrouter", { exclude: new Set(["000001"]) })).toMatchObject({
      kind: "resting",
    });
  });

  test("B24 the key that made the request decides which entry is marked, not the id", async () => {
    await using rig = createAuthRig({
      auth: authOf(manual(2)),
      variables: { OPENROUTER_API_KEY: "sk-env" },
    });
    const environment = await credentialOf(rig, "sk-env");
    const other = await credentialOf(rig, "sk-2");
    await rig.pool.rest("openrouter", environment, LIMIT);
    expect(await keysOf(rig, 1)).toEqual(["sk-2"]);
    await rig.book.reset("openrouter", new AbortController().signal);
    // The rotation left B's id beside A's key.
    await rig.pool.rest("openrouter", { ...other, secret: environment.secret }, LIMIT);
    expect(await keysOf(rig, 1)).toEqual(["sk-2"]);
    expect(rig.readEntries("openrouter").map((entry) => [entry["source"], entry["last_status"]])).toEqual([
      ["manual", "ok"],
      ["env:OPENROUTER_API_KEY", "exhausted"],
    ]);
    // A key that nobody has any more marks nobody.
    await rig.pool.rest("openrouter", { ...other, secret: { kind: "key", value: "sk-gone" } }, LIMIT);
    await rig.pool.rest("openrouter", { ...other, secret: { kind: "none" } }, LIMIT);
    expect(await keysOf(rig, 1)).toEqual(["sk-2"]);
  });

  test("R-CRED-1 a rest of a borrowed key is written without the key, and holds for that key alone", async () => {
    const variables = { ZAI_API_KEY: "zai-secret-2", GLM_API_KEY: "zai-secret-1" };
    await using rig = createAuthRig({ variables });
    expect(await nextKey(rig.pool, "zai")).toBe("zai-secret-1");
    using first = await leased(rig.pool, "zai");
    await rig.pool.rest("zai", first.credential, LIMIT);
    const text = JSON.stringify(rig.readAuth());
    expect(text).not.toContain("zai-secret");
    expect(rig.readEntries("zai").map(({ source, secret_fingerprint }) => [source, secret_fingerprint])).toEqual([
      ["env:GLM_API_KEY", expect.stringMatching(/^sha256:[0-9a-f]{16}$/)],
      ["env:ZAI_API_KEY", expect.stringMatching(/^sha256:[0-9a-f]{16}$/)],
    ]);
    const same = rig.again();
    expect(await nextKey(same.pool, "zai")).toBe("zai-secret-2");
    const changed = rig.again({ variables: { ...variables, GLM_API_KEY: "zai-secret-3" } });
    expect(await nextKey(changed.pool, "zai")).toBe("zai-secret-3");
  });

  test("what cannot be written still holds in this process, and costs no call", async () => {
    await using rig = createAuthRig({ auth: three });
    const first = await credentialOf(rig, "sk-1");
    // Nothing can be locked where `locks` is a file.
    rmSync(join(rig.home, "locks"), { recursive: true, force: true });
    writeFileSync(join(rig.home, "locks"), "");
    await rig.pool.rest("openrouter", first, LIMIT);
    expect(rig.warnings.join()).toContain("could not be written");
    expect(rig.readEntries("openrouter")[0]).not.toHaveProperty("last_status");
    expect(await keysOf(rig, 1)).toEqual(["sk-2"]);
    expect(await nextKey(rig.again().pool, "openrouter")).toBe("sk-1");
    await using other = createAuthRig({ auth: "{ broken", variables: { OPENROUTER_API_KEY: "sk-env" } });
    using lease = await leased(other.pool, "openrouter");
    await other.pool.rest("openrouter", lease.credential, LIMIT);
    expect(await leaseFrom(other.pool, "openrouter")).toMatchObject({ kind: "resting" });
    expect(other.warnings.join()).toContain("could not be written");
  });
});

describe("a file that cannot be read", () => {
  test("keys of the environment go on; where there are none, the reason is told", async () => {
    await using rig = createAuthRig({ auth: "{ broken" });
    expect(await leaseFrom(rig.pool, "openrouter")).toMatchObject({
      kind: "no_credential",
      error: { code: "auth.broken_file" },
    });
    expect(rig.pool.peek("openrouter")).toBeUndefined();
    const keyed = rig.again({ variables: { OPENROUTER_API_KEY: "sk-env" } });
    expect(await nextKey(keyed.pool, "openrouter")).toBe("sk-env");
  });
});

test("renewing a key: it is none that can be; unless the owner has put another one in its place", async () => {
  await using rig = createAuthRig({ auth: authOf(manual(1)) });
  const { signal } = new AbortController();
  const refused = await credentialOf(rig, "sk-1");
  expect(await rig.pool.renew("openrouter", refused, signal)).toEqual({ kind: "not_renewable", why: "it is a key" });
  writeFileSync(rig.authFile, JSON.stringify(authOf(manual(1, { access_token: "sk-changed" }))));
  const renewed = await rig.pool.renew("openrouter", refused, signal);
  expect(renewed.kind === "renewed" && valueOf(renewed.lease.credential)).toBe("sk-changed");
  await rig.book.remove("openrouter", "1", signal);
  expect((await rig.pool.renew("openrouter", refused, signal)).kind).toBe("not_renewable");
});
