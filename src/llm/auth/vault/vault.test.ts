import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAuthRig } from "../../../testing/auth-rig.ts";
import { OK } from "./entry-status.ts";
import { entryJson, ownCredential, readEntry, withoutSecrets } from "./pool-entry.ts";
import { parseVault, renderVault, storedEntries, withEntries, withSuppressed } from "./vault-document.ts";

const manual = (id: string, key: string, more: object = {}): object => ({
  id,
  label: id,
  auth_type: "api_key",
  priority: 0,
  source: "manual",
  access_token: key,
  ...more,
});

const LAST_SIX = [
  "last_status",
  "last_status_at",
  "last_error_code",
  "last_error_reason",
  "last_error_message",
  "last_error_reset_at",
];

const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** Another process with the same file open as `vault`, and `suppress(source)`. */
const startWriter = (home: string, script: string) => {
  const program = `
    import { systemClock } from ${moduleOf("../../../base/clock.ts")};
    import { createVault } from ${moduleOf("vault.ts")};
    import { withSuppressed } from ${moduleOf("vault-document.ts")};
    const home = process.argv[1];
    const vault = createVault({ file: home + "/auth.json", locksDirectory: home + "/locks", clock: systemClock });
    const suppress = (source, provider = "openrouter") => vault.update((before) => withSuppressed(before, provider, [source]));
    ${script}
  `;
  return spawn(process.execPath, ["--input-type=module", "-e", program, home], { stdio: ["pipe", "pipe", "inherit"] });
};

describe("what the file holds survives", () => {
  const foreign = {
    version: 1,
    active_provider: "nous",
    updated_at: "2026-01-01T00:00:00Z",
    providers: { nous: { access_token: "a", tls: { insecure: false } }, spotify: { tokens: { access_token: "s" } } },
    credential_pool: {
      openrouter: [manual("aaaaaa", "sk-1", { colour: "red" }), "not an entry", { label: "nothing in it" }],
      "custom:den": [manual("bbbbbb", "sk-2")],
    },
    suppressed_sources: { copilot: ["gh_cli"] },
    future: [1, { x: 2 }],
  };

  test("unknown members, other pools and entries of another form, at every level", async () => {
    await using rig = createAuthRig({ auth: foreign });
    await rig.vault.update((before) => withSuppressed(before, "openrouter", ["env:OPENROUTER_API_KEY"]));
    const after = rig.readAuth();
    const pool = after["credential_pool"] as Record<string, unknown[]>;
    expect({ ...after, credential_pool: null, suppressed_sources: null }).toEqual({
      ...foreign,
      credential_pool: null,
      suppressed_sources: null,
    });
    expect(after["suppressed_sources"]).toEqual({ copilot: ["gh_cli"], openrouter: ["env:OPENROUTER_API_KEY"] });
    expect(pool["openrouter"]?.slice(0, 2)).toEqual([manual("aaaaaa", "sk-1", { colour: "red" }), "not an entry"]);
    expect(pool["custom:den"]).toEqual(foreign.credential_pool["custom:den"]);
    await rig.book.reset("openrouter", new AbortController().signal);
    expect(Object.keys(rig.readEntries("openrouter")[0] ?? {})).toContain("colour");
  });

  test("a change of nothing writes nothing", async () => {
    await using rig = createAuthRig({ auth: foreign });
    const before = statSync(rig.authFile).ino;
    await rig.vault.update((document) => document);
    expect(statSync(rig.authFile).ino).toBe(before);
  });

  test("the last_* six are always written, as the existing system writes them", async () => {
    await using rig = createAuthRig();
    await rig.book.addKey({ pool: "openrouter", key: "sk-new", label: "mine" });
    const [entry = {}] = rig.readEntries("openrouter");
    expect(entry).toMatchObject({ label: "mine", auth_type: "api_key", source: "manual", access_token: "sk-new" });
    expect(entry["id"]).toMatch(/^[0-9a-f]{6}$/);
    for (const name of LAST_SIX) expect(entry, name).toHaveProperty(name);
    expect(rig.readAuth()).toMatchObject({ version: 1, active_provider: null, providers: {} });
  });
});

describe("R-CRED-1 other people's secrets are not kept", () => {
  const borrowed = {
    id: "cccccc",
    label: "gh",
    auth_type: "oauth",
    priority: 0,
    source: "gh_cli",
    access_token: "gho_secret_on_disk",
    refresh_token: "ghr_secret_on_disk",
    extra: { client_secret: "deep_secret", scope: "x" },
    token_type: "bearer",
    agent_key_id: "k1",
  };

  test("a secret in a borrowed entry is dropped at load, and off the disk with the next write", async () => {
    await using rig = createAuthRig({ auth: { version: 1, credential_pool: { copilot: [borrowed] } } });
    const read = rig.vault.read();
    if (read.kind !== "document") throw new Error("broken");
    expect(JSON.stringify(read.document.raw)).not.toContain("secret_on_disk");
    await rig.vault.update((document) => document);
    const text = readFileSync(rig.authFile, "utf8");
    expect(text).not.toMatch(/secret_on_disk|deep_secret/);
    expect(rig.readEntries("copilot")[0]).toMatchObject({ id: "cccccc", token_type: "bearer", agent_key_id: "k1" });
  });

  test("only the pairs of the list own their secrets", () => {
    const fields = {
      id: "x",
      label: "x",
      authType: "oauth",
      priority: 0,
      requestCount: 0,
      status: OK,
      secrets: { access_token: "a" },
    } as const;
    for (const [provider, source] of [
      ["anthropic", "hermes_pkce"],
      ["minimax-oauth", "oauth"],
      ["nous", "device_code"],
      ["openai-codex", "device_code"],
      ["xai-oauth", "loopback_pkce"],
      ["openrouter", "manual"],
      ["copilot", "manual:device_code"],
    ] as const) {
      expect(ownCredential(provider, { ...fields, source }).accessToken).toBe("a");
    }
    for (const [provider, source] of [
      ["copilot", "gh_cli"],
      ["anthropic", "claude_code"],
      ["anthropic", "device_code"],
      ["nous", "hermes_pkce"],
      ["openrouter", "env:OPENROUTER_API_KEY"],
      ["qwen-oauth", "qwen-cli"],
      ["custom:den", "config:den"],
      ["openrouter", "manually"],
    ] as const) {
      expect(() => ownCredential(provider, { ...fields, source })).toThrow(/belong to somebody else/);
    }
  });

  test("property: no entry of any form throws, and no borrowed one is written with a secret", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.object());
    const names = ["id", "label", "source", "access_token", "refresh_token", "agent_key", "expires_at", "last_status"];
    const entry = fc.dictionary(fc.oneof(fc.constantFrom(...names, ...LAST_SIX), fc.string()), value);
    fc.assert(
      fc.property(entry, fc.constantFrom("manual", "gh_cli", "env:X"), (raw, source) => {
        const secret = "S3CR3T-value";
        const read = readEntry({ ...raw, source, access_token: secret }, { provider: "copilot", index: 0 });
        expect(read?.kind).toBe(source === "manual" ? "owned" : "borrowed");
        if (read === undefined) return;
        const text = JSON.stringify(entryJson(read));
        expect(text.includes(secret)).toBe(read.kind === "owned");
        for (const name of LAST_SIX) expect(text).toContain(`"${name}":`);
      }),
    );
  });

  test("names of secrets, at any depth", () => {
    expect(
      withoutSecrets({
        id_token: "x",
        apiKey: "x",
        password: "x",
        list: [{ token: "x", kept: 1 }],
        token_type: "bearer",
        secret_source: "env",
        secret_fingerprint: "sha256:1",
        access_token: null,
        key: true,
      }),
    ).toEqual({
      list: [{ kept: 1 }],
      token_type: "bearer",
      secret_source: "env",
      secret_fingerprint: "sha256:1",
      access_token: null,
      key: true,
    });
  });
});

describe("a file that is not what it should be", () => {
  test.each([
    ["no JSON", '{"version": 1,', "is no JSON"],
    ["a list", "[]", "is no JSON object"],
    ["pools of another form", '{"credential_pool": {"openrouter": {"key": "x"}}}', "credential_pool.openrouter"],
  ])("%s: named, never written over", async (_, text, words) => {
    await using rig = createAuthRig({ auth: text });
    await expect(rig.book.addKey({ pool: "openrouter", key: "sk-1" })).rejects.toMatchObject({
      code: "auth.broken_file",
      message: expect.stringContaining(words) as string,
      hint: expect.stringContaining(rig.authFile) as string,
    });
    await expect(rig.vault.update((document) => withSuppressed(document, "x", ["y"]))).rejects.toMatchObject({
      code: "auth.broken_file",
    });
    expect(readFileSync(rig.authFile, "utf8")).toBe(text);
  });

  test("a folder in its place; an empty file counts as none; a mark at the beginning does no harm", async () => {
    await using folder = createAuthRig();
    mkdirSync(folder.authFile);
    expect(folder.vault.read()).toMatchObject({ kind: "broken" });
    await using empty = createAuthRig({ auth: " \n" });
    await empty.book.addKey({ pool: "openrouter", key: "sk-1" });
    expect(empty.readEntries("openrouter")).toHaveLength(1);
    await using marked = createAuthRig({ auth: `\uFEFF{"credential_pool": {"openrouter": []}}` });
    expect(marked.vault.read()).toMatchObject({ kind: "document" });
  });

  test("it is read again when it has changed, and only then", async () => {
    await using rig = createAuthRig({ auth: { version: 1 } });
    const first = rig.vault.read();
    expect(rig.vault.read()).toBe(first);
    await rig.again().book.addKey({ pool: "openrouter", key: "sk-1" });
    const read = rig.vault.read();
    expect(read.kind === "document" && storedEntries(read.document, "openrouter")).toHaveLength(1);
  });
});

describe("R-CRED-3 writing", () => {
  test("0600 under every umask, also over a file that others could read", async () => {
    for (const umask of [0o000, 0o022]) {
      await using rig = createAuthRig({ auth: { version: 1 } });
      chmodSync(rig.authFile, 0o666);
      const previous = process.umask(umask);
      try {
        await rig.book.addKey({ pool: "openrouter", key: "sk-1" });
        await rig.book.addLogin({ provider: "google-gemini-cli", flow: "oauth", accessToken: "a", refreshToken: "r" });
        await rig.book.addLogin({ provider: "anthropic", flow: "hermes_pkce", accessToken: "a", refreshToken: "r" });
      } finally {
        process.umask(previous);
      }
      for (const file of ["auth.json", ".anthropic_oauth.json", "auth/google_oauth.json"]) {
        expect(statSync(join(rig.home, file)).mode & 0o777, file).toBe(0o600);
      }
      expect(readdirSync(rig.home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }
  });

  test("a write that fails leaves the old file and nothing beside it", async () => {
    await using rig = createAuthRig({
      auth: { version: 1, credential_pool: { openrouter: [manual("aaaaaa", "sk-1")] } },
    });
    const before = readFileSync(rig.authFile, "utf8");
    const locks = join(rig.home, "locks");
    mkdirSync(locks);
    // A link into a folder that does not exist can be read as missing, not written.
    const elsewhere = join(rig.home, "auth-link.json");
    symlinkSync(join(rig.home, "nowhere", "auth.json"), elsewhere);
    const { createVault } = await import("./vault.ts");
    const broken = createVault({ file: elsewhere, locksDirectory: locks, clock: rig.clock });
    await expect(broken.update((document) => withSuppressed(document, "x", ["y"]))).rejects.toMatchObject({
      code: "file.write_failed",
    });
    expect(readFileSync(rig.authFile, "utf8")).toBe(before);
    expect(readdirSync(rig.home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("changes of several processes at once all land", async () => {
    await using rig = createAuthRig();
    const children = [1, 2, 3].map((n) =>
      startWriter(rig.home, `for (let i = 0; i < 8; i += 1) await suppress("env:P${n}_" + i);`),
    );
    const codes = await Promise.all(children.map((child) => once(child, "close")));
    expect(codes.map(([code]) => code as number)).toEqual([0, 0, 0]);
    const { openrouter = [] } = rig.readAuth()["suppressed_sources"] as Record<string, string[]>;
    expect(openrouter).toHaveLength(24);
  });

  test("killed in the middle of writing: the file is whole, and the next write leaves nothing beside it", async () => {
    await using rig = createAuthRig({ auth: { version: 1 } });
    const script = `
      console.log("go");
      for (let i = 0; ; i += 1) await vault.update((before) => ({ ...before, raw: { ...before.raw, i, padding: "x".repeat(200_000) } }));
    `;
    for (let round = 0; round < 3; round += 1) {
      const child = startWriter(rig.home, script);
      await once(child.stdout, "data");
      // Each round ends at another write: the file's number changes with each.
      const start = statSync(rig.authFile).ino;
      while (statSync(rig.authFile).ino === start) await rig.clock.settle();
      child.kill("SIGKILL");
      await once(child, "close");
      expect(parseVault(readFileSync(rig.authFile, "utf8")).kind).toBe("document");
    }
    // What a killed writer left is its own: another program's file of that kind is not touched.
    writeFileSync(join(rig.home, ".hermes-auth-0123456789abcdef.tmp"), "half");
    writeFileSync(join(rig.home, ".hermes-0123456789abcdef.tmp"), "somebody else's");
    await rig.vault.update((before) => withSuppressed(before, "x", ["y"]));
    expect(readdirSync(rig.home).filter((name) => name.endsWith(".tmp"))).toEqual([".hermes-0123456789abcdef.tmp"]);
  }, 60_000);

  test("a link is written where it leads, its folder's leftovers included", async () => {
    await using rig = createAuthRig();
    const real = join(rig.userDirectory, "kept", "auth.json");
    mkdirSync(dirname(real));
    writeFileSync(real, "{}");
    writeFileSync(join(dirname(real), ".hermes-auth-0123456789abcdef.tmp"), "half");
    symlinkSync(real, rig.authFile);
    await rig.book.addKey({ pool: "openrouter", key: "sk-1" });
    expect(readFileSync(real, "utf8")).toContain("sk-1");
    expect(readdirSync(dirname(real))).toEqual(["auth.json"]);
  });
});

test("a thousand entries: read once, changed in one write", async () => {
  const entries = Array.from({ length: 1000 }, (_, n) =>
    manual(n.toString(16).padStart(6, "0"), `sk-${n}`, { priority: n }),
  );
  const parsed = parseVault(JSON.stringify({ credential_pool: { openrouter: entries } }));
  if (parsed.kind !== "document") throw new Error("broken");
  const stored = storedEntries(parsed.document, "openrouter");
  expect(stored).toHaveLength(1000);
  const again = parseVault(renderVault(withEntries(parsed.document, "openrouter", stored)));
  expect(again.kind === "document" && storedEntries(again.document, "openrouter").map(({ id }) => id)).toEqual(
    stored.map(({ id }) => id),
  );
  await using rig = createAuthRig({ auth: { credential_pool: { openrouter: entries } } });
  const first = rig.vault.read();
  for (let n = 0; n < 1000; n += 1) rig.pool.peek("openrouter");
  expect(rig.vault.read()).toBe(first);
});
