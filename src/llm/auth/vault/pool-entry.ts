import { createHash } from "node:crypto";
import * as z from "zod";
import { authErrors } from "../errors.ts";
import { readStatus, writeStatus, type EntryStatus } from "./entry-status.ts";
import { isOwnedSource } from "./owned-sources.ts";
import { isSecretName } from "./secret-name.ts";
import { momentOf, tokenExpiry } from "./token-time.ts";

/** A JSON object as it stands in a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How a credential came to be. */
export type AuthType = "oauth" | "api_key";

/** What an entry of a pool says besides its secrets. */
interface EntryFacts {
  readonly id: string;
  readonly label: string;
  readonly authType: AuthType;
  /** Lower goes first. */
  readonly priority: number;
  /** As compat 3.4 names sources. */
  readonly source: string;
  readonly requestCount: number;
  readonly status: EntryStatus;
  readonly baseUrl?: string;
  /** Every further member as it stands in the file; survives each write. */
  readonly more: JsonObject;
}

declare const owned: unique symbol;

/** A credential whose secrets are this program's to keep. Only `ownCredential` and the vault's reader make one. */
export interface OwnedCredential extends EntryFacts {
  readonly kind: "owned";
  readonly [owned]: true;
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** A key that a login was exchanged for and that is sent in its place. */
  readonly agentKey: string | undefined;
  /** When the access token ends, ms UTC. */
  readonly expiresAt: number | undefined;
  readonly agentKeyExpiresAt: number | undefined;
}

/** What the file remembers of another program's or the environment's secret: everything but the secret. */
export interface BorrowedCredential extends EntryFacts {
  readonly kind: "borrowed";
  /** Which secret the status belongs to. */
  readonly fingerprint: string | undefined;
}

/** An entry of a pool in the file. */
export type StoredCredential = OwnedCredential | BorrowedCredential;

/** `sha256:` and the first 16 hex digits: tells secrets apart without holding them. */
export const fingerprintOf = (secret: string): string =>
  `sha256:${createHash("sha256").update(secret).digest("hex").slice(0, 16)}`;

/** An id made of what it names, 6 hex digits. */
export const derivedId = (...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 6);

const text = z.string().min(1).optional().catch(undefined);
const whole = z.int().min(0).optional().catch(undefined);

/** The members that this program reads. A member of another type counts as absent. */
const entrySchema = z.object({
  id: text,
  label: text,
  auth_type: z.enum(["oauth", "api_key"]).optional().catch(undefined),
  priority: z.int().optional().catch(undefined),
  source: text,
  request_count: whole,
  base_url: text,
  inference_base_url: text,
  access_token: text,
  refresh_token: text,
  agent_key: text,
  expires_at: z.unknown().optional(),
  expires_at_ms: z.unknown().optional(),
  agent_key_expires_at: z.unknown().optional(),
  secret_fingerprint: text,
});

/** Reads one entry; undefined for what is none, or for an owned one without any secret. */
export const readEntry = (
  raw: unknown,
  place: { readonly provider: string; readonly index: number },
): StoredCredential | undefined => {
  const parsed = entrySchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const entry = parsed.data;
  const { provider, index } = place;
  const source = entry.source ?? "manual";
  const baseUrl = entry.base_url ?? entry.inference_base_url;
  const more = withoutSecrets(raw as JsonObject);
  const facts: EntryFacts = {
    id: entry.id ?? derivedId(provider, source, String(index)),
    label: entry.label ?? source,
    authType: entry.auth_type ?? (entry.refresh_token === undefined ? "api_key" : "oauth"),
    priority: entry.priority ?? index,
    source,
    requestCount: entry.request_count ?? 0,
    status: readStatus(raw as JsonObject),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    more,
  };
  if (!isOwnedSource(provider, source)) return { kind: "borrowed", ...facts, fingerprint: entry.secret_fingerprint };
  if (entry.access_token === undefined && entry.refresh_token === undefined && entry.agent_key === undefined) {
    return undefined;
  }
  return {
    kind: "owned",
    ...facts,
    more: raw as JsonObject,
    accessToken: entry.access_token,
    refreshToken: entry.refresh_token,
    agentKey: entry.agent_key,
    expiresAt: momentOf(entry.expires_at_ms) ?? momentOf(entry.expires_at) ?? tokenExpiry(entry.access_token),
    agentKeyExpiresAt: momentOf(entry.agent_key_expires_at),
  } as OwnedCredential;
};

/** The members of a new owned entry. */
export interface NewOwned extends Omit<EntryFacts, "more"> {
  readonly secrets: JsonObject;
  readonly more?: JsonObject;
}

/** Makes an owned credential. Throws `auth.not_owned` where the source is not this program's (R-CRED-1). */
export const ownCredential = (provider: string, fields: NewOwned): OwnedCredential => {
  const { id, label, authType, priority, source, requestCount, status, baseUrl } = fields;
  const raw = {
    ...fields.more,
    ...fields.secrets,
    id,
    label,
    auth_type: authType,
    priority,
    source,
    request_count: requestCount,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...writeStatus(status),
  };
  const entry = readEntry(raw, { provider, index: priority });
  if (entry?.kind !== "owned") throw authErrors.notOwned({ provider, source });
  return entry;
};

/** An owned credential with members of its entry replaced, secrets included; undefined removes one. */
export const withMembers = (provider: string, entry: OwnedCredential, members: JsonObject): OwnedCredential => {
  const raw = Object.fromEntries(
    Object.entries({ ...entryJson(entry), ...members }).filter(([, value]) => value !== undefined),
  );
  const next = readEntry(raw, { provider, index: entry.priority });
  if (next?.kind !== "owned") throw authErrors.notOwned({ provider, source: entry.source });
  return next;
};

/** An entry as it is written. A borrowed one holds no secret, whatever its members were. */
export const entryJson = (entry: StoredCredential): JsonObject => {
  const { id, label, authType, priority, source, requestCount, status, more } = entry;
  const facts = {
    id,
    label,
    auth_type: authType,
    priority,
    source,
    ...writeStatus(status),
    ...(entry.baseUrl === undefined || entry.baseUrl === more["inference_base_url"] ? {} : { base_url: entry.baseUrl }),
    request_count: requestCount,
  };
  if (entry.kind === "owned") return { ...more, ...facts };
  const fingerprint = entry.fingerprint === undefined ? {} : { secret_fingerprint: entry.fingerprint };
  return { ...withoutSecrets(more), ...facts, ...fingerprint };
};

/** The members without those that hold secrets, at any depth. */
export const withoutSecrets = (members: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([name, value]) => !(isSecretName(name) && value !== null && typeof value !== "boolean"))
      .map(([name, value]) => [name, cleaned(value)]),
  );

const cleaned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(cleaned);
  return typeof value === "object" && value !== null ? withoutSecrets(value as JsonObject) : value;
};
