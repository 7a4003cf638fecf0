import type { ProviderError } from "../../provider-error.ts";
import type { LeaseOutcome, LeaseWish } from "../credential-pool.ts";
import { restAfter, type EntryStatus } from "../vault/entry-status.ts";
import { firstToWake, needsRenewal, notExcluded, usable, whyNone } from "./availability.ts";
import type { Candidate } from "./candidate.ts";
import { countOthers, leaseOf, readPool, type PoolState } from "./pool-state.ts";
import type { Roster } from "./roster.ts";
import { chooseBy } from "./strategy.ts";

/** See `CredentialPool.lease`. */
export const leaseCredential = async (state: PoolState, pool: string, wish: LeaseWish): Promise<LeaseOutcome> => {
  const { book, deps } = state;
  const missed = new Set<string>();
  let missedWhy: string | undefined;
  for (;;) {
    const roster = await readPool(state, pool, wish.signal);
    const now = deps.clock.now();
    const wanted = notExcluded(roster.candidates, new Set([...wish.exclude, ...missed]));
    // From the choice to the booking nothing is waited for: two calls never take the same free one.
    const chosen = choose(state, pool, { roster, wanted, wish, now });
    if (chosen === undefined) {
      const why = missedWhy ?? (roster.candidates.length === 0 ? roster.why : undefined);
      return whyNone({ pool, candidates: roster.candidates, now, why, broken: roster.broken });
    }
    const release = book.take(pool, chosen.id);
    try {
      const ready = await makeReady(state, pool, { chosen, signal: wish.signal });
      if (ready.kind === "ready") {
        return { kind: "leased", lease: leaseOf(ready.candidate, release, countOthers(wanted, chosen, now)) };
      }
      release();
      missed.add(chosen.id);
      missedWhy ??= ready.why;
    } catch (thrown) {
      release();
      throw thrown;
    }
  }
};

interface Choice {
  readonly roster: Roster;
  /** What is not excluded. */
  readonly wanted: readonly Candidate[];
  readonly wish: LeaseWish;
  readonly now: number;
}

const choose = (state: PoolState, pool: string, { roster, wanted, wish, now }: Choice): Candidate | undefined => {
  const open = usable(wanted, now);
  const preferred = open.find(({ id }) => id === wish.prefer);
  if (preferred !== undefined) return preferred;
  if (open.length === 0) return wish.evenResting === true ? firstToWake(wanted, now) : undefined;
  const { book, deps } = state;
  const free = open.filter(({ id }) => !book.isBusy(pool, id));
  const candidates = (free.length === 0 ? open : free).map((candidate) => ({
    id: candidate.id,
    uses: candidate.requestCount + book.unwritten(pool, candidate.id),
    candidate,
  }));
  return chooseBy(deps.strategies[pool] ?? "fill_first", candidates, {
    order: roster.candidates.map(({ id }) => id),
    last: book.last(pool),
    total: roster.candidates.reduce((sum, { requestCount }) => sum + requestCount, 0),
    random: deps.random,
  })?.candidate;
};

type Ready =
  | { readonly kind: "ready"; readonly candidate: Candidate }
  /** It cannot be used; `why` = for now. */
  | { readonly kind: "missed"; readonly why: string | undefined };

const makeReady = async (
  state: PoolState,
  pool: string,
  { chosen, signal }: { readonly chosen: Candidate; readonly signal: AbortSignal },
): Promise<Ready> => {
  const now = state.deps.clock.now();
  if (!needsRenewal(chosen, now)) return { kind: "ready", candidate: chosen };
  const outcome = await state.renewals.renew(pool, chosen, { signal, refused: false });
  switch (outcome.kind) {
    case "renewed": {
      const { candidates } = await readPool(state, pool, signal);
      const candidate = candidates.find(({ id }) => id === chosen.id);
      const isThere = candidate !== undefined && candidate.secret.kind !== "none";
      return isThere ? { kind: "ready", candidate } : { kind: "missed", why: `${chosen.label} is not there any more` };
    }
    case "lost":
      await markLost(state, pool, { candidate: chosen, ...outcome });
      return { kind: "missed", why: undefined };
    case "try_later": {
      const isStillGood = chosen.secret.kind !== "none" && chosen.expiresAt !== undefined && chosen.expiresAt > now;
      return isStillGood ? { kind: "ready", candidate: chosen } : { kind: "missed", why: outcome.why };
    }
  }
};

/** Notes that a login cannot be renewed any more. */
export const markLost = async (
  { deps, record }: PoolState,
  pool: string,
  { candidate, code, why }: { readonly candidate: Candidate; readonly code: string; readonly why: string },
): Promise<void> => {
  deps.log.warn("a login is not accepted any more", { pool, label: candidate.label, why });
  const since = deps.clock.now();
  const refused: ProviderError = { kind: "auth", status: 401, message: why };
  // A token that is only exchanged may be mended where it comes from (another `gh auth login`): it rests.
  const status: EntryStatus =
    candidate.renewal === "exchange" ? restAfter(refused, since) : { kind: "lost", since, code, why };
  await record.mark(pool, { candidates: [candidate], marked: [candidate], status });
};
