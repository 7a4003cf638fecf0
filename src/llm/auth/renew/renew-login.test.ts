import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { acquireProcessLock } from "../../../base/process-lock.ts";
import { startAuthProcess } from "../../../testing/auth-process.ts";
import { createAuthRig, leased, leaseFrom, nextKey, valueOf, type AuthRig } from "../../../testing/auth-rig.ts";
import { endedLogin, loginRig, RIG_START } from "../../../testing/login-rig.ts";
import { startRotatingServer, startTokenServer, type TokenReply } from "../../../testing/token-server.ts";

const { signal } = new AbortController();

describe("B23 a refresh token is spent once", () => {
  test("two processes at once: one POST in all, both end with the same new pair", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = loginRig({
      provider: "openai-codex",
      server,
      entry: endedLogin("device_code", { expires_at_ms: 1 }),
    });
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
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
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
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    const request = { directory: join(rig.home, "locks"), name: "auth-openai-codex", clock: rig.clock };
    const held = await acquireProcessLock(request);
    if (held.kind !== "held") throw new Error("busy");
    const waiting = leased(rig.pool, "openai-codex");
    await rig.clock.settle();
    const fresh = { access_token: "peer-access", refresh_token: "peer-refresh", expires_at_ms: RIG_START + 3_600_000 };
    writeFileSync(
      rig.authFile,
      JSON.stringify({ credential_pool: { "openai-codex": [endedLogin("device_code", fresh)] } }),
    );
    held.lock.release();
    while ((await Promise.race([waiting.then(() => true), rig.clock.settle().then(() => false)])) !== true) {
      await rig.clock.advance(100);
    }
    expect(valueOf((await waiting).credential)).toBe("peer-access");
    expect(server.calls).toHaveLength(0);
  });

  test("a lock that is not free in time means try later, and the login lives", async () => {
    await using server = await startRotatingServer({ first: "refresh-0" });
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
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
      JSON.stringify({ credential_pool: { "openai-codex": [endedLogin("device_code", more)] } });
    let rig: AuthRig | undefined;
    await using server = await startTokenServer(() => {
      const fresh = {
        access_token: "python-access",
        refresh_token: "python-refresh",
        expires_at_ms: RIG_START + 3_600_000,
      };
      writeFileSync(rig!.authFile, auth(fresh));
      return { status: 401, body: { error: { code: "refresh_token_reused", message: "used" } } };
    });
    await using made = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    rig = made;
    expect(await nextKey(made.pool, "openai-codex")).toBe("python-access");
  });

  test("the wait can be ended; the renewal goes on and its pair is kept", async () => {
    let answer: (reply: TokenReply) => void = () => undefined;
    await using server = await startTokenServer(() => new Promise<TokenReply>((resolve) => (answer = resolve)));
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
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
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
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
      expiresAt: RIG_START + 3_600_000,
    });
    expect(added).toMatchObject({ id: "aaaaaa", kind: "renewed" });
    expect(await nextKey(rig.pool, "openai-codex")).toBe("access-new");
  });

  test.each([
    ["a server that is down", { status: 503, body: { error: "unavailable" } }],
    ["a proxy's page with status 403", { status: 403, body: "<html>blocked</html>" }],
    ["too many requests", { status: 429, body: { error: "slow_down" } }],
    ["an answer without a token", { status: 200, body: { ok: true } }],
    ["a token that no header can carry", { status: 200, body: { access_token: "X\r\nY: 1", refresh_token: "r2" } }],
    ["a client that is not known", { status: 401, body: { error: "invalid_client" } }],
  ] as const)("%s: try later, nothing is held against the login", async (_, reply) => {
    await using server = await startTokenServer(() => reply);
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    const before = readFileSync(rig.authFile, "utf8");
    expect((await leaseFrom(rig.pool, "openai-codex")).kind).toBe("try_later");
    expect(readFileSync(rig.authFile, "utf8")).toBe(before);
  });

  test("no network: try later; a token that still has a minute is used meanwhile", async () => {
    const server = await startTokenServer(() => ({ json: {} }));
    await server[Symbol.asyncDispose]();
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    const { host } = new URL(server.origin);
    expect(await leaseFrom(rig.pool, "openai-codex")).toMatchObject({
      kind: "try_later",
      why: expect.stringContaining(host) as string,
    });
    await using still = loginRig({
      provider: "openai-codex",
      server,
      entry: endedLogin("device_code", { expires_at_ms: RIG_START + 60_000 }),
    });
    expect(await nextKey(still.pool, "openai-codex")).toBe("access-0");
  });

  test("a login that cannot be renewed for now is passed over for the next credential", async () => {
    await using server = await startTokenServer(() => ({ status: 503, body: {} }));
    await using rig = createAuthRig({
      auth: {
        credential_pool: {
          anthropic: [
            endedLogin("hermes_pkce"),
            { id: "bbbbbb", label: "key", auth_type: "api_key", priority: 1, source: "manual", access_token: "sk-2" },
          ],
        },
      },
      overrides: { anthropic: { endpoints: { token: server.origin } } },
    });
    expect(await nextKey(rig.pool, "anthropic")).toBe("sk-2");
  });

  test.each([1e13, 1e300])("a pair that is said to end in %d seconds is kept: no date is so late", async (seconds) => {
    await using server = await startRotatingServer({ first: "refresh-0", expiresIn: seconds });
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    expect(await nextKey(rig.pool, "openai-codex")).toBe("access-1");
    const [entry] = rig.readEntries("openai-codex");
    expect(entry).toMatchObject({ access_token: "access-1", refresh_token: "refresh-1" });
    expect(entry).not.toHaveProperty("expires_at_ms");
  });

  test("the refresh token is never repeated in what is told or written", async () => {
    const body = { error: "invalid_grant", error_description: "no such token: refresh-0" };
    await using server = await startTokenServer(() => ({ status: 400, body }));
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    expect(JSON.stringify(await leaseFrom(rig.pool, "openai-codex"))).not.toContain("refresh-0");
    expect(JSON.stringify(rig.readEntries("openai-codex")[0]?.["last_error_message"])).not.toContain("refresh-0");
    expect(rig.warnings.join()).not.toContain("refresh-0");
  });

  test("not even the beginning of a long one, nor anything that a terminal obeys", async () => {
    const token = `long-refresh-${"t".repeat(1000)}`;
    const body = { error: "invalid_grant", error_description: `\u001B]0;owned\u0007no such token:\n${token}` };
    await using server = await startTokenServer(() => ({ status: 400, body }));
    const entry = endedLogin("device_code", { refresh_token: token });
    await using rig = loginRig({ provider: "openai-codex", server, entry });
    await leaseFrom(rig.pool, "openai-codex");
    expect(rig.readEntries("openai-codex")[0]?.["last_error_message"]).toBe(
      "invalid_grant:  ]0;owned no such token: …",
    );
    expect(rig.warnings.join()).not.toContain("long-refresh");
  });

  test("a pair that cannot be written serves this process, and is written before the next renewal", async () => {
    await using server = await startRotatingServer({ first: "refresh-0", expiresIn: 600 });
    await using rig = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
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
    await using made = loginRig({ provider: "openai-codex", server, entry: endedLogin("device_code") });
    rig = made;
    expect((await leaseFrom(made.pool, "openai-codex")).kind).toBe("try_later");
    expect(made.readEntries("openai-codex")).toEqual([]);
    expect(made.readAuth()["providers"] ?? {}).toEqual({});
  });
});
