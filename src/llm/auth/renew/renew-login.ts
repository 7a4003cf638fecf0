import { messageOf } from "../../../base/app-error.ts";
import { acquireProcessLock } from "../../../base/process-lock.ts";
import { writeSecretFile } from "../../../base/secret-file.ts";
import { trusting } from "../../http.ts";
import { asRecord, asText } from "../../wires/json-fields.ts";
import {
  entriesWithLogin,
  googleFilePath,
  saveAnthropicFile,
  withOwned,
  type VaultFiles,
} from "../vault/add-credential.ts";
import { OK } from "../vault/entry-status.ts";
import { withMembers, type JsonObject, type OwnedCredential } from "../vault/pool-entry.ts";
import { sendsMintedKey, sentToken } from "../vault/sent-token.ts";
import { momentOf } from "../vault/token-time.ts";
import { qwenFilePath } from "../sources/login-files.ts";
import { findLoginProvider, type LoginOverride, type LoginProvider } from "./login-providers.ts";
import { mintAgentKey } from "./nous-key.ts";
import { wordsWithout } from "./plain-words.ts";
import { atPortal, ownPortal, trustOf } from "./portal-address.ts";
import { usableToken } from "../vault/usable-token.ts";
import { expiryOfAnswer, membersOfAnswer } from "./token-answer.ts";
import { askTokenEndpoint, refreshRequest, type TokenAnswer, type TokenDeps } from "./token-request.ts";

/** What logins are renewed with. */
export interface RenewDeps extends TokenDeps, VaultFiles {
  /** The owner's own directory. */
  readonly userDirectory: string;
  readonly overrides?: Readonly<Record<string, LoginOverride>>;
  /** How long another process's renewal is waited for. */
  readonly lockWaitMs?: number;
  /** Masks what a token endpoint said. */
  readonly redact: (text: string) => string;
}

/** Which login is to be renewed. */
export interface RenewWish {
  readonly provider: string;
  /** The entry's id. */
  readonly id: string;
  /** `file` = it is kept in a file of its own, not in the pool. */
  readonly kept: "vault" | "file";
  /** The token or key that was refused; absent = it is about to end. */
  readonly refused?: string;
}

/** What became of it. */
export type RenewResult =
  /** There is a new token, ours or a peer's. `unsaved` = it could not be written: it is good as long as this process lives. */
  | { readonly kind: "renewed"; readonly unsaved?: { readonly entry: OwnedCredential; readonly why: string } }
  | { readonly kind: "lost"; readonly code: string; readonly why: string }
  | { readonly kind: "try_later"; readonly why: string };

/** A renewal takes as long as its answer is waited for; who comes second waits that long and a little more. */
const LOCK_WAIT_MS = 35_000;

/** A token that ends sooner counts as ended: a call must be able to begin with it. */
const RENEWAL_MARGIN_MS = 120_000;

/**
 * Renews a login under the lock that all processes share, from reading the old pair to writing the new one (B23): who comes
 * second finds the new pair and sends nothing. Never throws.
 */
export const renewLogin = async (deps: RenewDeps, wish: RenewWish): Promise<RenewResult> => {
  const row = findLoginProvider(wish.provider, deps.overrides);
  if (row === undefined) return { kind: "lost", code: "invalid_grant", why: "this login cannot be renewed" };
  try {
    const locked = await acquireProcessLock({
      directory: deps.vault.options.locksDirectory,
      name: `auth-${wish.provider}`,
      clock: deps.clock,
      timeoutMs: deps.lockWaitMs ?? LOCK_WAIT_MS,
      purpose: `renewing the login of ${row.label}`,
    });
    if (locked.kind === "busy")
      return { kind: "try_later", why: `another process is renewing the login of ${row.label}` };
    using _ = locked.lock;
    return await (wish.kept === "vault" ? renewInVault(deps, row, wish) : renewInFile(deps, row, wish));
  } catch (thrown) {
    return { kind: "try_later", why: messageOf(thrown) };
  }
};

const renewInVault = async (deps: RenewDeps, row: LoginProvider, wish: RenewWish): Promise<RenewResult> => {
  const entry = currentEntry(deps, wish);
  if (entry === undefined) return { kind: "lost", code: "invalid_grant", why: "the login was removed" };
  if (!needsRenewal(entry, wish, deps.clock.now())) return { kind: "renewed" };
  const renewed = await renewEntry(deps, row, { entry, wish });
  if (renewed.kind !== "entry") {
    // A program that does not know this lock may have been faster: then its pair is there by now.
    const now = currentEntry(deps, wish);
    const isRotated = now !== undefined && now.accessToken !== entry.accessToken;
    return renewed.kind === "lost" && isRotated ? { kind: "renewed" } : renewed;
  }
  return await saveRenewed(deps, wish.provider, renewed.entry);
};

const currentEntry = (deps: RenewDeps, { provider, id }: RenewWish): OwnedCredential | undefined => {
  const read = deps.vault.read();
  if (read.kind === "broken") throw read.error;
  return entriesWithLogin(read.document, provider, deps).find(
    (entry): entry is OwnedCredential => entry.kind === "owned" && entry.id === id,
  );
};

/** Whether the pair on disk is still the one that was refused or ends. */
const needsRenewal = (entry: OwnedCredential, { provider, refused }: RenewWish, now: number): boolean => {
  const { value, expiresAt } = sentToken(provider, entry);
  if (value === undefined) return true;
  return refused === undefined ? isEnding(expiresAt, now) : value === refused;
};

/** Whether a token that ends at `end` (ms UTC) must be renewed before a call; one that does not say when it ends is tried. */
export const isEnding = (end: number | undefined, now: number): boolean =>
  end !== undefined && end - RENEWAL_MARGIN_MS <= now;

type Renewed = { readonly kind: "entry"; readonly entry: OwnedCredential } | Exclude<RenewResult, { kind: "renewed" }>;

const renewEntry = async (
  common: RenewDeps,
  builtIn: LoginProvider,
  { entry, wish }: { readonly entry: OwnedCredential; readonly wish: RenewWish },
): Promise<Renewed> => {
  const row = rowOf(builtIn, entry);
  const deps = { ...common, http: trusting(common.http, trustOf(entry.more)) };
  if (!sendsMintedKey(row.id, entry)) return await refreshPair(deps, row, entry);
  // The login that the key is made from is renewed only when it ends itself.
  const isUsable = entry.accessToken !== undefined && !isEnding(entry.expiresAt, deps.clock.now());
  const pair = isUsable ? ({ kind: "entry", entry } as const) : await refreshPair(deps, row, entry);
  if (pair.kind !== "entry") return pair;
  const minted = await mintAgentKey(deps, row, pair.entry);
  if (minted.kind === "members") {
    return { kind: "entry", entry: withMembers(row.id, { ...pair.entry, status: OK }, minted.members) };
  }
  if (minted.kind === "refused" && isUsable) {
    const again = await refreshPair(deps, row, entry);
    if (again.kind !== "entry") return again;
    await saveRenewed(deps, wish.provider, again.entry);
    const last = await mintAgentKey(deps, row, again.entry);
    if (last.kind === "members") return { kind: "entry", entry: withMembers(row.id, again.entry, last.members) };
    return { kind: "try_later", why: wordsWithout(last.why, [again.entry.accessToken ?? ""], deps.redact) };
  }
  // The pair was spent and must not be lost with the key that was refused.
  if (!isUsable) await saveRenewed(deps, wish.provider, pair.entry);
  return { kind: "try_later", why: wordsWithout(minted.why, [pair.entry.accessToken ?? ""], deps.redact) };
};

const refreshPair = async (deps: RenewDeps, row: LoginProvider, entry: OwnedCredential): Promise<Renewed> => {
  if (entry.refreshToken === undefined) {
    return { kind: "lost", code: "invalid_grant", why: "it has ended, and there is nothing to renew it with" };
  }
  const request = refreshRequest(row, entry.refreshToken, tokenAddress(row, entry));
  const answer = await askTokenEndpoint(deps, request, row);
  if (answer.kind !== "tokens") return saidOf(deps, answer, entry.refreshToken);
  const members = membersOfAnswer(row, answer.body, deps.clock.now());
  if (members === undefined) return { kind: "try_later", why: `${row.label} answered without a token` };
  return { kind: "entry", entry: withMembers(row.id, { ...entry, status: OK }, members) };
};

/** A login that was made with another client id, or at a portal of the owner's, is renewed with it and there. */
const rowOf = (row: LoginProvider, { more }: OwnedCredential): LoginProvider => {
  const clientId = asText(more["client_id"]) ?? row.clientId;
  const portal = ownPortal(more, (findLoginProvider(row.id) ?? row).endpoints);
  return portal === undefined ? { ...row, clientId } : { ...row, clientId, endpoints: atPortal(row.endpoints, portal) };
};

/** An address that the login brought along, if it is the provider's own: a refresh token goes nowhere else. */
const tokenAddress = (row: LoginProvider, entry: OwnedCredential): string => {
  const { token } = row.endpoints;
  const own = asText(asRecord(entry.more["discovery"])?.["token_endpoint"]);
  if (own === undefined || !URL.canParse(own)) return token;
  return new URL(own).origin === new URL(token).origin ? own : token;
};

const saidOf = (
  deps: RenewDeps,
  answer: Exclude<TokenAnswer, { kind: "tokens" }>,
  refreshToken: string,
): Exclude<RenewResult, { kind: "renewed" }> => {
  const why = wordsWithout(answer.why, [refreshToken], deps.redact);
  return answer.kind === "lost" ? { kind: "lost", code: answer.code, why } : { kind: "try_later", why };
};

/** Writes the new pair; where that fails, it is handed back, since the old one is spent. */
export const saveRenewed = async (deps: RenewDeps, provider: string, entry: OwnedCredential): Promise<RenewResult> => {
  try {
    await deps.vault.update((document) => {
      const now = entriesWithLogin(document, provider, deps).find(({ id }) => id === entry.id);
      if (now === undefined) return document; // removed meanwhile: it does not come back
      // What was counted or renamed meanwhile stays.
      const { label, priority, requestCount } = now;
      return withOwned(document, provider, { ...entry, label, priority, requestCount });
    });
    await saveAnthropicFile(provider, entry, deps);
    return { kind: "renewed" };
  } catch (thrown) {
    return { kind: "renewed", unsaved: { entry, why: messageOf(thrown) } };
  }
};

/** Renews a login that stands in a file of its own, in that file's form: Google's in this home, Qwen's in its own program's. */
const renewInFile = async (deps: RenewDeps, row: LoginProvider, wish: RenewWish): Promise<RenewResult> => {
  const form = row.id === "google-gemini-cli" ? googleForm(deps) : qwenForm(deps);
  const before = form.read();
  if (before === undefined) return { kind: "lost", code: "invalid_grant", why: "its file is gone" };
  const isSame =
    wish.refused === undefined ? isEnding(before.expiresAt, deps.clock.now()) : before.token === wish.refused;
  if (!isSame) return { kind: "renewed" };
  if (before.refreshToken === undefined) return { kind: "lost", code: "invalid_grant", why: "it has no refresh token" };
  const answer = await askTokenEndpoint(deps, refreshRequest(row, before.refreshToken), row);
  if (answer.kind !== "tokens") {
    const isRotated = form.read()?.token !== before.token;
    return answer.kind === "lost" && isRotated ? { kind: "renewed" } : saidOf(deps, answer, before.refreshToken);
  }
  const token = usableToken(answer.body["access_token"]);
  if (token === undefined) return { kind: "try_later", why: `${row.label} answered without a token` };
  const expiresAt = expiryOfAnswer(row, answer.body, deps.clock.now());
  await form.write({
    token,
    refreshToken: usableToken(answer.body["refresh_token"]) ?? before.refreshToken,
    expiresAt,
  });
  return { kind: "renewed" };
};

interface FileLogin {
  readonly token: string | undefined;
  readonly refreshToken: string | undefined;
  readonly expiresAt: number | undefined;
}

interface LoginFile {
  read(): FileLogin | undefined;
  write(login: FileLogin): Promise<void>;
}

const loginFile = (
  { json }: RenewDeps,
  path: string,
  form: {
    readonly read: (content: JsonObject) => FileLogin;
    readonly write: (login: FileLogin, before: JsonObject) => JsonObject;
  },
): LoginFile => ({
  read: () => {
    const content = json.read(path);
    return content === undefined ? undefined : form.read(content);
  },
  write: async (login) => {
    const before = json.read(path) ?? {};
    const content = { ...before, ...form.write(login, before) };
    await writeSecretFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
  },
});

const qwenForm = (deps: RenewDeps): LoginFile =>
  loginFile(deps, qwenFilePath(deps.userDirectory), {
    read: (content) => ({
      token: asText(content["access_token"]),
      refreshToken: asText(content["refresh_token"]),
      expiresAt: momentOf(content["expiry_date"]),
    }),
    write: ({ token, refreshToken, expiresAt }) => ({
      access_token: token,
      refresh_token: refreshToken,
      expiry_date: expiresAt,
    }),
  });

/** `refresh` holds the refresh token and the ids of up to two projects, joined with `|`. */
const googleForm = (deps: RenewDeps): LoginFile =>
  loginFile(deps, googleFilePath(deps.vault), {
    read: (content) => ({
      token: asText(content["access"]),
      refreshToken: asText(asText(content["refresh"])?.split("|")[0]),
      expiresAt: momentOf(content["expires"]),
    }),
    write: ({ token, refreshToken, expiresAt }, before) => ({
      access: token,
      refresh: [refreshToken ?? "", ...(asText(before["refresh"])?.split("|").slice(1) ?? [])].join("|"),
      expires: expiresAt,
    }),
  });
