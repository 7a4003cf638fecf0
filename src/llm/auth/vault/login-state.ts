import { asRecord, asText } from "../../wires/json-fields.ts";
import { OK, writeStatus } from "./entry-status.ts";
import { loginSourceOf } from "./owned-sources.ts";
import {
  derivedId,
  ownCredential,
  withMembers,
  type JsonObject,
  type OwnedCredential,
  type StoredCredential,
} from "./pool-entry.ts";
import { momentOf, tokenOwner } from "./token-time.ts";

/**
 * A provider's first login stands twice in the existing system's files: in its pool, and as a state of its own
 * (`providers.<id>`, or a file). Both programs write both; whichever was written last counts.
 */

/** Providers whose state keeps the pair under `tokens`. */
const NESTED: ReadonlySet<string> = new Set(["openai-codex", "xai-oauth"]);
/** Providers whose state holds the members of the entry itself. */
const FLAT: ReadonlySet<string> = new Set(["nous", "minimax-oauth"]);

/** Members of an entry that are no part of a login's state. */
const OF_ENTRY = /^(?:id|label|auth_type|priority|source|request_count|base_url|expires_at_ms|last_(?!refresh$).*)$/;

/** A state of `providers.<id>` as members of an entry; undefined where it holds no login. */
export const membersOfState = (provider: string, state: JsonObject | undefined): JsonObject | undefined => {
  if (state === undefined || !(NESTED.has(provider) || FLAT.has(provider))) return undefined;
  const { tokens, ...rest } = state;
  const members = { ...rest, ...asRecord(tokens) };
  return hasLogin(members) ? members : undefined;
};

/** `.anthropic_oauth.json` as members of an entry. */
export const membersOfAnthropicFile = (file: JsonObject | undefined): JsonObject | undefined => {
  if (file === undefined) return undefined;
  const members = {
    access_token: asText(file["accessToken"]),
    refresh_token: asText(file["refreshToken"]),
    expires_at_ms: momentOf(file["expiresAt"]),
  };
  return hasLogin(members) ? members : undefined;
};

const hasLogin = (members: JsonObject): boolean =>
  asText(members["access_token"]) !== undefined || asText(members["refresh_token"]) !== undefined;

/** The entries of a pool with the login that stands beside it: put in where it is missing, taken over where it is newer. */
export const withLogin = (
  entries: readonly StoredCredential[],
  provider: string,
  members: JsonObject | undefined,
): readonly StoredCredential[] => {
  const source = loginSourceOf(provider);
  if (source === undefined || members === undefined) return entries;
  const held = entries.find((entry): entry is OwnedCredential => entry.kind === "owned" && entry.source === source);
  if (held === undefined) return [...entries, newEntry(provider, source, { members, priority: entries.length })];
  const isSame =
    asText(members["access_token"]) === held.accessToken && asText(members["refresh_token"]) === held.refreshToken;
  if (isSame || writtenAt(members) < writtenAt(held.more)) return entries;
  const taken = withMembers(provider, held, { ...expiryOf(members), ...ofEntry(members), ...writeStatus(OK) });
  return entries.map((entry) => (entry === held ? taken : entry));
};

const ofEntry = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !OF_ENTRY.test(name) || name === "expires_at_ms"));

/** What a state does not say of its end must not be left from the pair before it. */
const expiryOf = (members: JsonObject): JsonObject => ({
  expires_at: members["expires_at"],
  expires_at_ms: members["expires_at_ms"],
});

/** When a pair was obtained, as far as anything says so; a later pair ends later, too. */
const writtenAt = (members: JsonObject): number =>
  momentOf(members["last_refresh"]) ??
  momentOf(members["obtained_at"]) ??
  momentOf(members["expires_at_ms"]) ??
  momentOf(members["expires_at"]) ??
  0;

const newEntry = (
  provider: string,
  source: string,
  { members, priority }: { readonly members: JsonObject; readonly priority: number },
): OwnedCredential =>
  ownCredential(provider, {
    id: derivedId(provider, source),
    label: tokenOwner(asText(members["access_token"])) ?? source,
    authType: "oauth",
    priority,
    source,
    requestCount: 0,
    status: OK,
    secrets: ofEntry(members),
  });

/** The state to write beside an entry; undefined where the provider has none, or the entry is not its first login. */
export const stateOfEntry = (
  provider: string,
  entry: OwnedCredential,
  before: JsonObject | undefined,
): JsonObject | undefined => {
  if (entry.source !== loginSourceOf(provider)) return undefined;
  const members = Object.fromEntries(Object.entries(entry.more).filter(([name]) => !OF_ENTRY.test(name)));
  if (FLAT.has(provider)) return { ...before, ...members };
  if (!NESTED.has(provider)) return undefined;
  const { access_token, refresh_token, expires_at: _, ...rest } = members;
  const tokens = { ...asRecord(before?.["tokens"]), access_token, refresh_token };
  return { ...before, ...rest, tokens, ...(provider === "openai-codex" ? { auth_mode: "chatgpt" } : {}) };
};

/** The content of `.anthropic_oauth.json` for an entry; undefined where it is not the first login of Anthropic. */
export const anthropicFileContent = (
  provider: string,
  entry: OwnedCredential,
  before: JsonObject | undefined,
): JsonObject | undefined =>
  provider !== "anthropic" || entry.source !== loginSourceOf(provider)
    ? undefined
    : {
        ...before,
        accessToken: entry.accessToken,
        refreshToken: entry.refreshToken,
        ...(entry.expiresAt === undefined ? {} : { expiresAt: entry.expiresAt }),
      };
