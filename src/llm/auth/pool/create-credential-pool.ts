import type { ProviderError } from "../../provider-error.ts";
import type { CredentialPool, PooledCredential } from "../credential-pool.ts";
import { restAfter } from "../vault/entry-status.ts";
import { isResting, usable } from "./availability.ts";
import { createLeaseBook } from "./lease-book.ts";
import { leaseCredential } from "./lease-credential.ts";
import { createPoolRecord } from "./pool-record.ts";
import { peekPool, readPool, shown, withSecret, type CredentialPoolDeps, type PoolState } from "./pool-state.ts";
import { renewCredential } from "./renew-credential.ts";
import { createRenewals } from "./renewals.ts";

export type { CredentialPoolDeps } from "./pool-state.ts";

/**
 * The credentials of one home. What is learned of them (rests, lost logins, counts) is written to the vault, so that other
 * processes know it; a vault that cannot be written costs that knowledge, never a call. Disposing writes the counts and waits for
 * renewals on their way.
 */
export const createCredentialPool = (deps: CredentialPoolDeps): CredentialPool & AsyncDisposable => {
  const book = createLeaseBook();
  const state: PoolState = {
    deps,
    book,
    renewals: createRenewals(deps),
    record: createPoolRecord(deps, book),
  };
  return {
    peek: (pool) => peekCredential(state, pool),
    lease: async (pool, wish) => {
      await state.record.clean();
      return await leaseCredential(state, pool, wish);
    },
    renew: (pool, refused, signal) => renewCredential(state, { pool, refused }, signal),
    rest: (pool, refused, error) => restCredential(state, { pool, refused }, error),
    [Symbol.asyncDispose]: async () => {
      await state.renewals[Symbol.asyncDispose]();
      await state.record.flush((pool) => peekPool(state, pool).candidates);
    },
  };
};

const peekCredential = (state: PoolState, pool: string): PooledCredential | undefined => {
  const { candidates } = peekPool(state, pool);
  const now = state.deps.clock.now();
  const first = usable(candidates, now)[0] ?? candidates.find((each) => isResting(each, now)) ?? candidates[0];
  return first === undefined ? undefined : shown(first);
};

/** B24: the key that made the request decides who rests; a renewed entry of the same id is not to blame. */
const restCredential = async (
  state: PoolState,
  { pool, refused }: { readonly pool: string; readonly refused: PooledCredential },
  error: ProviderError,
): Promise<void> => {
  const status = restAfter(error, state.deps.clock.now());
  const peeked = peekPool(state, pool).candidates;
  const seen = withSecret(peeked, refused);
  if (seen.length > 0) return await state.record.mark(pool, { candidates: peeked, marked: seen, status });
  // What only a program or AWS tells is not seen by a peek.
  const { candidates } = await readPool(state, pool, new AbortController().signal);
  await state.record.mark(pool, { candidates, marked: withSecret(candidates, refused), status });
};
