import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { writeSecretFile } from "../../../base/secret-file.ts";
import { OK } from "./entry-status.ts";
import type { JsonFiles } from "./json-files.ts";
import {
  anthropicFileContent,
  membersOfAnthropicFile,
  membersOfState,
  stateOfEntry,
  withLogin,
} from "./login-state.ts";
import { loginSourceOf } from "./owned-sources.ts";
import {
  derivedId,
  ownCredential,
  withMembers,
  type BorrowedCredential,
  type JsonObject,
  type OwnedCredential,
  type StoredCredential,
} from "./pool-entry.ts";
import { tokenOwner } from "./token-time.ts";
import type { Vault } from "./vault.ts";
import {
  loginState,
  storedEntries,
  suppressedSources,
  withActiveProvider,
  withAllowed,
  withEntries,
  withLoginState,
  type VaultDocument,
} from "./vault-document.ts";

/** The vault and the files beside it. */
export interface VaultFiles {
  readonly vault: Vault;
  readonly json: JsonFiles;
}

/** A login that was just made. */
export interface NewLogin {
  readonly provider: string;
  /** How it was made: `hermes_pkce`, `device_code`, `loopback_pkce`, `oauth`. */
  readonly flow: string;
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** When the access token ends, ms UTC. */
  readonly expiresAt?: number | undefined;
  /** The owner's name for it. */
  readonly label?: string | undefined;
  /** Whose it is (a mail address), where the provider says so. A second login of the same person replaces the first. */
  readonly account?: string | undefined;
  /** What tells its account from another one of the same name, where the provider says so (an id, no name). */
  readonly subject?: string | undefined;
  /** The address that belongs to it, where it has one of its own. */
  readonly baseUrl?: string | undefined;
  /** Further members of the entry, as compat 3.4 names them: `scope`, `client_id`, `token_type`, `portal_base_url`, … */
  readonly more?: JsonObject;
}

/** What became of it. */
export interface AddedCredential {
  readonly id: string;
  readonly label: string;
  /** `same` = this very key was there already; `renewed` = a login of that person was replaced. */
  readonly kind: "added" | "renewed" | "same";
}

/** Where Google's login is kept: a file of its own, not in the pool (compat 3.1). */
export const googleFilePath = (vault: Vault): string => join(dirname(vault.options.file), "auth", "google_oauth.json");

/** Where the existing system keeps Anthropic's first login besides the pool (compat 3.1). */
export const anthropicFilePath = (vault: Vault): string => join(dirname(vault.options.file), ".anthropic_oauth.json");

/** A provider's stored entries, its login that stands beside the pool included. */
export const entriesWithLogin = (
  document: VaultDocument,
  provider: string,
  { vault, json }: VaultFiles,
): readonly StoredCredential[] => {
  const entries = storedEntries(document, provider);
  const source = loginSourceOf(provider);
  if (source === undefined || suppressedSources(document, provider).includes(source)) return entries;
  const members =
    provider === "anthropic"
      ? membersOfAnthropicFile(json.read(anthropicFilePath(vault)))
      : membersOfState(provider, loginState(document, provider));
  return withLogin(entries, provider, members);
};

/** Puts an owned entry into the document, and beside it the state that the existing system reads. */
export const withOwned = (document: VaultDocument, provider: string, entry: OwnedCredential): VaultDocument => {
  const state = stateOfEntry(provider, entry, loginState(document, provider));
  const stored = withEntries(document, provider, [entry]);
  return state === undefined ? stored : withLoginState(stored, provider, state);
};

/** Writes Anthropic's own file after the pool's entry. A crash between the two leaves the older pair there, which is not taken. */
export const saveAnthropicFile = async (
  provider: string,
  entry: OwnedCredential,
  { vault, json }: VaultFiles,
): Promise<void> => {
  const path = anthropicFilePath(vault);
  const content = anthropicFileContent(provider, entry, json.read(path));
  if (content !== undefined) await writeSecretFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
};

/**
 * Keeps a new login: `hermes auth add`, `hermes model` and the dashboard all come here (R-CRED-3). The first login of a provider has the
 * source that the existing system knows, others are `manual:<flow>`. Throws as `Vault.update` does.
 */
export const addLogin = async (files: VaultFiles, login: NewLogin, now: number): Promise<AddedCredential> => {
  if (login.provider === "google-gemini-cli") return await addGoogleLogin(files, login);
  let added: { readonly entry: OwnedCredential; readonly kind: AddedCredential["kind"] } | undefined;
  await files.vault.update((document) => {
    const entries = entriesWithLogin(document, login.provider, files);
    added = settleLogin(entries, login, now);
    const allowed = withAllowed(document, login.provider, [added.entry.source]);
    return withActiveProvider(withOwned(allowed, login.provider, added.entry), login.provider);
  });
  if (added === undefined) throw new TypeError("a change of the vault has run or thrown");
  await saveAnthropicFile(login.provider, added.entry, files);
  return { id: added.entry.id, label: added.entry.label, kind: added.kind };
};

const settleLogin = (
  entries: readonly StoredCredential[],
  login: NewLogin,
  now: number,
): { readonly entry: OwnedCredential; readonly kind: "added" | "renewed" } => {
  const { provider } = login;
  const logins = entries.filter(
    (entry): entry is OwnedCredential => entry.kind === "owned" && entry.authType === "oauth",
  );
  const name = login.label ?? login.account ?? tokenOwner(login.accessToken);
  const secrets = secretsOf(login, now);
  // Where nothing tells whose it is, a login that is gone for good is what was signed in to again.
  const known =
    sameAccount(logins, login.subject) ??
    (name === undefined
      ? logins.find(({ status }) => status.kind === "lost")
      : logins.find((entry) => entry.label === name && !isOtherAccount(entry, login.subject)));
  // An address or an account that the new login does not name must not be left from the one before it.
  const own = { ...login.more, [ACCOUNT_MEMBER]: login.subject, base_url: login.baseUrl };
  if (known !== undefined) {
    const { baseUrl: _, ...before } = known;
    const clean = { ...before, label: login.label ?? known.label, status: OK };
    return { entry: withMembers(provider, clean, { ...own, ...secrets }), kind: "renewed" };
  }
  const first = loginSourceOf(provider);
  const isFirst = first !== undefined && !logins.some(({ source }) => source === first);
  const entry = ownCredential(provider, {
    id: unusedId(entries),
    label: name ?? freeLabel(`${provider}-oauth`, entries),
    authType: "oauth",
    priority: nextPriority(entries),
    source: isFirst ? first : `manual:${login.flow}`,
    requestCount: 0,
    status: OK,
    ...(login.baseUrl === undefined ? {} : { baseUrl: login.baseUrl }),
    secrets,
    more: Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
  });
  return { entry, kind: "added" };
};

/** Where an entry keeps whose login it is, as the provider's ids tell. */
const ACCOUNT_MEMBER = "account_id";

const sameAccount = (logins: readonly OwnedCredential[], subject: string | undefined): OwnedCredential | undefined =>
  subject === undefined ? undefined : logins.find(({ more }) => more[ACCOUNT_MEMBER] === subject);

/** Two accounts can have one name: a person's own and their company's. */
const isOtherAccount = ({ more }: OwnedCredential, subject: string | undefined): boolean => {
  const known = more[ACCOUNT_MEMBER];
  return subject !== undefined && known !== undefined && known !== subject;
};

const secretsOf = (login: NewLogin, now: number): JsonObject => ({
  access_token: login.accessToken,
  refresh_token: login.refreshToken,
  ...expiryMembers(login.expiresAt, now),
});

/** How the end of a token is written, in both forms that the existing system reads; undefined takes the old ones away. */
export const expiryMembers = (expiresAt: number | undefined, now: number): JsonObject => ({
  expires_at: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
  expires_at_ms: expiresAt,
  expires_in: expiresAt === undefined ? undefined : Math.max(0, Math.round((expiresAt - now) / 1000)),
  obtained_at: new Date(now).toISOString(),
  last_refresh: new Date(now).toISOString(),
});

/** A key that the owner gives. */
export interface NewKey {
  readonly provider: string;
  readonly key: string;
  readonly label?: string | undefined;
  /** What is there without being kept; it keeps its place before the new key. */
  readonly borrowed: readonly BorrowedCredential[];
}

/** Keeps a key as a `manual` entry, after the others. Throws as `Vault.update` does. */
export const addKey = async ({ vault, json }: VaultFiles, given: NewKey): Promise<AddedCredential> => {
  let added: AddedCredential | undefined;
  await vault.update((document) => {
    const entries = entriesWithLogin(document, given.provider, { vault, json });
    const same = entries.find((entry) => entry.kind === "owned" && entry.accessToken === given.key);
    if (same !== undefined) {
      added = { id: same.id, label: same.label, kind: "same" };
      return document;
    }
    const before = [...entries, ...given.borrowed.filter(({ id }) => !entries.some((entry) => entry.id === id))];
    const id = unusedId(before);
    const label = given.label ?? freeLabel("api-key", before);
    added = { id, label, kind: "added" };
    const entry = ownCredential(given.provider, {
      id,
      label,
      authType: "api_key",
      priority: nextPriority(before),
      source: "manual",
      requestCount: 0,
      status: OK,
      secrets: { access_token: given.key },
    });
    return withEntries(document, given.provider, [...given.borrowed, entry]);
  });
  if (added === undefined) throw new TypeError("a change of the vault has run or thrown");
  return added;
};

const nextPriority = (entries: readonly StoredCredential[]): number =>
  entries.reduce((highest, { priority }) => Math.max(highest, priority + 1), 0);

/** `<stem>-<n>` with the lowest number that no credential's label has; labels are told apart as people name them, whatever their case. */
const freeLabel = (stem: string, entries: readonly { readonly label: string }[]): string => {
  const used = new Set(entries.map(({ label }) => label.trim().toLowerCase()));
  for (let number = 1; ; number++) {
    const label = `${stem}-${number}`;
    if (!used.has(label.toLowerCase())) return label;
  }
};

const unusedId = (entries: readonly { readonly id: string }[]): string => {
  const used = new Set(entries.map(({ id }) => id));
  for (;;) {
    const id = randomBytes(3).toString("hex");
    if (!used.has(id)) return id;
  }
};

const addGoogleLogin = async ({ vault, json }: VaultFiles, login: NewLogin): Promise<AddedCredential> => {
  const path = googleFilePath(vault);
  const email = login.label ?? login.account;
  const project = login.more?.["project_id"];
  const refresh = [login.refreshToken ?? "", typeof project === "string" ? project : "", ""].join("|");
  const content = {
    ...json.read(path),
    refresh,
    access: login.accessToken,
    expires: login.expiresAt,
    ...(email === undefined ? {} : { email }),
  };
  const isNew = json.read(path) === undefined;
  await writeSecretFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
  await vault.update((document) =>
    withActiveProvider(withAllowed(document, login.provider, ["google_oauth"]), login.provider),
  );
  return {
    id: derivedId(login.provider, "google_oauth"),
    label: email ?? "google_oauth",
    kind: isNew ? "added" : "renewed",
  };
};
