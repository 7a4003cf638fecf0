import { asText } from "../../wires/json-fields.ts";
import type { JsonObject, OwnedCredential } from "../vault/pool-entry.ts";
import { momentAfter, momentOf } from "../vault/token-time.ts";
import type { LoginProvider } from "./login-providers.ts";
import { askTokenEndpoint, type TokenDeps } from "./token-request.ts";

/** A key that Nous makes from a login, as members of the entry. */
export type MintedKey =
  | { readonly kind: "members"; readonly members: JsonObject }
  /** The access token is not accepted: the login must be renewed first. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "try_later"; readonly why: string };

const LEAST_LIFE_SECONDS = 1_800;

/** Asks for the key that calls are made with. */
export const mintAgentKey = async (
  deps: TokenDeps,
  row: LoginProvider,
  entry: Pick<OwnedCredential, "accessToken">,
): Promise<MintedKey> => {
  const answer = await askTokenEndpoint(
    deps,
    {
      method: "POST",
      url: row.endpoints.key ?? row.endpoints.token,
      headers: { authorization: `Bearer ${entry.accessToken ?? ""}`, "content-type": "application/json" },
      body: JSON.stringify({ min_ttl_seconds: LEAST_LIFE_SECONDS }),
    },
    {},
  );
  if (answer.kind !== "tokens") {
    const isRefused = answer.kind === "lost" || answer.status === 401 || answer.status === 403;
    return { kind: isRefused ? "refused" : "try_later", why: answer.why };
  }
  const key = asText(answer.body["api_key"]);
  if (key === undefined) return { kind: "try_later", why: `${row.label} answered without a key` };
  const now = deps.clock.now();
  const expiresIn = Number(answer.body["expires_in"]);
  const expiresAt =
    momentOf(answer.body["expires_at"]) ?? (Number.isFinite(expiresIn) ? momentAfter(now, expiresIn) : undefined);
  const address = asText(answer.body["inference_base_url"]);
  return {
    kind: "members",
    members: {
      agent_key: key,
      agent_key_id: answer.body["key_id"],
      agent_key_expires_at: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
      agent_key_expires_in: answer.body["expires_in"],
      agent_key_reused: answer.body["reused"],
      agent_key_obtained_at: new Date(now).toISOString(),
      ...(address === undefined ? {} : { inference_base_url: address }),
    },
  };
};
