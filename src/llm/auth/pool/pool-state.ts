import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log.ts";
import type { CredentialLease, PooledCredential } from "../credential-pool.ts";
import type { RenewDeps } from "../renew/renew-login.ts";
import { notExcluded, usable } from "./availability.ts";
import { secretKey, type Candidate } from "./candidate.ts";
import type { LeaseBook } from "./lease-book.ts";
import type { PoolRecord } from "./pool-record.ts";
import type { Renewals } from "./renewals.ts";
import { peekRoster, readRoster, type Roster, type RosterDeps } from "./roster.ts";
import type { PoolStrategy } from "./strategy.ts";

/** What a pool is made with. */
export interface CredentialPoolDeps extends RosterDeps, RenewDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
  /** `credential_pool_strategies`, by pool; absent = `fill_first`. */
  readonly strategies: Readonly<Record<string, PoolStrategy>>;
}

/** The pools of one home while the program runs. */
export interface PoolState {
  readonly deps: CredentialPoolDeps;
  readonly book: LeaseBook;
  readonly renewals: Renewals;
  readonly record: PoolRecord;
}

/** A pool with everything that can be asked. Throws the signal's reason. */
export const readPool = async (state: PoolState, pool: string, signal: AbortSignal): Promise<Roster> =>
  known(state, pool, await readRoster(state.deps, pool, { held: state.renewals.held, signal }));

/** A pool as far as it is seen without waiting. */
export const peekPool = (state: PoolState, pool: string): Roster =>
  known(state, pool, peekRoster(state.deps, pool, state.renewals.held));

const known = ({ record }: PoolState, pool: string, roster: Roster): Roster => ({
  ...roster,
  candidates: record.overlay(pool, roster.candidates),
});

/** A candidate as callers see it. */
export const shown = ({ id, label, source, secret, baseUrl, authType }: Candidate): PooledCredential => ({
  id,
  label,
  source,
  secret,
  ...(authType === "oauth" ? { login: true as const } : {}),
  ...(baseUrl === undefined ? {} : { baseUrl }),
});

/** The lease of a booked candidate. */
export const leaseOf = (candidate: Candidate, release: () => void, others: number): CredentialLease => ({
  credential: shown(candidate),
  others,
  [Symbol.dispose]: release,
});

/** How many of the candidates could be leased besides one. */
export const countOthers = (candidates: readonly Candidate[], { id }: Candidate, now: number): number =>
  notExcluded(usable(candidates, now), new Set([id])).length;

/** The candidates whose secret was sent with a call, or that it was exchanged for. */
export const withSecret = (candidates: readonly Candidate[], { secret }: PooledCredential): readonly Candidate[] => {
  const key = secretKey(secret);
  if (key === undefined) return [];
  return candidates.filter((each) => secretKey(each.secret) === key || secretKey(each.base) === key);
};
