import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { walkInBrowser } from "../../../testing/browser-walk.ts";
import { json, startOAuthServer, type Interceptor, type OAuthServer } from "../../../testing/oauth-server.ts";
import { plainRequest, VISIT } from "../../../testing/plain-request.ts";
import { createPerson, createSignInRig, failureOf, personWith, type SignInRig } from "../../../testing/sign-in-rig.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { tokenClaims } from "../vault/token-time.ts";
import { findSignInProvider } from "./sign-in-provider.ts";
import type { BrowserSignIn } from "./sign-in-row.ts";
import type { SignInPerson } from "./sign-in-person.ts";
import { signIn } from "./sign-in.ts";
import type { SignInRequest } from "./settle-request.ts";

const NEVER = new AbortController().signal;
const CODEX: SignInRequest = { provider: "openai-codex", noBrowser: false };

const browserOf = (provider: string, port = 0): BrowserSignIn => {
  const browser = findSignInProvider(provider)?.browser;
  if (browser === undefined) throw new TypeError(`${provider} has no sign-in in the browser`);
  return { ...browser, redirect: { ...browser.redirect, port } };
};

/** A sign-in of a provider's at the real server, with the answer at any free port and the machine's own clock. */
const rig = (
  server: OAuthServer,
  person: SignInPerson,
  options: { readonly provider?: string; readonly port?: number } = {},
): SignInRig => {
  const { provider = "openai-codex", port } = options;
  const { clientId, endpoints } = server;
  return createSignInRig({ clientId, endpoints, browser: browserOf(provider, port) }, { person, clock: systemClock });
};

const redirectOf = (url: string): URL => new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
const stateOf = (url: string): string => new URL(url).searchParams.get("state") ?? "";

const canConnect = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false; // refused
  } finally {
    socket.destroy();
  }
};

test("an answer comes back to this machine: consent at a real server, code with PKCE, tokens, whose they are", async () => {
  await using server = await startOAuthServer();
  const person = personWith((url) => walkInBrowser(url));
  await using deps = rig(server, person);
  const login = await signIn(deps, CODEX, NEVER);
  expect(login).toMatchObject({ provider: "openai-codex", flow: "device_code", account: "ann@example.org" });
  expect(login.subject).toBe("ann");
  expect(login.accessToken).toMatch(/^[\w-]{20,}$/);
  expect(login.refreshToken).toMatch(/^[\w-]{20,}$/);
  expect(login.expiresAt).toBeGreaterThan(systemClock.now() + 3_000_000);
  expect(await person.walked).toMatchObject({ status: 200, text: expect.stringContaining("You may close this tab") });
  const { url, opened, waitsHere } = await person.step("open_address");
  expect([opened, waitsHere]).toEqual([true, true]);
  expect(new URL(url).searchParams.get("code_challenge_method")).toBe("S256");
  expect(redirectOf(url).href).toMatch(/^http:\/\/localhost:\d+\/auth\/callback$/);
  expect(person.steps.map(({ kind }) => kind)).toEqual(["open_address", "agreed"]);
  expect(await canConnect(Number(redirectOf(url).port))).toBe(false);
});

test("only a visit of the browser with the right state is an answer; the rest is refused and the waiting goes on", async () => {
  await using server = await startOAuthServer();
  const person = createPerson({ openBrowser: () => true });
  await using deps = rig(server, person);
  const work = signIn(deps, CODEX, NEVER);
  const { url } = await person.step("open_address");
  const at = redirectOf(url).href.replace("localhost", "127.0.0.1");
  const answer = `${at}?code=stolen&state=${stateOf(url)}`;
  const statuses = async (
    cases: readonly (readonly [string, Parameters<typeof plainRequest>[1]])[],
  ): Promise<number[]> => {
    const all: number[] = [];
    for (const [address, options] of cases) all.push((await plainRequest(address, options)).status);
    return all;
  };
  expect(
    await statuses([
      [`${at}?code=stolen&state=guessed`, { headers: VISIT }],
      [`${at}?code=stolen`, { headers: VISIT }],
      [`${at}?code=stolen&state=${stateOf(url)}&state=x`, { headers: VISIT }],
      [`${at}?state=${stateOf(url)}`, { headers: VISIT }],
      [`${at}?error=access_denied`, { headers: VISIT }],
    ]),
  ).toEqual([400, 400, 400, 400, 400]);
  expect(
    await statuses([
      [answer, { headers: { ...VISIT, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" } }],
      [answer, { headers: { ...VISIT, "sec-fetch-dest": "iframe" } }],
      [answer, { headers: { origin: "https://evil.invalid" } }],
      [answer, { headers: { host: "evil.invalid" } }],
      [answer, { method: "POST", headers: VISIT }],
      [answer, { method: "OPTIONS", headers: { origin: "https://evil.invalid" } }],
      [answer.replace("/auth/callback", "/other"), { headers: VISIT }],
      [answer.replace("/auth/callback", "/auth/callback/"), { headers: VISIT }],
    ]),
  ).toEqual([403, 403, 403, 403, 405, 405, 404, 404]);
  expect(server.count("/token")).toBe(0);
  expect((await walkInBrowser(url)).status).toBe(200);
  expect((await work).account).toBe("ann@example.org");
});

test("the callback's page loads nothing, runs nothing and may not be framed or kept", async () => {
  await using server = await startOAuthServer();
  const person = createPerson({ openBrowser: () => true });
  await using deps = rig(server, person);
  const ended = new AbortController();
  const work = signIn(deps, CODEX, ended.signal);
  const { url } = await person.step("open_address");
  const { headers, text } = await plainRequest(redirectOf(url).href, { headers: VISIT });
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["referrer-policy"]).toBe("no-referrer");
  expect(text).not.toContain("<script");
  ended.abort();
  await expect(work).rejects.toBe(ended.signal.reason);
});

test("xAI's own pages may hand the answer over by a script, other pages may not; its nonce must come back", async () => {
  await using server = await startOAuthServer();
  const person = createPerson({ openBrowser: () => true });
  await using deps = rig(server, person, { provider: "xai-oauth" });
  const work = signIn(deps, { provider: "xai-oauth" }, NEVER);
  const { url } = await person.step("open_address");
  const end = await walkInBrowser(url, { stopBefore: redirectOf(url).href });
  const origin = "https://accounts.x.ai";
  const preflight = await plainRequest(end.url, { method: "OPTIONS", headers: { origin } });
  expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([204, origin]);
  expect((await plainRequest(end.url, { headers: { origin: "https://x.ai.evil.invalid" } })).status).toBe(403);
  const handed = await plainRequest(end.url, {
    headers: { origin, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  });
  expect([handed.status, handed.headers["access-control-allow-origin"]]).toEqual([200, origin]);
  const login = await work;
  expect(login).toMatchObject({ flow: "loopback_pkce", more: { redirect_uri: redirectOf(url).href } });
  const nonce = new URL(url).searchParams.get("nonce");
  expect(tokenClaims(String(login.more?.["id_token"]))?.["nonce"]).toBe(nonce);
  expect(login.more?.["discovery"]).toEqual({
    authorization_endpoint: server.endpoints.authorize,
    token_endpoint: server.endpoints.token,
  });
});

test("an identity token with another nonce is refused", async () => {
  await using server = await startOAuthServer();
  const person = personWith((url) => walkInBrowser(url));
  await using deps = rig(server, person, { provider: "xai-oauth" });
  const claims = Buffer.from(JSON.stringify({ sub: "ann", nonce: "another" })).toString("base64url");
  server.intercept("/token", json(200, { access_token: "at-1", id_token: `e30.${claims}.c2ln`, token_type: "Bearer" }));
  expect((await failureOf(signIn(deps, { provider: "xai-oauth" }, NEVER))).code).toBe("sign_in.strange_answer");
});

test.each([
  ["the whole address", (url: string) => url],
  ["the address in quotation marks", (url: string) => ` "${url}" `],
  ["its parameters", (url: string) => new URL(url).search],
  ["code#state", (url: string) => `${new URL(url).searchParams.get("code")}#${new URL(url).searchParams.get("state")}`],
  ["the bare code", (url: string) => new URL(url).searchParams.get("code") ?? ""],
])("a person pastes %s", async (_name, pastedOf) => {
  await using server = await startOAuthServer();
  const shown = Promise.withResolvers<string>();
  const person = createPerson({
    paste: async () => {
      const url = await shown.promise;
      return pastedOf((await walkInBrowser(url, { stopBefore: redirectOf(url).origin })).url);
    },
  });
  await using deps = rig(server, person, { port: 1 });
  const work = signIn(deps, { ...CODEX, manualPaste: true }, NEVER);
  const step = await person.step("open_address");
  expect(step).toMatchObject({ opened: false, waitsHere: false });
  shown.resolve(step.url);
  expect((await work).account).toBe("ann@example.org");
});

test("what is pasted and is no answer to this sign-in is said and asked for again; the end of the input ends it", async () => {
  await using server = await startOAuthServer();
  const lines = ["", "two words", "https://localhost/?code=c&state=other", "c#other", undefined];
  const person = createPerson({ paste: () => Promise.resolve(lines.shift()) });
  await using deps = rig(server, person);
  const failure = await failureOf(signIn(deps, { ...CODEX, manualPaste: true }, NEVER));
  expect(failure.code).toBe("sign_in.denied");
  expect(person.steps.filter(({ kind }) => kind === "unusable_paste").map((step) => "why" in step && step.why)).toEqual(
    [
      "nothing was pasted",
      "it is neither a code nor an address",
      "it belongs to another sign-in",
      "it belongs to another sign-in",
    ],
  );
  expect(server.count("/token")).toBe(0);
});

test("while the browser's answer is waited for, a pasted one counts too, and a closed input ends nothing", async () => {
  await using server = await startOAuthServer();
  const shown = Promise.withResolvers<string>();
  const pasting = createPerson({
    openBrowser: () => true,
    paste: async () => (await walkInBrowser(await shown.promise, { stopBefore: "http://localhost" })).url,
  });
  await using deps = rig(server, pasting);
  const work = signIn(deps, CODEX, NEVER);
  shown.resolve((await pasting.step("open_address")).url);
  expect((await work).account).toBe("ann@example.org");

  const closed = personWith((url) => walkInBrowser(url), { paste: () => Promise.resolve(undefined) });
  await using again = rig(server, closed);
  expect((await signIn(again, CODEX, NEVER)).account).toBe("ann@example.org");
});

test("without a terminal nothing can be pasted, which is said at once", async () => {
  await using server = await startOAuthServer();
  await using deps = rig(server, createPerson());
  const failure = await failureOf(signIn(deps, { ...CODEX, manualPaste: true }, NEVER));
  expect([failure.code, failure.exitCode]).toEqual(["sign_in.needs_terminal", 2]);
});

test("a person who says no is believed: the page and the terminal say so, nothing is exchanged", async () => {
  await using server = await startOAuthServer();
  const person = personWith((url) => walkInBrowser(url, { consent: "no" }));
  await using deps = rig(server, person);
  const failure = await failureOf(signIn(deps, CODEX, NEVER));
  expect(failure.code).toBe("sign_in.denied");
  expect(failure.message).toContain("End-User aborted interaction (access_denied)");
  expect((await person.walked).text).toContain("The sign-in was refused");
  expect(server.count("/token")).toBe(0);
});

test("a code that has expired is refused in the server's words", async () => {
  await using server = await startOAuthServer();
  await using deps = rig(
    server,
    personWith((url) => walkInBrowser(url)),
  );
  server.intercept("/token", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: systemClock.now() + 120_000 });
    return false;
  });
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  const failure = await failureOf(signIn(deps, CODEX, NEVER));
  expect(failure.code).toBe("sign_in.failed");
  expect(failure.message).toContain("invalid_grant");
});

test("a port that another program holds is named, with the way around", async () => {
  await using server = await startOAuthServer();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await using deps = rig(server, createPerson({ openBrowser: () => true }), { port });
  const failure = await failureOf(signIn(deps, CODEX, NEVER));
  expect(failure.code).toBe("sign_in.port_taken");
  expect(failure.message).toContain(String(port));
  expect(failure.hint).toContain("--manual-paste");
  other.close();
});

const never: Interceptor = () => true;
const broken: Interceptor = (_request, response) => {
  response.destroy();
  return true;
};
const huge: Interceptor = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(`{"access_token":"${"a".repeat(1_000_000)}"}`);
  return true;
};
const page: Interceptor = (_request, response) => {
  response.writeHead(502, { "content-type": "text/html" }).end("<html>proxy</html>");
  return true;
};

test.each<[string, Interceptor, string]>([
  ["breaks the connection", broken, "sign_in.unreachable"],
  ["answers without an end", huge, "sign_in.too_large"],
  ["is a proxy's page", page, "sign_in.failed"],
  ["answers without a token", json(200, { token_type: "Bearer" }), "sign_in.strange_answer"],
  ["answers with a token that is no header", json(200, { access_token: "a\nb" }), "sign_in.strange_answer"],
  [
    "answers with a token of another type",
    json(200, { access_token: "a", token_type: "DPoP" }),
    "sign_in.strange_answer",
  ],
  [
    "answers with a refresh token that is none",
    json(200, { access_token: "a", refresh_token: {} }),
    "sign_in.strange_answer",
  ],
  ["refuses with status 200", json(200, { error: "server_error" }), "sign_in.failed"],
])("a token endpoint that %s ends the sign-in with words", async (_name, answer, code) => {
  await using server = await startOAuthServer();
  await using deps = rig(
    server,
    personWith((url) => walkInBrowser(url)),
  );
  server.intercept("/token", answer);
  expect((await failureOf(signIn(deps, CODEX, NEVER))).code).toBe(code);
  expect(server.count("/token")).toBe(1);
});

test("an endpoint that does not answer is waited for as long as --timeout says", async () => {
  await using server = await startOAuthServer();
  await using deps = rig(
    server,
    personWith((url) => walkInBrowser(url)),
  );
  server.intercept("/token", never);
  const failure = await failureOf(signIn(deps, { ...CODEX, timeoutMs: 60 }, NEVER));
  expect(failure.code).toBe("sign_in.slow");
  expect(failure.hint).toContain("--timeout");
});

test("what an endpoint repeats of the code and the verifier is not shown", async () => {
  await using server = await startOAuthServer();
  await using deps = rig(
    server,
    personWith((url) => walkInBrowser(url)),
  );
  let sent = new URLSearchParams();
  server.intercept("/token", (request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => {
      sent = new URLSearchParams(text);
      const error_description = `hunter2\u001B[31m code ${sent.get("code")} of ${sent.get("code_verifier")}`;
      json(400, { error: "invalid_grant", error_description })(request, response);
    });
    return true;
  });
  const failure = await failureOf(
    signIn({ ...deps, redact: (said) => said.replaceAll("hunter2", "***") }, CODEX, NEVER),
  );
  const shown = JSON.stringify(failure);
  expect(sent.get("code_verifier")).toMatch(/^[\w-]{43}$/);
  expect(shown).not.toContain(sent.get("code"));
  expect(shown).not.toContain(sent.get("code_verifier"));
  expect(failure.message).toContain("*** [31m code … of … (invalid_grant)");
});

test("tokens go over TLS or to this machine only", async () => {
  await using server = await startOAuthServer();
  const person = personWith((url) => walkInBrowser(url));
  await using deps = rig(server, person);
  const endpoints = { ...server.endpoints, token: "http://auth.example.org/token" };
  const failure = await failureOf(signIn({ ...deps, override: { ...deps.override, endpoints } }, CODEX, NEVER));
  expect(failure.code).toBe("sign_in.unsafe_address");
  expect(failure.message).toContain("auth.example.org");
});

test.each(["before it begins", "while it waits", "while a line is pasted", "during the exchange"])(
  "Ctrl+C %s leaves no port, no connection and no file",
  async (point) => {
    await using home = createTempDirectory();
    await using server = await startOAuthServer();
    const ended = new AbortController();
    const reason = new Error("Ctrl+C");
    let port = 0;
    const person = personWith(
      (url) => {
        port = Number(redirectOf(url).port);
        return point === "during the exchange" ? walkInBrowser(url) : Promise.resolve(undefined);
      },
      point === "while a line is pasted"
        ? {
            paste: async (signal) => {
              ended.abort(reason);
              await systemClock.sleep(60_000, signal);
              return undefined;
            },
          }
        : {},
    );
    server.intercept("/token", () => {
      ended.abort(reason);
      return true;
    });
    {
      await using deps = rig(server, person);
      if (point === "before it begins") ended.abort(reason);
      const work = signIn(deps, CODEX, ended.signal);
      if (point === "while it waits") void person.step("open_address").then(() => ended.abort(reason));
      await expect(work).rejects.toBe(reason);
    }
    expect(port !== 0).toBe(point !== "before it begins");
    if (port !== 0) expect(await canConnect(port)).toBe(false);
    expect(readdirSync(home.path)).toEqual([]);
    await expect.poll(() => server.connections()).toBe(0);
  },
);
