import type { OwnedCredential } from "./pool-entry.ts";

/** What a call sends of an owned credential. */
export interface SentToken {
  readonly value: string | undefined;
  /** When it ends, ms UTC. */
  readonly expiresAt: number | undefined;
}

/** Whether calls send a key that the provider has made from the login, not the login's own token. */
export const sendsMintedKey = (provider: string, { authType }: OwnedCredential): boolean =>
  provider === "nous" && authType === "oauth";

/** The token, or the key that was made from it. */
export const sentToken = (provider: string, entry: OwnedCredential): SentToken =>
  sendsMintedKey(provider, entry)
    ? { value: entry.agentKey, expiresAt: entry.agentKeyExpiresAt }
    : { value: entry.accessToken, expiresAt: entry.expiresAt };
