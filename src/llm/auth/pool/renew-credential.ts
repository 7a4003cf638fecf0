import type { PooledCredential, RenewOutcome } from "../credential-pool.ts";
import { usable } from "./availability.ts";
import { secretKey, type Candidate } from "./candidate.ts";
import { markLost } from "./lease-credential.ts";
import { countOthers, leaseOf, readPool, withSecret, type PoolState } from "./pool-state.ts";

/** See `CredentialPool.renew`. */
export const renewCredential = async (
  state: PoolState,
  { pool, refused }: { readonly pool: string; readonly refused: PooledCredential },
  signal: AbortSignal,
): Promise<RenewOutcome> => {
  const { deps } = state;
  // GitHub's command line may have been given another token since.
  if (pool === "copilot") deps.gh.forget();
  const { candidates } = await readPool(state, pool, signal);
  const meant = withSecret(candidates, refused)[0] ?? candidates.find(({ id }) => id === refused.id);
  if (meant === undefined) return { kind: "not_renewable", why: `${refused.label} is not there any more` };
  const now = deps.clock.now();
  const renewed = (candidate: Candidate, all: readonly Candidate[]): RenewOutcome => {
    const release = state.book.take(pool, candidate.id);
    return { kind: "renewed", lease: leaseOf(candidate, release, countOthers(all, candidate, now)) };
  };
  // A peer was faster, or the owner has changed the key.
  if (isOther(meant, refused) && usable([meant], now).length > 0) return renewed(meant, candidates);
  if (meant.renewal === "none") return { kind: "not_renewable", why: "it is a key" };
  if (meant.renewal === "adopt") return { kind: "not_renewable", why: "only Claude Code renews its login" };
  const outcome = await state.renewals.renew(pool, meant, { signal, refused: true });
  switch (outcome.kind) {
    case "try_later":
      return outcome;
    case "lost":
      await markLost(state, pool, { candidate: meant, ...outcome });
      return { kind: "not_renewable", why: outcome.why };
    case "renewed": {
      const after = (await readPool(state, pool, signal)).candidates;
      const fresh = after.find(({ id }) => id === meant.id);
      return fresh !== undefined && isOther(fresh, refused)
        ? renewed(fresh, after)
        : { kind: "not_renewable", why: `${refused.label} is refused as it is` };
    }
  }
};

/** Whether a candidate has a secret, and another one than was refused. */
const isOther = ({ secret }: Candidate, refused: PooledCredential): boolean =>
  secret.kind !== "none" && secretKey(secret) !== secretKey(refused.secret);
