import { keyCredential, NO_CREDENTIAL, secretTextsOf, type WireCredential } from "../../credential.ts";
import { asRecord, asText } from "../../wires/json-fields.ts";
import { findLoginProvider } from "../renew/login-providers.ts";
import type { LiveCredential } from "../sources/live-credential.ts";
import { OK, type EntryStatus } from "../vault/entry-status.ts";
import {
  derivedId,
  fingerprintOf,
  type AuthType,
  type BorrowedCredential,
  type OwnedCredential,
  type StoredCredential,
} from "../vault/pool-entry.ts";
import { sendsMintedKey, sentToken } from "../vault/sent-token.ts";
import { tokenClaims } from "../vault/token-time.ts";

/**
 * What can be done when a credential's secret ends or is refused: `login` and `file` are renewed at the provider, `exchange` gets a
 * new short-lived token, `adopt` = another program renews it.
 */
export type Renewal = "login" | "file" | "exchange" | "adopt" | "none";

/** A credential that exists now, before it is leased. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly source: string;
  readonly authType: AuthType;
  readonly priority: number;
  readonly requestCount: number;
  readonly status: EntryStatus;
  /** What a call sends; `none` = it must be obtained first. */
  readonly secret: WireCredential;
  /** The secret that it is made of, as its holder keeps it: an exchanged token changes, this does not. */
  readonly base: WireCredential;
  /** When `secret` ends, ms UTC. */
  readonly expiresAt: number | undefined;
  readonly baseUrl: string | undefined;
  readonly renewal: Renewal;
  /** Its entry in the file; undefined = it has none yet, or is to get one. */
  readonly stored: StoredCredential | undefined;
}

/** A token that this process holds in memory: exchanged for a kept one, or a renewed one that could not be written. */
export interface HeldToken {
  readonly secret: WireCredential;
  readonly expiresAt: number | undefined;
  readonly baseUrl: string | undefined;
}

/** What tells one secret from another; undefined = there is none. */
export const secretKey = (secret: WireCredential): string | undefined => {
  const texts = secretTextsOf(secret);
  return texts.length === 0 ? undefined : fingerprintOf(texts.join("\0"));
};

/** What the candidates of a pool are made of. */
export interface CandidateFacts {
  readonly pool: string;
  readonly stored: readonly StoredCredential[];
  /** What the sources hold that are not suppressed. */
  readonly live: readonly LiveCredential[];
  readonly held: (pool: string, base: WireCredential) => HeldToken | undefined;
}

/**
 * The credentials of a pool in their order: owned ones as the file has them, borrowed ones only where their source answers
 * (R-CRED-1). A borrowed one without an entry stands behind those that have one.
 */
export const listCandidates = ({ pool, stored, live, held }: CandidateFacts): readonly Candidate[] => {
  const owned = stored.filter((entry): entry is OwnedCredential => entry.kind === "owned");
  const borrowed = stored.filter((entry): entry is BorrowedCredential => entry.kind === "borrowed");
  const next = stored.reduce((highest, { priority }) => Math.max(highest, priority + 1), 0);
  const all = [
    ...owned.map((entry) => ownedCandidate(pool, entry)),
    ...live.map((each, index) =>
      borrowedCandidate(pool, each, {
        stored: borrowed.find(({ source }) => source === each.source),
        priority: next + index,
      }),
    ),
  ];
  return all.map((candidate) => withHeld(pool, candidate, held)).sort((a, b) => a.priority - b.priority);
};

const ownedCandidate = (pool: string, entry: OwnedCredential): Candidate => {
  const { id, label, source, authType, priority, requestCount, status } = entry;
  const secret = ownedSecret(pool, entry);
  return {
    id,
    label,
    source,
    authType,
    priority,
    requestCount,
    status,
    secret,
    base: secret,
    expiresAt: sentToken(pool, entry).expiresAt,
    baseUrl: entry.baseUrl,
    renewal: ownedRenewal(pool, entry),
    stored: entry,
  };
};

/** What an owned credential's calls send. */
export const ownedSecret = (pool: string, entry: OwnedCredential): WireCredential =>
  withLoginHeaders(pool, sentToken(pool, entry).value);

const ownedRenewal = (pool: string, entry: OwnedCredential): Renewal => {
  if (pool === "copilot") return "exchange";
  const isLogin = entry.refreshToken !== undefined || sendsMintedKey(pool, entry);
  return isLogin && findLoginProvider(pool) !== undefined ? "login" : "none";
};

/** What a login sends besides its token: whose account of ChatGPT it is. */
const withLoginHeaders = (pool: string, token: string | undefined): WireCredential => {
  if (token === undefined || pool !== "openai-codex") return keyCredential(token);
  const account = asText(asRecord(tokenClaims(token)?.["https://api.openai.com/auth"])?.["chatgpt_account_id"]);
  return account === undefined
    ? keyCredential(token)
    : { kind: "key", value: token, headers: { "chatgpt-account-id": account } };
};

const borrowedCandidate = (
  pool: string,
  live: LiveCredential,
  place: { readonly stored: BorrowedCredential | undefined; readonly priority: number },
): Candidate => {
  const { stored } = place;
  const key = secretKey(live.secret);
  // What is remembered belongs to the secret that was there then.
  const isSame = stored?.fingerprint === undefined || key === undefined || stored.fingerprint === key;
  return {
    id: stored?.id ?? derivedId(pool, live.source),
    label: stored?.label ?? live.label,
    source: live.source,
    authType: live.authType,
    priority: stored?.priority ?? place.priority,
    requestCount: stored?.requestCount ?? 0,
    status: isSame ? (stored?.status ?? OK) : OK,
    secret: live.secret,
    base: live.secret,
    expiresAt: live.expiresAt,
    baseUrl: live.baseUrl,
    renewal: borrowedRenewal(pool, live),
    stored,
  };
};

const borrowedRenewal = (pool: string, { source, authType }: LiveCredential): Renewal => {
  if (pool === "copilot") return "exchange";
  if (source === "qwen-cli" || source === "google_oauth") return "file";
  return source === "claude_code" && authType === "oauth" ? "adopt" : "none";
};

const withHeld = (pool: string, candidate: Candidate, held: CandidateFacts["held"]): Candidate => {
  const token = held(pool, candidate.base);
  if (token !== undefined) {
    const { secret, expiresAt, baseUrl } = token;
    return { ...candidate, secret, expiresAt, baseUrl: baseUrl ?? candidate.baseUrl };
  }
  // GitHub's own token is not what Copilot takes: it is exchanged before the first call.
  return candidate.renewal === "exchange" ? { ...candidate, secret: NO_CREDENTIAL } : candidate;
};

/** What the file shall remember of a borrowed candidate; an owned one has its entry. */
export const borrowedEntry = (candidate: Candidate): BorrowedCredential => {
  const { id, label, source, authType, priority, requestCount, status, stored } = candidate;
  return {
    kind: "borrowed",
    id,
    label,
    source,
    authType,
    priority,
    requestCount,
    status,
    fingerprint: secretKey(candidate.base) ?? (stored?.kind === "borrowed" ? stored.fingerprint : undefined),
    more: stored?.more ?? {},
  };
};
