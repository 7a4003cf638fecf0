import { rm } from "node:fs/promises";
import type { Clock } from "../../../base/clock.ts";
import { authErrors } from "../errors.ts";
import type { Candidate } from "../pool/candidate.ts";
import { borrowedEntries, readRoster, type Roster, type RosterDeps } from "../pool/roster.ts";
import { placeOfPool, poolNames } from "../sources/live-credential.ts";
import {
  addKey,
  addLogin,
  anthropicFilePath,
  entriesWithLogin,
  googleFilePath,
  withOwned,
  type AddedCredential,
  type NewLogin,
} from "../vault/add-credential.ts";
import { OK } from "../vault/entry-status.ts";
import { loginSourceOf } from "../vault/owned-sources.ts";
import {
  activeProvider,
  loginState,
  storedPools,
  suppressedSources,
  withActiveProvider,
  withAllowed,
  withEntries,
  withLoginState,
  withoutEntry,
  withSuppressed,
  type VaultDocument,
} from "../vault/vault-document.ts";
import { findTarget, type FoundTarget } from "./find-target.ts";

/** A removed credential, and which sources are not read any more. */
export interface RemovedCredential extends FoundTarget {
  readonly suppressed: readonly string[];
}

/** What people do with credentials (`hermes auth`). Methods that write throw as `Vault.update` does. */
export interface CredentialBook {
  /** The names of all pools that can have credentials. */
  pools(): readonly string[];
  /** A pool in its order; what other programs hold is asked for. Throws `auth.broken_file`. */
  list(pool: string, signal: AbortSignal): Promise<readonly Candidate[]>;
  /** Sources of a pool that are not read. Throws `auth.broken_file`. */
  suppressed(pool: string): readonly string[];
  /** The provider that was signed in to last. Throws `auth.broken_file`. */
  active(): string | undefined;
  addKey(key: {
    readonly pool: string;
    readonly key: string;
    readonly label?: string | undefined;
  }): Promise<AddedCredential>;
  /** Keeps a login that was just made, whoever made it. */
  addLogin(login: NewLogin): Promise<AddedCredential>;
  /** Takes a credential out, and stops reading where it came from (R-CRED-2). Throws `auth.no_such_credential`. */
  remove(pool: string, target: string, signal: AbortSignal): Promise<RemovedCredential>;
  /** Reads suppressed sources again; which ones. */
  restore(pool: string): Promise<readonly string[]>;
  /** Ends every rest; how many there were. */
  reset(pool: string, signal: AbortSignal): Promise<number>;
  /** Removes the logins that are kept here; how many there were. */
  logout(pool: string): Promise<number>;
}

/** Makes the book of one home. */
export const createCredentialBook = (deps: RosterDeps & { readonly clock: Clock }): CredentialBook => {
  const document = (): VaultDocument => {
    const read = deps.vault.read();
    if (read.kind === "broken") throw read.error;
    return read.document;
  };
  const roster = async (pool: string, signal: AbortSignal): Promise<Roster> => {
    const found = await readRoster(deps, pool, { held: () => undefined, signal });
    if (found.broken !== undefined) throw found.broken;
    return found;
  };
  return {
    pools: () => [...new Set([...poolNames(deps.sources), ...storedPools(document())])],
    list: async (pool, signal) => (await roster(pool, signal)).candidates,
    suppressed: (pool) => suppressedSources(document(), pool),
    active: () => activeProvider(document()),
    addKey: async ({ pool, key, label }) => {
      const { candidates } = await roster(pool, new AbortController().signal);
      return await addKey(deps, { provider: pool, key, label, borrowed: borrowedEntries(candidates) });
    },
    addLogin: (login) => addLogin(deps, login, deps.clock.now()),
    remove: async (pool, target, signal) => {
      const found = findTarget((await roster(pool, signal)).candidates, target);
      if (!found.ok) throw authErrors.noSuchCredential({ provider: pool, reason: found.error });
      const suppressed = sourcesToSuppress(deps, pool, found.value.candidate);
      await deps.vault.update((before) => withoutCandidate(before, { pool, ...found.value.candidate, suppressed }));
      await removeLoginFile(deps, pool, found.value.candidate.source);
      return { ...found.value, suppressed };
    },
    restore: async (pool) => {
      let restored: readonly string[] = [];
      await deps.vault.update((before) => {
        restored = suppressedSources(before, pool);
        return withAllowed(before, pool, restored);
      });
      return restored;
    },
    reset: async (pool, signal) => {
      const { candidates } = await roster(pool, signal);
      const held = candidates.filter(({ status }) => status.kind !== "ok");
      if (held.length > 0) await deps.vault.update((before) => withFresh(before, pool, { held, deps }));
      return held.length;
    },
    logout: (pool) => logOut(deps, pool),
  };
};

/** `manual` entries just go; for Copilot, all that could bring GitHub's token back goes with the first of them. */
const sourcesToSuppress = ({ sources }: RosterDeps, pool: string, { source }: Candidate): readonly string[] => {
  if (source === "manual" || source.startsWith("manual:")) return [];
  if (pool !== "copilot") return [source];
  const variables = placeOfPool(pool, sources)?.row?.keyEnv ?? [];
  return ["gh_cli", ...variables.map((name) => `env:${name}`)];
};

const withoutCandidate = (
  before: VaultDocument,
  removed: {
    readonly pool: string;
    readonly id: string;
    readonly source: string;
    readonly suppressed: readonly string[];
  },
): VaultDocument => {
  const { pool, id, source, suppressed } = removed;
  const isLogin = source === loginSourceOf(pool);
  const stateless = isLogin ? withLoginState(before, pool, undefined) : before;
  return withSuppressed(withoutEntry(stateless, pool, id), pool, suppressed);
};

/** The source of a login that is kept in a file of its own. */
const GOOGLE_SOURCE = "google_oauth";

/** A login that is gone from the pool must not stay in the file beside it. */
const removeLoginFile = async ({ vault }: RosterDeps, pool: string, source: string): Promise<void> => {
  if (source === GOOGLE_SOURCE) await rm(googleFilePath(vault), { force: true });
  else if (pool === "anthropic" && source === loginSourceOf(pool)) await rm(anthropicFilePath(vault), { force: true });
};

const withFresh = (
  before: VaultDocument,
  pool: string,
  { held, deps }: { readonly held: readonly Candidate[]; readonly deps: RosterDeps },
): VaultDocument =>
  entriesWithLogin(before, pool, deps)
    .filter(({ id }) => held.some((each) => each.id === id))
    .reduce(
      (next, entry) =>
        entry.kind === "owned"
          ? withOwned(next, pool, { ...entry, status: OK })
          : withEntries(next, pool, [{ ...entry, status: OK }]),
      before,
    );

const logOut = async (deps: RosterDeps, pool: string): Promise<number> => {
  let count = 0;
  const hadFile = pool === "google-gemini-cli" && deps.json.read(googleFilePath(deps.vault)) !== undefined;
  await deps.vault.update((before) => {
    const logins = entriesWithLogin(before, pool, deps).filter(
      ({ kind, authType }) => kind === "owned" && authType === "oauth",
    );
    const hadState = loginState(before, pool) !== undefined;
    count = Math.max(logins.length, hadState || hadFile ? 1 : 0);
    const without = logins.reduce(
      (next, { id }) => withoutEntry(next, pool, id),
      withLoginState(before, pool, undefined),
    );
    return activeProvider(before) === pool ? withActiveProvider(without, undefined) : without;
  });
  await removeLoginFile(deps, pool, hadFile ? GOOGLE_SOURCE : (loginSourceOf(pool) ?? ""));
  return count;
};
