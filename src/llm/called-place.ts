import type { CredentialPool } from "./auth/credential-pool.ts";
import type { ModelTarget } from "./model-target.ts";
import { poolOfEntry } from "./providers/provider-entry.ts";
import type { ModelRoute } from "./routing/model-route.ts";

/** Where a call goes, and what proves it there: what a failure is explained with. */
export interface CalledPlace extends Pick<ModelTarget, "provider" | "model" | "baseUrl" | "wire" | "local"> {
  /** `settings` = a key that is written beside the place; `none` = it is called without any. */
  readonly access: "key" | "login" | "settings" | "none";
  /** The setting that holds the address; undefined = it comes with the provider, or from several places. */
  readonly addressKey: string | undefined;
}

/** The place of a route, with the credential that it would most likely get. */
export const calledPlace = (route: ModelRoute, pool: Pick<CredentialPool, "peek">): CalledPlace => {
  const { credentials } = route;
  const pooled = credentials.kind === "pool" ? pool.peek(credentials.pool) : undefined;
  const { provider, model, baseUrl, wire, local, credential } = route.targetWith(pooled);
  const isOwnEntry = credentials.kind === "pool" && credentials.pool === poolOfEntry(provider);
  const ofEntry = isOwnEntry ? `providers.${provider}.base_url` : undefined;
  return {
    provider,
    model,
    baseUrl,
    wire,
    local,
    access: credentials.kind === "fixed" && credential.kind !== "none" ? "settings" : accessOf(pooled),
    addressKey: provider === "custom" ? "model.base_url" : ofEntry,
  };
};

const accessOf = (pooled: ReturnType<CredentialPool["peek"]>): CalledPlace["access"] => {
  if (pooled === undefined) return "none";
  return pooled.login === true ? "login" : "key";
};
