import type { NamePattern, NameStrength } from "./redact-pattern.ts";

/** One row; `list` is separated by commas. */
const names = (kind: string, strength: NameStrength, list: string): NamePattern => ({
  type: "name",
  kind,
  strength,
  names: list.split(", "),
});

/** The row without the names before which one of these words stands. */
const except = (words: string, row: NamePattern): NamePattern => ({ ...row, except: words.split(" ") });

// Pagination cursors, a page's anti-forgery values, published identifiers, flags.
const HARMLESS_TOKENS =
  "public csrf xsrf next page continuation cursor sync cancel cancellation no is has authenticity";
// Indexes, lookups and what is published.
const HARMLESS_KEYS =
  "public pub primary foreign partition sort hash range index idx row column map object cache bucket schema sequence natural " +
  "unique group composite lookup data item entity state i18n message translation locale query mutation route event react memo " +
  "prop property attr host site publishable anon hot short idempotency dedupe kms registry node sender claimed ed25519 curve25519 verify fingerprint file s3 chunk build";

// A name of two telling words is as sure as `password`; a lone `token` or `secret` also names parts of programs.
const API_KEYS =
  "api key, api token, app key, application key, access key, shared access key, account key, x jfrog art api";
const PRIVATE_KEYS = "private key, encryption key, signing key, master key, deploy key, license key, key material";
const SECRETS = "client secret, app secret, secret key, secret access key, secret value, secret input, raw secret";
const TOKENS = "access token, refresh token, id token, auth token, bearer token, bot token";
const PARAMETERS = "key, code, auth, session, sig, signature, x amz signature, x goog signature, x amz security token";

/** Names whose values are secret. Earlier rows count first. */
export const NAME_PATTERNS: readonly NamePattern[] = [
  names("password", "password", "password, passwd, passwort, passphrase, passcode, pwd, user pass, db pass, smtp pass"),
  except("by boarding render", names("password", "secret", "pass, pw")),
  names("api_key", "password", API_KEYS),
  names("private_key", "password", PRIVATE_KEYS),
  names("secret", "password", SECRETS),
  names("token", "password", TOKENS),
  except("is has no", names("secret", "secret", "secret")),
  except(HARMLESS_TOKENS, names("token", "secret", "token, bearer, jwt")),
  names("authorization", "password", "authorization"),
  except("no", names("authorization", "secret", "auth key, credential, credentials, creds")),
  names("session", "weak", "session, session id, sid, session key, session cookie"),
  except(HARMLESS_KEYS, names("key", "weak", "* key")),
  names("parameter", "parameter", PARAMETERS),
];
