import type { JsonObject } from "../vault/pool-entry.ts";
import { refusalCode } from "../renew/refusal.ts";
import { postRequest } from "../renew/token-request.ts";
import { askEndpoint, refusalWords, type AskDeps } from "./ask-endpoint.ts";
import { signInErrors } from "./errors.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/** A code, and what proves that it is ours. */
export interface ObtainedCode {
  readonly row: SignInProvider;
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Sent where the provider wants it. */
  readonly state?: string;
}

/**
 * Exchanges a code for tokens, once: a code works once, so nothing is tried again. Throws `sign_in.failed`
 * and what `askEndpoint` throws.
 */
export const exchangeCode = async (deps: AskDeps, obtained: ObtainedCode, signal: AbortSignal): Promise<JsonObject> => {
  const { row, code, verifier, redirectUri, state } = obtained;
  const request = postRequest(row.endpoints.token, row.encoding, {
    grant_type: "authorization_code",
    client_id: row.clientId,
    client_secret: row.clientSecret,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    state: row.browser?.exchangesState === true ? state : undefined,
  });
  const answer = await askEndpoint(deps, request, signal);
  if (answer.isFine && refusalCode(answer.body) === undefined) return answer.body;
  const { label } = deps;
  const said = refusalWords(deps, answer, [code, verifier, row.clientSecret ?? ""]);
  throw signInErrors.failed({ label, said });
};
