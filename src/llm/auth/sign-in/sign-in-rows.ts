import type { SignInRow } from "./sign-in-row.ts";

/**
 * How each provider is signed in to. Addresses, scopes and ids are public facts of the vendors' own programs; decision 15 says
 * which of them are certain.
 */
export const SIGN_IN_ROWS: readonly SignInRow[] = [
  {
    id: "anthropic",
    flow: "hermes_pkce",
    browser: {
      scope: "org:create_api_key user:profile user:inference",
      redirect: { host: "localhost", port: 0, path: "/callback" },
      parameters: { code: "true" },
      exchangesState: true,
    },
    endpoints: { codePage: "https://platform.claude.com/oauth/code/callback" },
  },
  {
    id: "openai-codex",
    flow: "device_code",
    browser: {
      scope: "openid profile email offline_access",
      redirect: { host: "localhost", port: 1455, path: "/auth/callback" },
      parameters: {
        id_token_add_organizations: "true",
        codex_cli_simplified_flow: "true",
        originator: "codex_cli_rs",
      },
    },
    device: { form: "codex" },
    endpoints: {
      devicePoll: "https://auth.openai.com/api/accounts/deviceauth/token",
      devicePage: "https://auth.openai.com/codex/device",
      deviceReturn: "https://auth.openai.com/deviceauth/callback",
    },
  },
  {
    id: "xai-oauth",
    flow: "loopback_pkce",
    browser: {
      scope: "openid profile email offline_access grok-cli:access api:access",
      redirect: { host: "127.0.0.1", port: 56_121, path: "/callback" },
      parameters: { plan: "generic", referrer: "hermes-agent" },
      hasNonce: true,
      callbackOrigins: ["https://accounts.x.ai", "https://auth.x.ai"],
    },
    keepsDiscovery: true,
  },
  {
    id: "nous",
    flow: "device_code",
    device: { form: "standard", scope: "inference:mint_agent_key" },
    after: "agent_key",
    addressMember: "inference_base_url",
  },
  {
    id: "qwen-oauth",
    flow: "device_code",
    device: { form: "standard", scope: "openid profile email model.completion", hasChallenge: true },
    addressMember: "resource_url",
  },
  {
    id: "minimax-oauth",
    flow: "oauth",
    device: { form: "minimax", scope: "group_id profile model.completion", hasChallenge: true },
  },
  {
    id: "copilot",
    flow: "device_code",
    device: { form: "standard", scope: "read:user" },
    endpoints: { account: "https://api.github.com/user" },
    after: "copilot_token",
  },
  {
    id: "google-gemini-cli",
    flow: "oauth",
    browser: {
      scope: [
        "https://www.googleapis.com/auth/cloud-platform",
        "https://www.googleapis.com/auth/userinfo.email",
        "https://www.googleapis.com/auth/userinfo.profile",
      ].join(" "),
      redirect: { host: "127.0.0.1", port: 0, path: "/oauth2callback" },
      parameters: { access_type: "offline", prompt: "consent" },
    },
    endpoints: {
      account: "https://www.googleapis.com/oauth2/v2/userinfo",
      codeAssist: "https://cloudcode-pa.googleapis.com",
    },
    after: "code_assist",
  },
];
