import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inTurn, startJsonServer, type JsonAnswer, type JsonServer } from "../../../testing/json-server.ts";
import { unsignedToken } from "../../../testing/login-rig.ts";
import {
  agreeingPerson,
  createPerson,
  createQuickClock,
  createSignInRig,
  failureOf,
  filesIn,
} from "../../../testing/sign-in-rig.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { addLogin } from "../vault/add-credential.ts";
import { challengeOf } from "./pkce.ts";
import type { SignInPerson } from "./sign-in-person.ts";
import type { SignInOverride } from "./sign-in-provider.ts";
import { signIn } from "./sign-in.ts";

const NEVER = new AbortController().signal;

const parametersOf = (url: string): URLSearchParams => new URL(url).searchParams;

describe("Anthropic", () => {
  const TOKENS = {
    access_token: "sk-ant-oat01-a",
    refresh_token: "sk-ant-ort01-r",
    expires_in: 28_800,
    scope: "user:inference",
    account: { uuid: "acc-1", email_address: "ann@example.org" },
    organization: { uuid: "org-1", name: "Ann" },
  };

  test("a code is exchanged as JSON, with the state; account and organization tell whose it is", async () => {
    await using server = await startJsonServer({ "/token": () => ({ body: TOKENS }) });
    const person = agreeingPerson();
    const urls: string[] = [];
    const watched: SignInPerson = {
      ...person,
      tell: (step) => "url" in step && urls.push(step.url),
      openBrowser: (url) => person.openBrowser?.(url) ?? false,
    };
    await using deps = createSignInRig({ endpoints: { token: `${server.origin}/token` } }, { person: watched });
    const login = await signIn(deps, { provider: "anthropic" }, NEVER);
    const asked = parametersOf(urls[0] ?? "");
    expect(urls[0]).toMatch(/^https:\/\/claude\.ai\/oauth\/authorize\?/);
    expect(Object.fromEntries(asked)).toMatchObject({
      code: "true",
      client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
      scope: "org:create_api_key user:profile user:inference",
      redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/callback$/),
    });
    const [call] = server.calls;
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(call?.members).toEqual({
      grant_type: "authorization_code",
      client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
      code: "code-1",
      state: asked.get("state"),
      redirect_uri: asked.get("redirect_uri"),
      code_verifier: expect.any(String),
    });
    expect(challengeOf(String(call?.members["code_verifier"]))).toBe(asked.get("code_challenge"));
    expect(login).toMatchObject({ flow: "hermes_pkce", account: "ann@example.org", subject: "acc-1/org-1" });
  });

  test("without a browser here, code#state is pasted from Anthropic's own page; both files hold the login", async () => {
    await using server = await startJsonServer({ "/token": () => ({ body: TOKENS }) });
    await using home = createTempDirectory();
    const shown = Promise.withResolvers<string>();
    const person: SignInPerson = {
      tell: (step) => "url" in step && shown.resolve(step.url),
      paste: async () => `code-2#${parametersOf(await shown.promise).get("state")}`,
    };
    await using deps = createSignInRig({ endpoints: { token: `${server.origin}/token` } }, { person });
    const login = await signIn(deps, { provider: "anthropic" }, NEVER);
    const page = "https://platform.claude.com/oauth/code/callback";
    expect(parametersOf(await shown.promise).get("redirect_uri")).toBe(page);
    expect(server.calls[0]?.members).toMatchObject({ code: "code-2", redirect_uri: page });
    await addLogin(filesIn(home.path), login, deps.clock.now());
    const own = JSON.parse(readFileSync(join(home.path, ".anthropic_oauth.json"), "utf8")) as object;
    expect(own).toMatchObject({ accessToken: "sk-ant-oat01-a", refreshToken: "sk-ant-ort01-r" });
    const pool = JSON.parse(readFileSync(join(home.path, "auth.json"), "utf8")) as { credential_pool: object };
    expect(pool.credential_pool).toMatchObject({ anthropic: [{ source: "hermes_pkce", label: "ann@example.org" }] });
  });
});

describe("OpenAI Codex", () => {
  const ACCESS = unsignedToken({
    sub: "user-1",
    exp: 4_000_000_000,
    "https://api.openai.com/auth": { chatgpt_account_id: "ws-1" },
    "https://api.openai.com/profile": { email: "ann@example.org" },
  });

  const serve = (poll: () => JsonAnswer): Promise<JsonServer> =>
    startJsonServer({
      "/usercode": () => ({ body: { device_auth_id: "da-1", user_code: "ABCD-12345", interval: "5" } }),
      "/poll": poll,
      "/token": () => ({ body: { access_token: ACCESS, refresh_token: "rt", id_token: ACCESS } }),
    });

  const endpointsOf = ({ origin }: JsonServer): NonNullable<SignInOverride["endpoints"]> => ({
    device: `${origin}/usercode`,
    devicePoll: `${origin}/poll`,
    token: `${origin}/token`,
  });

  test("its own form of a code: 403 and 404 wait, then a code with the server's own verifier is exchanged", async () => {
    const given = { authorization_code: "code-3", code_challenge: "c", code_verifier: "their-verifier" };
    await using server = await serve(
      inTurn({ status: 403, body: {} }, { status: 404, body: {} }, { status: 502, body: {} }, { body: given }),
    );
    const clock = createQuickClock();
    const person = createPerson();
    await using deps = createSignInRig({ endpoints: endpointsOf(server) }, { person, clock });
    const login = await signIn(deps, { provider: "openai-codex" }, NEVER);
    expect(clock.waits).toEqual([5000, 5000, 5000, 10_000]);
    expect(await person.step("enter_code")).toMatchObject({
      code: "ABCD-12345",
      url: "https://auth.openai.com/codex/device",
      lifetimeMs: 900_000,
    });
    expect(server.of("/poll")[0]?.members).toEqual({ device_auth_id: "da-1", user_code: "ABCD-12345" });
    expect(server.of("/token")[0]?.members).toEqual({
      grant_type: "authorization_code",
      client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
      code: "code-3",
      redirect_uri: "https://auth.openai.com/deviceauth/callback",
      code_verifier: "their-verifier",
    });
    expect(login).toMatchObject({ account: "ann@example.org", subject: "user-1/ws-1", expiresAt: 4_000_000_000_000 });
  });

  test("any other refusal ends the waiting", async () => {
    await using server = await serve(() => ({ status: 400, body: { error: { code: "x", message: "no such code" } } }));
    await using deps = createSignInRig({ endpoints: endpointsOf(server) });
    const failure = await failureOf(signIn(deps, { provider: "openai-codex" }, NEVER));
    expect([failure.code, failure.message]).toEqual(["sign_in.failed", expect.stringContaining("no such code (x)")]);
  });
});

describe("MiniMax", () => {
  const serve = (change: object, poll: () => JsonAnswer): Promise<JsonServer> =>
    startJsonServer({
      "/code": ({ members }) => ({
        body: {
          user_code: "MM-1",
          verification_uri: "https://platform.minimax.io/device",
          expired_in: 300,
          interval: 2000,
          state: members["state"],
          ...change,
        },
      }),
      "/token": poll,
    });

  test("the state comes back, the interval is in milliseconds, a word says how far it is", async () => {
    const success = {
      status: "success",
      access_token: "at",
      refresh_token: "rt",
      expired_in: 86_400,
      token_type: "Bearer",
    };
    await using server = await serve({}, inTurn({ body: { status: "pending" } }, { body: success }));
    const clock = createQuickClock();
    await using deps = createSignInRig(
      { endpoints: { device: `${server.origin}/code`, token: `${server.origin}/token` } },
      { clock },
    );
    const now = clock.now();
    const login = await signIn(deps, { provider: "minimax-oauth" }, NEVER);
    expect(clock.waits).toEqual([2000, 2000]);
    const [asked] = server.of("/code");
    const [polled] = server.of("/token");
    expect(asked?.members).toMatchObject({ response_type: "code", scope: "group_id profile model.completion" });
    expect(polled?.members).toMatchObject({
      grant_type: "urn:ietf:params:oauth:grant-type:user_code",
      user_code: "MM-1",
    });
    const verifier = String(polled?.members["code_verifier"]);
    expect(challengeOf(verifier)).toBe(asked?.members["code_challenge"]);
    expect(login).toMatchObject({ flow: "oauth", accessToken: "at" });
    expect(login.expiresAt).toBeGreaterThanOrEqual(now + 86_400_000);
  });

  test("another state is another sign-in; `error` is a refusal; a moment is a life, too", async () => {
    await using foreign = await serve({ state: "other" }, inTurn({ body: {} }));
    await using first = createSignInRig({
      endpoints: { device: `${foreign.origin}/code`, token: `${foreign.origin}/token` },
    });
    const strange = await failureOf(signIn(first, { provider: "minimax-oauth" }, NEVER));
    expect(strange.code).toBe("sign_in.strange_answer");

    const clock = createQuickClock();
    const refusal = { status: "error", base_resp: { status_msg: "denied by the owner" } };
    await using server = await serve({ expired_in: clock.now() + 120_000 }, inTurn({ body: refusal }));
    const person = createPerson();
    await using deps = createSignInRig(
      { endpoints: { device: `${server.origin}/code`, token: `${server.origin}/token` } },
      { person, clock },
    );
    const failure = await failureOf(signIn(deps, { provider: "minimax-oauth" }, NEVER));
    expect(failure.message).toContain("denied by the owner");
    const { lifetimeMs } = await person.step("enter_code");
    expect(Math.abs(lifetimeMs - 120_000)).toBeLessThan(5000);
  });
});

const DEVICE = {
  device_code: "dc",
  user_code: "WDJB-MJHT",
  verification_uri: "https://example.org/device",
  expires_in: 900,
  interval: 5,
};

describe("GitHub Copilot", () => {
  const serve = (exchange: JsonAnswer): Promise<JsonServer> =>
    startJsonServer({
      "/device": () => ({ body: DEVICE }),
      // GitHub refuses with status 200.
      "/token": inTurn(
        { body: { error: "authorization_pending" } },
        { body: { access_token: "ghu_abc", token_type: "bearer", scope: "read:user" } },
      ),
      "/user": () => ({ body: { login: "octocat" } }),
      "/copilot": () => exchange,
    });

  const endpointsOf = ({ origin }: JsonServer): NonNullable<SignInOverride["endpoints"]> => ({
    device: `${origin}/device`,
    token: `${origin}/token`,
    account: `${origin}/user`,
    key: `${origin}/copilot`,
  });

  test("GitHub's token is kept under the person's name, Copilot's short-lived one is not", async () => {
    await using server = await serve({ body: { token: "tid=secret", expires_at: 4_000_000_000 } });
    await using home = createTempDirectory();
    await using deps = createSignInRig({ endpoints: endpointsOf(server) });
    const login = await signIn(deps, { provider: "copilot" }, NEVER);
    expect(login).toMatchObject({ accessToken: "ghu_abc", account: "octocat", flow: "device_code" });
    expect(server.of("/device")[0]?.members).toEqual({ client_id: "Iv1.b507a08c87ecfe98", scope: "read:user" });
    expect(server.of("/copilot")[0]?.headers["authorization"]).toBe("token ghu_abc");
    await addLogin(filesIn(home.path), login, deps.clock.now());
    const text = readFileSync(join(home.path, "auth.json"), "utf8");
    expect(text).toContain("manual:device_code");
    expect(text).not.toContain("tid=secret");
  });

  test("a token that GitHub does not take back is said, not kept", async () => {
    await using server = await serve({ status: 401, body: { message: "Bad credentials" } });
    await using deps = createSignInRig({ endpoints: endpointsOf(server) });
    const failure = await failureOf(signIn(deps, { provider: "copilot" }, NEVER));
    expect([failure.code, failure.message]).toEqual([
      "sign_in.not_eligible",
      expect.stringContaining("Bad credentials"),
    ]);
  });
});

describe("Nous", () => {
  const serve = (key: JsonAnswer): Promise<JsonServer> =>
    startJsonServer({
      "/device": () => ({ body: DEVICE }),
      "/token": () => ({ body: { access_token: "nous-at", refresh_token: "nous-rt", expires_in: 3600 } }),
      "/key": () => key,
    });

  const endpointsOf = ({ origin }: JsonServer): NonNullable<SignInOverride["endpoints"]> => ({
    device: `${origin}/device`,
    token: `${origin}/token`,
    key: `${origin}/key`,
  });

  test("the key of the calls is made at once and kept with the login", async () => {
    const key = {
      api_key: "ak-1",
      key_id: "k1",
      expires_in: 86_400,
      inference_base_url: "https://infer.example.org/v1",
    };
    await using server = await serve({ body: key });
    await using home = createTempDirectory();
    await using deps = createSignInRig({ endpoints: endpointsOf(server) });
    const login = await signIn(deps, { provider: "nous" }, NEVER);
    expect(server.of("/device")[0]?.members).toEqual({ client_id: "hermes-cli", scope: "inference:mint_agent_key" });
    expect(server.of("/key")[0]?.headers["authorization"]).toBe("Bearer nous-at");
    await addLogin(filesIn(home.path), login, deps.clock.now());
    const file = JSON.parse(readFileSync(join(home.path, "auth.json"), "utf8")) as Record<string, unknown>;
    const members = { access_token: "nous-at", agent_key: "ak-1", inference_base_url: "https://infer.example.org/v1" };
    expect(file).toMatchObject({
      active_provider: "nous",
      credential_pool: { nous: [{ source: "device_code", ...members }] },
      providers: { nous: { ...members, client_id: "hermes-cli", portal_base_url: server.origin } },
    });
  });

  test.each<[string, JsonAnswer, string]>([
    [
      "no subscription",
      { status: 403, body: { error: "no_subscription", message: "no plan" } },
      "sign_in.not_eligible",
    ],
    [
      "models at an address without TLS",
      { body: { api_key: "ak", inference_base_url: "http://infer.example.org/v1" } },
      "sign_in.strange_answer",
    ],
  ])("%s: nothing is kept", async (_name, key, code) => {
    await using server = await serve(key);
    await using deps = createSignInRig({ endpoints: endpointsOf(server) });
    expect((await failureOf(signIn(deps, { provider: "nous" }, NEVER))).code).toBe(code);
  });

  test.each<[string, JsonAnswer]>([
    ["is not well", { status: 503, body: {} }],
    ["does not answer in time", "hang"],
  ])("a portal that %s makes no key for now: the login is kept, the first call makes one", async (_name, key) => {
    await using server = await serve(key);
    await using deps = createSignInRig({ endpoints: endpointsOf(server) });
    const login = await signIn(deps, { provider: "nous", timeoutMs: 500 }, NEVER);
    expect(login).toMatchObject({ accessToken: "nous-at" });
    expect(login.more?.["agent_key"]).toBeUndefined();
  });
});

describe("Google", () => {
  const TOKENS = { access_token: "ya29.a", refresh_token: "1//r", expires_in: 3599, token_type: "Bearer" };

  const serve = (load: JsonAnswer, onboard: () => JsonAnswer = () => ({ body: {} })): Promise<JsonServer> =>
    startJsonServer({
      "/token": () => ({ body: TOKENS }),
      "/userinfo": () => ({ body: { id: "1", email: "ann@gmail.com" } }),
      "/v1internal:loadCodeAssist": () => load,
      "/v1internal:onboardUser": onboard,
    });

  const endpointsOf = ({ origin }: JsonServer): NonNullable<SignInOverride["endpoints"]> => ({
    token: `${origin}/token`,
    account: `${origin}/userinfo`,
    codeAssist: origin,
  });

  const GOOGLE = { provider: "google-gemini-cli" };

  test("the project that Code Assist names is kept with the login, in its own file", async () => {
    const load = { body: { currentTier: { id: "free-tier" }, cloudaicompanionProject: "proj-1" } };
    await using server = await serve(load);
    await using home = createTempDirectory();
    await using deps = createSignInRig({ endpoints: endpointsOf(server) }, { person: agreeingPerson() });
    const login = await signIn(deps, GOOGLE, NEVER);
    expect(server.of("/token")[0]?.members).toMatchObject({ grant_type: "authorization_code", code: "code-1" });
    expect(server.of("/token")[0]?.members["client_secret"]).toMatch(/^GOCSPX/);
    expect(server.of("/v1internal:loadCodeAssist")[0]).toMatchObject({
      headers: { authorization: "Bearer ya29.a" },
      members: { metadata: { pluginType: "GEMINI" } },
    });
    const files = filesIn(home.path);
    await addLogin(files, login, deps.clock.now());
    const own = JSON.parse(readFileSync(join(home.path, "auth", "google_oauth.json"), "utf8")) as object;
    expect(own).toMatchObject({ access: "ya29.a", refresh: "1//r|proj-1|", email: "ann@gmail.com" });
    expect(
      existsSync(join(home.path, "auth.json")) && readFileSync(join(home.path, "auth.json"), "utf8"),
    ).not.toContain("ya29.a");
  });

  test("a new account is set up in the tier that Google gives it; its progress is asked for", async () => {
    const load = { body: { allowedTiers: [{ id: "standard-tier" }, { id: "free-tier", isDefault: true }] } };
    const done = { body: { done: true, response: { cloudaicompanionProject: { id: "made-1" } } } };
    await using server = await serve(load, inTurn({ body: { name: "op", done: false } }, done));
    const clock = createQuickClock();
    await using deps = createSignInRig(
      { endpoints: endpointsOf(server) },
      { person: agreeingPerson(), clock, googleProject: "own-1" },
    );
    expect((await signIn(deps, GOOGLE, NEVER)).more?.["project_id"]).toBe("made-1");
    // The free tier takes no project of one's own.
    const [asked] = server.of("/v1internal:onboardUser");
    expect(asked?.members).toMatchObject({ tierId: "free-tier" });
    expect(asked?.members).not.toHaveProperty("cloudaicompanionProject");
    expect(clock.waits).toEqual([5000]);
  });

  test.each<[string, JsonAnswer, readonly [code: string, words: string]]>([
    [
      "a tier that wants a project",
      { body: { currentTier: { id: "standard-tier" } } },
      ["sign_in.needs_project", "project"],
    ],
    [
      "an account that may not",
      { body: { ineligibleTiers: [{ reasonMessage: "not in your country" }] } },
      ["sign_in.not_eligible", "not in your country"],
    ],
    [
      "a refusal",
      { status: 403, body: { error: { status: "PERMISSION_DENIED", message: "API is off" } } },
      ["sign_in.failed", "API is off"],
    ],
  ])("%s is said, and nothing is kept", async (_name, load, [code, words]) => {
    await using server = await serve(load);
    await using deps = createSignInRig({ endpoints: endpointsOf(server) }, { person: agreeingPerson() });
    const failure = await failureOf(signIn(deps, GOOGLE, NEVER));
    expect([failure.code, failure.message]).toEqual([code, expect.stringContaining(words)]);
  });

  test("the owner's project is used where the tier wants one; a setting up without an end is given up", async () => {
    await using named = await serve({ body: { currentTier: { id: "standard-tier" } } });
    await using deps = createSignInRig(
      { endpoints: endpointsOf(named) },
      { person: agreeingPerson(), googleProject: "own-1" },
    );
    expect((await signIn(deps, GOOGLE, NEVER)).more?.["project_id"]).toBe("own-1");

    const load = { body: { allowedTiers: [{ id: "free-tier", isDefault: true }] } };
    await using endless = await serve(load, () => ({ body: { done: false } }));
    await using again = createSignInRig({ endpoints: endpointsOf(endless) }, { person: agreeingPerson() });
    expect((await failureOf(signIn(again, GOOGLE, NEVER))).message).toContain("did not finish");
    expect(endless.of("/v1internal:onboardUser")).toHaveLength(24);
  });
});
