import { asRecord, asText } from "../../wires/json-fields.ts";
import { momentOf } from "../vault/token-time.ts";
import { COPILOT_EDITOR_HEADERS } from "../../providers/copilot-headers.ts";
import type { LoginProvider } from "./login-providers.ts";
import { askTokenEndpoint, type TokenDeps } from "./token-request.ts";

/** The short-lived token that Copilot takes, exchanged for one of GitHub's. It is kept in memory only. */
export type CopilotToken =
  | {
      readonly kind: "token";
      readonly token: string;
      /** ms UTC; undefined = as long as GitHub's own. */
      readonly expiresAt: number | undefined;
      /** The address of the owner's plan. */
      readonly baseUrl: string | undefined;
    }
  /** GitHub does not know the token any more. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "try_later"; readonly why: string };

/**
 * Exchanges GitHub's token. Where GitHub has no exchange for this kind of token (404, 403), Copilot is called with it as it is: some
 * of its programs do.
 */
export const exchangeCopilotToken = async (
  deps: TokenDeps,
  row: LoginProvider,
  githubToken: string,
): Promise<CopilotToken> => {
  const answer = await askTokenEndpoint(
    deps,
    {
      method: "GET",
      url: row.endpoints.key ?? row.endpoints.token,
      headers: { ...COPILOT_EDITOR_HEADERS, authorization: `token ${githubToken}` },
    },
    {},
  );
  if (answer.kind === "tokens") {
    const token = asText(answer.body["token"]);
    if (token === undefined) return { kind: "try_later", why: "GitHub answered without a token for Copilot" };
    const expiresAt = momentOf(answer.body["expires_at"]);
    const baseUrl = asText(asRecord(answer.body["endpoints"])?.["api"]);
    return { kind: "token", token, expiresAt, baseUrl };
  }
  if (answer.status === 401) return { kind: "refused", why: answer.why };
  if (answer.status === 403 || answer.status === 404) {
    return { kind: "token", token: githubToken, expiresAt: undefined, baseUrl: undefined };
  }
  return { kind: "try_later", why: answer.why };
};
