import { messageOf } from "../../../base/app-error.ts";
import type { Logger } from "../../../base/log.ts";
import { entriesWithLogin, withOwned, type VaultFiles } from "../vault/add-credential.ts";
import type { EntryStatus } from "../vault/entry-status.ts";
import { storedEntries, withEntries, type VaultDocument } from "../vault/vault-document.ts";
import { borrowedEntry, secretKey, type Candidate } from "./candidate.ts";
import type { LeaseBook } from "./lease-book.ts";
import type { PoolStrategy } from "./strategy.ts";

/** What is to be written of a pool. */
export interface PoolMark {
  /** The whole pool, so that its order is kept with what is written. */
  readonly candidates: readonly Candidate[];
  readonly marked: readonly Candidate[];
  readonly status: EntryStatus;
}

/** Writes what calls have taught about credentials, so that other processes know it too. None of its methods throws. */
export interface PoolRecord {
  /** Marks candidates. What cannot be written is remembered in this process. */
  mark(pool: string, mark: PoolMark): Promise<void>;
  /** The candidates with what could not be written. */
  overlay(pool: string, candidates: readonly Candidate[]): readonly Candidate[];
  /** Takes other people's secrets off the disk, if the file holds any (R-CRED-1). */
  clean(): Promise<void>;
  /** Writes the counts of uses, for the pools that choose by them. */
  flush(candidatesOf: (pool: string) => readonly Candidate[]): Promise<void>;
}

/** What the record needs. */
export interface PoolRecordDeps extends VaultFiles {
  readonly log: Logger;
  readonly strategies: Readonly<Record<string, PoolStrategy>>;
}

/** Counts are worth little: the end of a program does not wait long for another's lock. */
const FLUSH_WAIT_MS = 1_000;

/** Makes the record of one home's pools. */
export const createPoolRecord = (deps: PoolRecordDeps, book: LeaseBook): PoolRecord => {
  const unwritten = new Map<string, EntryStatus>();
  let isCleaned = false;
  return {
    mark: async (pool, { candidates, marked, status }) => {
      if (marked.length === 0) return;
      const uses = book.drain(pool);
      const isWritten = await write(deps, "the state of a credential", (document) => {
        const remembered = withUses(withRemembered(document, pool, candidates), pool, uses);
        return marked.reduce((next, candidate) => withStatus(next, { pool, candidate, status }, deps), remembered);
      });
      if (!isWritten) book.restore(pool, uses);
      for (const candidate of marked) {
        if (isWritten) unwritten.delete(placeOf(pool, candidate));
        else unwritten.set(placeOf(pool, candidate), status);
      }
    },
    overlay: (pool, candidates) => {
      if (unwritten.size === 0) return candidates;
      return candidates.map((candidate) => {
        const status = unwritten.get(placeOf(pool, candidate));
        return status === undefined ? candidate : { ...candidate, status };
      });
    },
    clean: async () => {
      if (isCleaned) return;
      const read = deps.vault.read();
      if (read.kind === "broken" || !read.document.hadForeignSecrets) return;
      isCleaned = true; // one try: a folder that cannot be written must not cost each call a failed one
      await write(deps, "the file without other programs' secrets", (document) => document);
    },
    flush: async (candidatesOf) => {
      for (const pool of book.changed()) {
        const strategy = deps.strategies[pool];
        if (strategy !== "least_used" && strategy !== "round_robin") continue;
        const uses = book.drain(pool);
        const change = (document: VaultDocument): VaultDocument =>
          withUses(withRemembered(document, pool, candidatesOf(pool)), pool, uses);
        await write({ ...deps, timeoutMs: FLUSH_WAIT_MS }, "how often credentials were used", change);
      }
    },
  };
};

/** A mark belongs to the secret: another one under the same id is not meant. */
const placeOf = (pool: string, { base, id }: Candidate): string => `${pool}\0${secretKey(base) ?? id}`;

const write = async (
  { vault, log, timeoutMs }: PoolRecordDeps & { readonly timeoutMs?: number },
  what: string,
  change: (document: VaultDocument) => VaultDocument,
): Promise<boolean> => {
  try {
    await vault.update(change, timeoutMs === undefined ? {} : { timeoutMs });
    return true;
  } catch (thrown) {
    log.warn(`${what} could not be written`, { why: messageOf(thrown) });
    return false;
  }
};

/**
 * The document with an entry for every borrowed candidate, without secrets, so that their order is kept. What another process has
 * written meanwhile stays.
 */
const withRemembered = (document: VaultDocument, pool: string, candidates: readonly Candidate[]): VaultDocument => {
  const held = new Map(storedEntries(document, pool).map((entry) => [entry.id, entry]));
  const missing = candidates
    .filter(({ stored }) => stored?.kind !== "owned")
    .map(borrowedEntry)
    .filter((entry) => {
      const before = held.get(entry.id);
      return before === undefined || (before.kind === "borrowed" && before.fingerprint !== entry.fingerprint);
    });
  return missing.length === 0 ? document : withEntries(document, pool, missing);
};

/** Adds uses to the entries that the file has. */
const withUses = (document: VaultDocument, pool: string, uses: ReadonlyMap<string, number>): VaultDocument => {
  const used = storedEntries(document, pool).filter(({ id }) => uses.has(id));
  if (used.length === 0) return document;
  const counted = used.map((entry) => ({ ...entry, requestCount: entry.requestCount + (uses.get(entry.id) ?? 0) }));
  return withEntries(document, pool, counted);
};

const withStatus = (
  document: VaultDocument,
  { pool, candidate, status }: { readonly pool: string; readonly candidate: Candidate; readonly status: EntryStatus },
  files: VaultFiles,
): VaultDocument => {
  const { stored } = candidate;
  const now = entriesWithLogin(document, pool, files).find(({ id }) => id === candidate.id);
  if (now === undefined) return document; // removed meanwhile
  if (now.kind === "borrowed") return withEntries(document, pool, [{ ...now, status }]);
  // Renewed meanwhile: the new pair is not to blame.
  const isSame = stored?.kind === "owned" && now.accessToken === stored.accessToken && now.agentKey === stored.agentKey;
  return isSame ? withOwned(document, pool, { ...now, status }) : document;
};
