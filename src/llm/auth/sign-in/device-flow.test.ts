import { expect, test } from "vitest";
import { walkInBrowser } from "../../../testing/browser-walk.ts";
import { inTurn, startJsonServer, type JsonAnswer, type JsonServer } from "../../../testing/json-server.ts";
import { json, startOAuthServer } from "../../../testing/oauth-server.ts";
import { createPerson, createQuickClock, createSignInRig, failureOf } from "../../../testing/sign-in-rig.ts";
import type { SignInOverride } from "./sign-in-provider.ts";
import { signIn } from "./sign-in.ts";

const NEVER = new AbortController().signal;
const QWEN = { provider: "qwen-oauth" };

test("a code is entered at a real server: pending, slow_down, consent, tokens", async () => {
  await using server = await startOAuthServer();
  const person = createPerson();
  const walk = async (): Promise<unknown> => {
    const { url, code } = await person.step("enter_code");
    return await walkInBrowser(url, { code });
  };
  // The person agrees before the third question.
  const clock = createQuickClock((count) => (count === 3 ? walk() : undefined));
  await using deps = createSignInRig({ clientId: server.clientId, endpoints: server.endpoints }, { person, clock });
  server.intercept("/token", () => false);
  server.intercept("/token", json(400, { error: "slow_down" }));
  const login = await signIn(deps, QWEN, NEVER);
  expect(login).toMatchObject({ provider: "qwen-oauth", flow: "device_code", account: "ann@example.org" });
  expect(login.refreshToken).toMatch(/^[\w-]{20,}$/);
  // The server names no interval: 5 s, and 5 s more after it asked for that.
  expect(clock.waits).toEqual([5000, 5000, 10_000]);
  expect(server.count("/token")).toBe(3);
  const shown = await person.step("enter_code");
  expect(shown).toMatchObject({
    code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
    opened: false,
    lifetimeMs: 600_000,
  });
  expect(person.steps.map(({ kind }) => kind)).toEqual(["enter_code", "agreed"]);
});

test("a person who says no at a real server ends it", async () => {
  await using server = await startOAuthServer();
  const person = createPerson();
  const clock = createQuickClock(async () => {
    const { url, code } = await person.step("enter_code");
    return await walkInBrowser(url, { code, consent: "no" });
  });
  await using deps = createSignInRig({ clientId: server.clientId, endpoints: server.endpoints }, { person, clock });
  expect((await failureOf(signIn(deps, QWEN, NEVER))).code).toBe("sign_in.denied");
  expect(clock.waits).toHaveLength(1);
});

const CODE = {
  device_code: "dc-secret",
  user_code: "WDJB-MJHT",
  verification_uri: "https://example.org/device",
  verification_uri_complete: "https://example.org/device?user_code=WDJB-MJHT",
  expires_in: 60,
  interval: 3,
};
const TOKENS = { access_token: "at-1", refresh_token: "rt-1", token_type: "Bearer", expires_in: 3600 };

const serve = (code: JsonAnswer, poll: () => JsonAnswer): Promise<JsonServer> =>
  startJsonServer({ "/code": () => code, "/token": poll });

const endpointsOf = ({ origin }: JsonServer): SignInOverride => ({
  endpoints: { device: `${origin}/code`, token: `${origin}/token` },
});

const refused = (error: string, status = 400): JsonAnswer => ({ status, body: { error } });

test("the request is RFC 8628's, with Qwen's challenge and its verifier", async () => {
  await using server = await serve({ body: CODE }, inTurn({ body: { ...TOKENS, resource_url: "portal.qwen.ai" } }));
  const clock = createQuickClock();
  await using deps = createSignInRig(endpointsOf(server), { person: createPerson(), clock });
  const login = await signIn(deps, QWEN, NEVER);
  const [asked] = server.of("/code");
  const [polled] = server.of("/token");
  expect(asked?.members).toMatchObject({
    client_id: "f0304373b74a44d2b584a3fb70ca9e56",
    scope: "openid profile email model.completion",
    code_challenge_method: "S256",
  });
  expect(polled?.members).toMatchObject({
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: "dc-secret",
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(polled?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(login).toMatchObject({ accessToken: "at-1", refreshToken: "rt-1", baseUrl: "https://portal.qwen.ai/v1" });
  expect(clock.waits).toEqual([3000]);
});

test.each<[string, JsonAnswer, string]>([
  ["access_denied", refused("access_denied"), "sign_in.denied"],
  ["expired_token", refused("expired_token"), "sign_in.expired"],
  ["invalid_client", refused("invalid_client", 401), "sign_in.failed"],
  ["a refusal without a code", { status: 400, body: {} }, "sign_in.failed"],
  ["access_denied with status 200, as GitHub writes it", refused("access_denied", 200), "sign_in.denied"],
])("%s ends the asking", async (_name, answer, code) => {
  await using server = await serve({ body: CODE }, inTurn(refused("authorization_pending"), answer));
  const clock = createQuickClock();
  await using deps = createSignInRig(endpointsOf(server), { person: createPerson(), clock });
  expect((await failureOf(signIn(deps, QWEN, NEVER))).code).toBe(code);
  expect(server.of("/token")).toHaveLength(2);
});

test("nobody agrees: the asking ends with the code's life, not later", async () => {
  await using server = await serve({ body: CODE }, inTurn(refused("authorization_pending")));
  const clock = createQuickClock();
  await using deps = createSignInRig(endpointsOf(server), { person: createPerson(), clock });
  expect((await failureOf(signIn(deps, QWEN, NEVER))).code).toBe("sign_in.expired");
  const waited = clock.waits.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(56_000);
  expect(waited).toBeLessThanOrEqual(60_000);
});

test("a server that is not well for a moment is asked again, more slowly each time", async () => {
  const answers = inTurn({ status: 503, body: {} }, "hang", refused("slow_down", 429), { body: TOKENS });
  await using server = await serve({ body: { ...CODE, expires_in: 600 } }, answers);
  const clock = createQuickClock();
  await using deps = createSignInRig(endpointsOf(server), { person: createPerson(), clock });
  expect((await signIn(deps, { ...QWEN, timeoutMs: 60 }, NEVER)).accessToken).toBe("at-1");
  expect(clock.waits).toEqual([3000, 6000, 12_000, 17_000]);
});

test.each<[string, object]>([
  ["no code", { user_code: undefined }],
  ["no address", { verification_uri: undefined }],
  ["an address that is not safe", { verification_uri: "http://example.org/device" }],
  ["an address that is a script", { verification_uri_complete: "javascript:alert(1)" }],
  ["a code with control characters", { user_code: "A\u001B[2JB" }],
])("an answer with %s is refused, and nothing is opened", async (_name, change) => {
  await using server = await serve({ body: { ...CODE, ...change } }, inTurn({ body: TOKENS }));
  const opened: string[] = [];
  const person = createPerson({ openBrowser: (url) => opened.push(url) > 0 });
  await using deps = createSignInRig(endpointsOf(server), { person, clock: createQuickClock() });
  expect((await failureOf(signIn(deps, QWEN, NEVER))).code).toBe("sign_in.strange_answer");
  expect([opened, person.steps]).toEqual([[], []]);
});

test("a browser is opened at the page with the code filled in, unless --no-browser; the code is shown in either case", async () => {
  await using server = await serve({ body: CODE }, inTurn({ body: TOKENS }));
  for (const noBrowser of [false, true]) {
    const opened: string[] = [];
    const person = createPerson({ openBrowser: (url) => opened.push(url) > 0 });
    await using deps = createSignInRig(endpointsOf(server), { person, clock: createQuickClock() });
    await signIn(deps, { ...QWEN, noBrowser }, NEVER);
    expect(opened).toEqual(noBrowser ? [] : [CODE.verification_uri_complete]);
    const step = await person.step("enter_code");
    expect(step).toMatchObject({ code: "WDJB-MJHT", opened: !noBrowser, lifetimeMs: 60_000 });
  }
});

test("a server that is down is named, with what to do", async () => {
  const server = await serve({ body: CODE }, inTurn({ body: TOKENS }));
  const override = endpointsOf(server);
  await server[Symbol.asyncDispose]();
  await using deps = createSignInRig(override, { person: createPerson(), clock: createQuickClock() });
  const failure = await failureOf(signIn(deps, QWEN, NEVER));
  expect(failure.code).toBe("sign_in.unreachable");
  expect(failure.message).toContain(`${new URL(server.origin).host} (connection refused)`);
});

test("what the server repeats of its secret code is not shown", async () => {
  const answer = { status: 400, body: { error: "invalid_request", error_description: "dc-secret is unknown" } };
  await using server = await serve({ body: CODE }, inTurn(answer));
  await using deps = createSignInRig(endpointsOf(server), { person: createPerson(), clock: createQuickClock() });
  const failure = await failureOf(signIn(deps, QWEN, NEVER));
  expect(failure.message).toContain("… is unknown (invalid_request)");
  expect(JSON.stringify(failure)).not.toContain("dc-secret");
});

test.each(["while it waits", "while it is asked"])("Ctrl+C %s ends it at once", async (point) => {
  const ended = new AbortController();
  const reason = new Error("Ctrl+C");
  const end = (): JsonAnswer => {
    ended.abort(reason);
    return "hang";
  };
  await using server = await serve({ body: CODE }, end);
  const clock = createQuickClock(() => {
    if (point === "while it waits") ended.abort(reason);
    return undefined;
  });
  {
    await using deps = createSignInRig(endpointsOf(server), { person: createPerson(), clock });
    await expect(signIn(deps, QWEN, ended.signal)).rejects.toBe(reason);
  }
  expect(server.of("/token")).toHaveLength(point === "while it waits" ? 0 : 1);
});
