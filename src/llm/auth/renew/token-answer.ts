import { expiryMembers } from "../vault/add-credential.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { momentAfter, momentOf, tokenExpiry } from "../vault/token-time.ts";
import { usableToken } from "../vault/usable-token.ts";
import type { LoginProvider } from "./login-providers.ts";

/** New tokens as members of an entry; undefined where the answer has no access token that a request can carry. */
export const membersOfAnswer = (row: LoginProvider, body: JsonObject, now: number): JsonObject | undefined => {
  const accessToken = usableToken(body["access_token"]);
  if (accessToken === undefined) return undefined;
  const kept = Object.fromEntries((row.keeps ?? []).flatMap((name) => (name in body ? [[name, body[name]]] : [])));
  const refreshToken = usableToken(body["refresh_token"]);
  return {
    ...kept,
    access_token: accessToken,
    // Who does not rotate sends none: the old one goes on.
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...expiryMembers(expiryOfAnswer(row, body, now) ?? tokenExpiry(accessToken), now),
  };
};

/** When the access token of an answer ends, ms UTC; undefined where it does not say. */
export const expiryOfAnswer = ({ expiry }: LoginProvider, body: JsonObject, now: number): number | undefined => {
  const given = Number(expiry === "expired_in" ? body["expired_in"] : body["expires_in"]);
  if (!Number.isFinite(given) || given <= 0) return undefined;
  return expiry === "expired_in" ? endOfExpiredIn(given, now) : momentAfter(now, given);
};

/** Ten years: no token or code lives longer, and every moment of today is larger. */
const LONGEST_LENGTH_SECONDS = 315_360_000;

/** MiniMax's `expired_in` has been both: a length in seconds, and a moment in seconds or milliseconds. The moment, ms UTC. */
export const endOfExpiredIn = (given: number, now: number): number | undefined =>
  given > LONGEST_LENGTH_SECONDS ? momentOf(given) : momentAfter(now, given);
