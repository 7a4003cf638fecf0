import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { startAuthProcess } from "../../../testing/auth-process.ts";
import { createAuthRig, leased, valueOf, type AuthRig } from "../../../testing/auth-rig.ts";
import { walkInBrowser } from "../../../testing/browser-walk.ts";
import { startJsonServer } from "../../../testing/json-server.ts";
import { startOAuthServer, type OAuthServer } from "../../../testing/oauth-server.ts";
import { createPerson, createQuickClock, personWith, plainHttp } from "../../../testing/sign-in-rig.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import type { NewLogin } from "../vault/add-credential.ts";
import { suppressedSources, withSuppressed } from "../vault/vault-document.ts";
import { findSignInProvider } from "./sign-in-provider.ts";
import { signIn } from "./sign-in.ts";
import type { SignInRequest } from "./settle-request.ts";

const NEVER = new AbortController().signal;
const CODEX = "openai-codex";

/** Signs a person in at the real server. */
const signInAs = async (
  server: OAuthServer,
  login: string,
  request: Partial<SignInRequest> = {},
): Promise<NewLogin> => {
  await using http = plainHttp();
  const browser = findSignInProvider(CODEX)?.browser;
  if (browser === undefined) throw new TypeError("it has no sign-in in the browser");
  return await signIn(
    {
      http,
      clock: systemClock,
      person: personWith((url) => walkInBrowser(url, { login })),
      redact: (said) => said,
      override: {
        clientId: server.clientId,
        endpoints: server.endpoints,
        browser: { ...browser, redirect: { ...browser.redirect, port: 0 } },
      },
    },
    { provider: CODEX, ...request },
    NEVER,
  );
};

const entriesOf = (rig: AuthRig): readonly Record<string, unknown>[] => rig.readEntries(CODEX);

test("the same account replaces its login and keeps its name, another one stands beside it", async () => {
  await using server = await startOAuthServer();
  await using rig = createAuthRig();
  const first = await rig.book.addLogin(await signInAs(server, "ann", { label: "work" }));
  expect(first).toMatchObject({ kind: "added", label: "work" });
  const [before] = entriesOf(rig);
  const again = await rig.book.addLogin(await signInAs(server, "ann"));
  expect(again).toEqual({ id: first.id, label: "work", kind: "renewed" });
  const [after, ...others] = entriesOf(rig);
  expect(others).toEqual([]);
  expect(after?.["access_token"]).not.toBe(before?.["access_token"]);
  expect(after?.["refresh_token"]).not.toBe(before?.["refresh_token"]);
  const other = await rig.book.addLogin(await signInAs(server, "bob"));
  expect(other).toMatchObject({ kind: "added", label: "bob@example.org" });
  expect(entriesOf(rig).map(({ label, source, account_id }) => [label, source, account_id])).toEqual([
    ["work", "device_code", "ann"],
    ["bob@example.org", "manual:device_code", "bob"],
  ]);
  expect(statSync(rig.authFile).mode & 0o777).toBe(0o600);
});

test("two accounts of one name are two logins", async () => {
  await using rig = createAuthRig();
  const login = { provider: CODEX, flow: "device_code", accessToken: "a", account: "ann@example.org" };
  await rig.book.addLogin({ ...login, subject: "ann/own" });
  await rig.book.addLogin({ ...login, accessToken: "b", subject: "ann/company" });
  await rig.book.addLogin({ ...login, accessToken: "c", subject: "ann/own" });
  expect(entriesOf(rig).map(({ access_token }) => access_token)).toEqual(["c", "b"]);
});

test("signing in makes a source count again that was taken out", async () => {
  await using server = await startOAuthServer();
  await using rig = createAuthRig();
  await rig.vault.update((document) => withSuppressed(document, CODEX, ["device_code"]));
  await rig.book.addLogin(await signInAs(server, "ann"));
  const read = rig.vault.read();
  expect(read.kind === "document" && suppressedSources(read.document, CODEX)).toEqual([]);
  const { credential } = await leased(rig.pool, CODEX);
  expect(valueOf(credential)).toBe(entriesOf(rig)[0]?.["access_token"]);
});

test("an old address or client is not left when one signs in again without it", async () => {
  await using portal = await startJsonServer({
    "/api/oauth/device/code": () => ({
      body: { device_code: "d", user_code: "U-1", verification_uri: "https://example.org/d", expires_in: 60 },
    }),
    "/api/oauth/token": () => ({ body: { access_token: "at", refresh_token: "rt" } }),
    "/api/oauth/agent-key": () => ({ body: { api_key: "ak", expires_in: 86_400 } }),
  });
  await using http = plainHttp();
  await using rig = createAuthRig();
  const add = async (request: Partial<SignInRequest>, endpoints = {}): Promise<void> => {
    const deps = { http, clock: createQuickClock(), person: createPerson(), redact: (said: string) => said };
    const wish = { provider: "nous", label: "me", ...request };
    await rig.book.addLogin(await signIn({ ...deps, override: { endpoints } }, wish, NEVER));
  };
  const inferenceUrl = "https://models.example.org/v1";
  await add({ portalUrl: portal.origin, clientId: "my-client", inferenceUrl });
  expect(rig.readEntries("nous")[0]).toMatchObject({
    client_id: "my-client",
    portal_base_url: portal.origin,
    base_url: inferenceUrl,
  });
  const { device, token, key } = {
    device: "/api/oauth/device/code",
    token: "/api/oauth/token",
    key: "/api/oauth/agent-key",
  };
  const at = (path: string): string => `${portal.origin}${path}`;
  await add({}, { device: at(device), token: at(token), key: at(key) });
  const [entry, ...others] = rig.readEntries("nous");
  expect(others).toEqual([]);
  expect(entry?.["client_id"]).toBe("hermes-cli");
  expect(entry).not.toHaveProperty("base_url");
});

describe("B23 at a real server, which ends the whole grant when a refresh token comes twice", () => {
  test("two processes renew at once: one POST, one new pair, and it still works afterwards", async () => {
    await using server = await startOAuthServer();
    await using rig = createAuthRig();
    const login = await signInAs(server, "ann");
    await rig.book.addLogin({ ...login, expiresAt: systemClock.now() - 1000 });
    const [before] = entriesOf(rig);
    const exchanged = server.count("/token");
    const children = [1, 2].map(() =>
      startAuthProcess({
        userDirectory: rig.userDirectory,
        tokens: { [CODEX]: server.endpoints.token },
        script: `console.log("ready"); await nextLine(); console.log(await lease(${JSON.stringify(CODEX)}));`,
      }),
    );
    await Promise.all(children.map((child) => once(child.stdout!, "data")));
    const outputs = children.map((child) => text(child.stdout!));
    for (const child of children) child.stdin?.end("go\n");
    const keys = (await Promise.all(outputs)).map((output) => output.trim());
    const [after] = entriesOf(rig);
    expect(server.count("/token") - exchanged).toBe(1);
    expect(keys).toEqual([after?.["access_token"], after?.["access_token"]]);
    expect(after?.["access_token"]).not.toBe(before?.["access_token"]);
    expect(after).toMatchObject({ client_id: server.clientId, last_status: "ok" });
    const answer = await fetch(server.endpoints.token, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: server.clientId,
        refresh_token: String(after?.["refresh_token"]),
      }),
    });
    expect(answer.status).toBe(200);
  }, 60_000);
});

const hasOpenssl = (): boolean => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const SUBJECT = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];

/** A certificate that nobody has signed. */
const makeCertificate = (directory: string): { readonly key: string; readonly certificate: string } => {
  const [key, certificate] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", certificate, ...SUBJECT], { stdio: "ignore" });
  return { key, certificate };
};

describe.skipIf(!hasOpenssl())(
  `a portal with a certificate of its own${hasOpenssl() ? "" : " (skipped: no openssl)"}`,
  () => {
    const ANSWERS: Readonly<Record<string, object>> = {
      "/api/oauth/device/code": {
        device_code: "d",
        user_code: "U-1",
        verification_uri: "https://example.org/d",
        expires_in: 60,
      },
      "/api/oauth/token": { access_token: "at", refresh_token: "rt", expires_in: 3600 },
      "/api/oauth/agent-key": { api_key: "ak", expires_in: 3600 },
    };

    /** The portal, and what it was asked. */
    const startPortal = async (files: { readonly key: string; readonly certificate: string }) => {
      const paths: string[] = [];
      const identity = { key: readFileSync(files.key), cert: readFileSync(files.certificate) };
      const server = createServer(identity, (request, response) => {
        paths.push(request.url ?? "");
        request.resume();
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(ANSWERS[request.url ?? ""]));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      if (typeof address !== "object" || address === null) throw new TypeError("the server has no address");
      return {
        origin: `https://127.0.0.1:${address.port}`,
        paths,
        [Symbol.asyncDispose]: async () => {
          server.closeAllConnections();
          server.close();
          await once(server, "close");
        },
      };
    };

    const signInAt = async (portalUrl: string, request: Partial<SignInRequest>): Promise<NewLogin> => {
      await using http = plainHttp();
      const deps = { http, clock: createQuickClock(), person: createPerson(), redact: (said: string) => said };
      return await signIn(deps, { provider: "nous", portalUrl, ...request }, NEVER);
    };

    test("it is refused; --ca-bundle trusts it, --insecure does not look; renewals do as the sign-in did", async () => {
      await using directory = createTempDirectory();
      const files = makeCertificate(directory.path);
      await using portal = await startPortal(files);
      await expect(signInAt(portal.origin, {})).rejects.toMatchObject({
        code: "sign_in.unreachable",
        message: expect.stringContaining("certificate"),
      });
      expect(portal.paths).toEqual([]);
      for (const request of [{ caBundle: files.certificate }, { insecure: true }]) {
        await using rig = createAuthRig();
        const login = await signInAt(portal.origin, request);
        // The key has ended: the first call makes another, at the same portal.
        await rig.book.addLogin({ ...login, more: { ...login.more, agent_key_expires_at: "2020-01-01T00:00:00Z" } });
        const asked = portal.paths.length;
        const { credential } = await leased(rig.pool, "nous");
        expect(valueOf(credential)).toBe("ak");
        expect(portal.paths.slice(asked)).toContain("/api/oauth/agent-key");
      }
    });

    test("a bundle that is none is named", async () => {
      await using directory = createTempDirectory();
      const caBundle = join(directory.path, "missing.pem");
      await expect(signInAt("https://127.0.0.1:1", { caBundle })).rejects.toMatchObject({
        code: "sign_in.bad_ca_bundle",
        message: expect.stringContaining(caBundle),
      });
      writeFileSync(caBundle, "no certificate");
      await expect(signInAt("https://127.0.0.1:1", { caBundle })).rejects.toMatchObject({
        code: "sign_in.bad_ca_bundle",
      });
    });
  },
);
