import { createAuthRig, type AuthRig } from "./auth-rig.ts";
import type { TokenServer } from "./token-server.ts";

/** When the clock of a rig starts, ms UTC. */
export const RIG_START = Date.UTC(2026, 0, 1);

/** A token whose claims can be read. */
export const unsignedToken = (claims: object): string =>
  ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "sig"].join(".");

/** An entry of a login whose access token has just ended. */
export const endedLogin = (source: string, more: object = {}): object => ({
  id: "aaaaaa",
  label: "me@example.org",
  auth_type: "oauth",
  priority: 0,
  source,
  access_token: "access-0",
  refresh_token: "refresh-0",
  expires_at_ms: RIG_START - 1000,
  ...more,
});

/** A home with one login, whose provider's sign-in is the given server. */
export const loginRig = (options: {
  readonly provider: string;
  readonly server: TokenServer;
  readonly entry: object;
  /** Further members of `auth.json`. */
  readonly more?: object;
}): AuthRig =>
  createAuthRig({
    auth: { version: 1, credential_pool: { [options.provider]: [options.entry] }, ...options.more },
    overrides: {
      [options.provider]: {
        endpoints: { token: `${options.server.origin}/token`, key: `${options.server.origin}/key` },
      },
    },
  });
