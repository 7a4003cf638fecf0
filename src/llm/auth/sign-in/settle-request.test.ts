import { expect, test } from "vitest";
import { LOGIN_PROVIDERS } from "../renew/login-providers.ts";
import { isSafeAddress } from "../renew/safe-address.ts";
import { settleRequest, type SignInRequest } from "./settle-request.ts";
import { findSignInProvider } from "./sign-in-provider.ts";

test("R-CRED-4 xAI's sign-in names both plans", () => {
  expect(findSignInProvider("xai-oauth")?.label).toBe("xAI Grok OAuth (SuperGrok / Premium+)");
});

test("every provider whose logins are renewed can be signed in to, at safe addresses, by a way that it has", () => {
  for (const { id } of LOGIN_PROVIDERS) {
    const row = findSignInProvider(id);
    expect(row?.browser ?? row?.device, id).toBeDefined();
    for (const address of Object.values(row?.endpoints ?? {})) expect(isSafeAddress(address), address).toBe(true);
    if (row?.browser !== undefined) expect(row.endpoints.authorize, id).toBeDefined();
    if (row?.device !== undefined) expect(row.endpoints.device, id).toBeDefined();
    expect(row?.browser?.redirect.path ?? "/", id).toMatch(/^\//);
  }
});

test("a portal of one's own stands for every address of the sign-in, its path before theirs", () => {
  const { row, members } = settleRequest({ provider: "nous", portalUrl: "https://me.example.org/portal/" });
  expect(row.endpoints).toMatchObject({
    device: "https://me.example.org/portal/api/oauth/device/code",
    token: "https://me.example.org/portal/api/oauth/token",
    key: "https://me.example.org/portal/api/oauth/agent-key",
  });
  expect(members["portal_base_url"]).toBe("https://me.example.org/portal");
  expect(settleRequest({ provider: "nous" }).members["portal_base_url"]).toBe("https://portal.nousresearch.com");
});

test("client and scope are replaced in both ways of signing in", () => {
  const { row, members } = settleRequest({ provider: "openai-codex", clientId: "mine", scope: "openid" });
  expect([row.clientId, row.browser?.scope, row.device?.scope, members["client_id"]]).toEqual([
    "mine",
    "openid",
    "openid",
    "mine",
  ]);
});

test.each<[SignInRequest, string]>([
  [{ provider: "deepseek" }, "auth.no_sign_in"],
  [{ provider: "nous", manualPaste: true }, "sign_in.refused_option"],
  [{ provider: "nous", insecure: true }, "sign_in.refused_option"],
  [{ provider: "nous", portalUrl: "https://a.org", insecure: true, caBundle: "/x" }, "sign_in.refused_option"],
  [{ provider: "anthropic", portalUrl: "https://a.org" }, "sign_in.refused_option"],
  [{ provider: "copilot", portalUrl: "https://a.org" }, "sign_in.refused_option"],
  [{ provider: "nous", portalUrl: "ftp://a.org" }, "sign_in.refused_option"],
  [{ provider: "nous", portalUrl: "https://a.org/?x" }, "sign_in.refused_option"],
  [{ provider: "nous", portalUrl: "http://a.org" }, "sign_in.unsafe_address"],
  [{ provider: "nous", portalUrl: "http://localhost.a.org" }, "sign_in.unsafe_address"],
  [{ provider: "nous", portalUrl: "https://user:pass@a.org" }, "sign_in.unsafe_address"],
  [{ provider: "nous", inferenceUrl: "http://10.0.0.1/v1" }, "sign_in.unsafe_address"],
  [{ provider: "nous", timeoutMs: 0 }, "sign_in.refused_option"],
  [{ provider: "nous", timeoutMs: -1 }, "sign_in.refused_option"],
  [{ provider: "nous", timeoutMs: Number.NaN }, "sign_in.refused_option"],
  [{ provider: "nous", timeoutMs: Number.POSITIVE_INFINITY }, "sign_in.refused_option"],
  [{ provider: "google-gemini-cli", inferenceUrl: "https://a.org" }, "sign_in.refused_option"],
  [{ provider: "google-gemini-cli", clientId: "x" }, "sign_in.refused_option"],
])("%j is refused", (request, code) => {
  expect(() => settleRequest(request)).toThrow(expect.objectContaining({ code }));
});

test.each(["https://a.org/x", "http://localhost:1/x", "http://127.0.0.1", "http://127.1.2.3:80", "http://[::1]:9/"])(
  "%s is safe",
  (address) => expect(isSafeAddress(address)).toBe(true),
);

test.each([
  "http://a.org",
  "http://127.0.0.1.a.org",
  "http://localhost.a.org",
  "http://10.0.0.1",
  "file:///x",
  "x",
  "",
])("%j is not safe", (address) => expect(isSafeAddress(address)).toBe(false));
