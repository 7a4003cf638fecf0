import { describe, expect, test } from "vitest";
import { startJsonServer, type JsonAnswer } from "../../../testing/json-server.ts";
import { agreeingPerson, createPerson, createSignInRig } from "../../../testing/sign-in-rig.ts";
import { signIn } from "./sign-in.ts";

const DEVICE = {
  device_code: "dc",
  user_code: "WDJB-MJHT",
  verification_uri: "https://example.org/device",
  expires_in: 900,
};

describe("Ctrl+C", () => {
  const ROUTES: Readonly<Record<string, JsonAnswer>> = {
    "/device": { body: DEVICE },
    "/token": { body: { access_token: "at", refresh_token: "rt" } },
    "/key": { body: { api_key: "ak" } },
    "/account": { body: { email: "ann@example.org" } },
    "/v1internal:loadCodeAssist": { body: { allowedTiers: [{ id: "free-tier", isDefault: true }] } },
    "/v1internal:onboardUser": { body: { done: false } },
  };

  test.each<[provider: string, path: string]>([
    ["nous", "/device"],
    ["nous", "/token"],
    ["nous", "/key"],
    ["copilot", "/account"],
    ["copilot", "/key"],
    ["google-gemini-cli", "/token"],
    ["google-gemini-cli", "/account"],
    ["google-gemini-cli", "/v1internal:loadCodeAssist"],
    ["google-gemini-cli", "/v1internal:onboardUser"],
  ])("while %s is asked at %s ends it at once, with nothing more asked", async (provider, path) => {
    const ended = new AbortController();
    const reason = new Error("Ctrl+C");
    const answers = Object.keys(ROUTES).map((route) => [
      route,
      (): JsonAnswer => {
        if (route !== path) return ROUTES[route] ?? "hang";
        ended.abort(reason);
        return "hang";
      },
    ]);
    await using server = await startJsonServer(Object.fromEntries(answers) as Parameters<typeof startJsonServer>[0]);
    const at = (name: string): string => `${server.origin}${name}`;
    const endpoints = { device: at("/device"), token: at("/token"), key: at("/key"), account: at("/account") };
    {
      const person = provider === "google-gemini-cli" ? agreeingPerson() : createPerson();
      const override = { endpoints: { ...endpoints, codeAssist: server.origin } };
      await using deps = createSignInRig(override, { person });
      await expect(signIn(deps, { provider }, ended.signal)).rejects.toBe(reason);
    }
    expect(server.calls.at(-1)?.path).toBe(path);
  });
});
