import type { LoginEndpoints } from "../renew/login-providers.ts";

/** The addresses of a sign-in: those that renewals use as well, and those of the beginning. Every one can be replaced. */
export interface SignInEndpoints extends LoginEndpoints {
  /** Where it is asked whether the person has entered the code, if that is not `token`. */
  readonly devicePoll?: string;
  /** The page on which a person enters the code, where the answer does not name it. */
  readonly devicePage?: string;
  /** The address that a code obtained by a device belongs to. */
  readonly deviceReturn?: string;
  /** A page of the provider's that shows the code, to be pasted. */
  readonly codePage?: string;
  /** Tells who has signed in. */
  readonly account?: string;
  /** Google's Code Assist, which names the login's project. */
  readonly codeAssist?: string;
}

/** A sign-in in the browser: authorization code with PKCE (RFC 7636). */
export interface BrowserSignIn {
  readonly scope: string;
  /** Where the browser is sent with the answer; always this machine. Port 0 = any free one. */
  readonly redirect: { readonly host: "localhost" | "127.0.0.1"; readonly port: number; readonly path: string };
  /** Further parameters of the authorize address. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** A nonce is sent and must come back in the identity token. */
  readonly hasNonce?: true;
  /** The state goes to the token endpoint, too. */
  readonly exchangesState?: true;
  /** Pages whose scripts may hand over the answer; else only the browser itself may, by going there. */
  readonly callbackOrigins?: readonly string[];
}

/** A sign-in by a code that is entered elsewhere (RFC 8628), or a vendor's own form of it. */
export interface DeviceSignIn {
  readonly form: "standard" | "codex" | "minimax";
  readonly scope?: string;
  /** The request for the code carries a challenge (RFC 7636). */
  readonly hasChallenge?: true;
}

/** What a login needs besides its tokens before it is kept. */
export type AfterSignIn = "agent_key" | "code_assist" | "copilot_token";

/** What signing in to a provider takes besides the facts that renewals use. */
export interface SignInRow {
  readonly id: string;
  /** How its logins are named in the pool (compat 3.4). */
  readonly flow: string;
  readonly browser?: BrowserSignIn;
  readonly device?: DeviceSignIn;
  readonly endpoints?: Partial<SignInEndpoints>;
  readonly after?: AfterSignIn;
  /** The addresses and the redirect are kept with the login, as the existing system does. */
  readonly keepsDiscovery?: true;
  /** What of the answer is the address that the login's calls go to. */
  readonly addressMember?: string;
}
