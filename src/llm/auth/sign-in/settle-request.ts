import type { TlsTrust } from "../../http.ts";
import { authErrors } from "../errors.ts";
import { atPortal, hasOnePortal, portalOf, trustMembers } from "../renew/portal-address.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { signInErrors } from "./errors.ts";
import { isSafeAddress } from "../renew/safe-address.ts";
import { findSignInProvider, type SignInOverride, type SignInProvider } from "./sign-in-provider.ts";

/** What the owner asks for; the names are those of the options. */
export interface SignInRequest {
  readonly provider: string;
  /** The owner's name for the login. */
  readonly label?: string | undefined;
  /** Stands for the place of the provider's sign-in. */
  readonly portalUrl?: string | undefined;
  /** Where the login's calls go. */
  readonly inferenceUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scope?: string | undefined;
  /** No browser is started. */
  readonly noBrowser?: boolean | undefined;
  /** The answer is pasted, not waited for on this machine. */
  readonly manualPaste?: boolean | undefined;
  /** How long one answer of the provider is waited for, ms. */
  readonly timeoutMs?: number | undefined;
  /** A PEM file of further authorities for the sign-in. */
  readonly caBundle?: string | undefined;
  /** The certificate of `portalUrl` is not checked. */
  readonly insecure?: boolean | undefined;
}

/** A request that can be carried out. */
export interface SettledRequest {
  readonly row: SignInProvider;
  readonly trust: TlsTrust;
  readonly timeoutMs: number;
  readonly baseUrl: string | undefined;
  /** Members that the login keeps of the request: what renewals must do alike. */
  readonly members: JsonObject;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const LONGEST_TIMEOUT_MS = 600_000;

/**
 * Settles what a sign-in is to do. Every option does what it says or is refused. Throws `auth.no_sign_in`,
 * `sign_in.refused_option`, `sign_in.unsafe_address`.
 */
export const settleRequest = (request: SignInRequest, override: SignInOverride = {}): SettledRequest => {
  const { provider, clientId, inferenceUrl } = request;
  const found = findSignInProvider(provider, override);
  if (found === undefined)
    throw authErrors.noSignIn({ provider, why: "it is not signed in to, or not by this program" });
  refuseContradictions(request, found);
  const portal = settlePortal(request, found);
  const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS)) {
    throw refused("--timeout", `it takes seconds, above 0 and at most ${LONGEST_TIMEOUT_MS / 1000}`);
  }
  const trust = { caFile: request.caBundle, insecure: request.insecure === true };
  const row = withScope(
    {
      ...found,
      ...(clientId === undefined ? {} : { clientId }),
      ...(portal === undefined ? {} : { endpoints: atPortal(found.endpoints, portal) }),
    },
    request.scope,
  );
  const isOwnPortal = hasOnePortal(found.endpoints);
  return {
    row,
    trust,
    timeoutMs,
    baseUrl: inferenceUrl === undefined ? undefined : addressOf("--inference-url", inferenceUrl),
    members: {
      client_id: row.clientId === findSignInProvider(provider)?.clientId && !isOwnPortal ? undefined : row.clientId,
      portal_base_url: isOwnPortal ? (portal ?? portalOf(row.endpoints)) : undefined,
      ...trustMembers(trust),
    },
  };
};

const refused = (option: string, why: string): Error => signInErrors.refusedOption({ option, why });

const refuseContradictions = (request: SignInRequest, row: SignInProvider): void => {
  const { manualPaste, insecure, portalUrl, inferenceUrl, caBundle } = request;
  if (manualPaste === true && row.browser === undefined) {
    throw refused("--manual-paste", `${row.label} has nothing to paste: it shows a code to be entered on its page`);
  }
  if (insecure === true && portalUrl === undefined) {
    throw refused("--insecure", "it is for a portal of your own, named with --portal-url");
  }
  if (insecure === true && caBundle !== undefined) {
    throw refused("--insecure", "with --ca-bundle the certificate is checked");
  }
  // Its login is a file of its own form, which has no place for these.
  const isFile = row.after === "code_assist";
  if (isFile && inferenceUrl !== undefined)
    throw refused("--inference-url", `${row.label} is called in one place only`);
  if (isFile && request.clientId !== undefined) {
    throw refused("--client-id", "set HERMES_GEMINI_CLIENT_ID and HERMES_GEMINI_CLIENT_SECRET");
  }
  if (isFile && caBundle !== undefined) {
    throw refused("--ca-bundle", "set NODE_EXTRA_CA_CERTS, which the calls need as well");
  }
};

const settlePortal = ({ portalUrl }: SignInRequest, row: SignInProvider): string | undefined => {
  if (portalUrl === undefined) return undefined;
  if (!hasOnePortal(row.endpoints)) throw refused("--portal-url", `the sign-in of ${row.label} is not in one place`);
  return addressOf("--portal-url", portalUrl);
};

const addressOf = (option: string, given: string): string => {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) throw refused(option, "it takes an https address");
  if (url.search !== "" || url.hash !== "") throw refused(option, "it takes an address without ? and #");
  if (!isSafeAddress(given)) throw signInErrors.unsafeAddress({ address: url.host });
  return given.replace(/\/+$/, "");
};

const withScope = (row: SignInProvider, scope: string | undefined): SignInProvider => {
  if (scope === undefined) return row;
  if (row.device?.form === "codex" && row.browser === undefined) throw refused("--scope", `${row.label} takes none`);
  return {
    ...row,
    ...(row.browser === undefined ? {} : { browser: { ...row.browser, scope } }),
    ...(row.device === undefined ? {} : { device: { ...row.device, scope } }),
  };
};
