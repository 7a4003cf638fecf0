import { isRetryable, type ProviderError } from "./provider-error.ts";

/** Longest wait that a provider may ask for before the call is given up instead, in milliseconds. */
const LONGEST_STATED_WAIT_MS = 120_000;
/** Shortest wait after a provider stated one, in milliseconds: "0" would be a loop without pause. */
const SHORTEST_STATED_WAIT_MS = 1_000;
const FIRST_WAIT_MS = 2_000;
const LONGEST_OWN_WAIT_MS = 60_000;
/** How much of the own wait chance adds at most, so that many callers do not come back together. */
const JITTER = 0.5;

/** What follows a failed attempt. */
export type RetryDecision =
  | { readonly kind: "wait"; readonly delayMs: number }
  | { readonly kind: "give_up"; readonly error: ProviderError };

/** What a decision is made from. `attempt` counts from 1; `random` answers 0 or more and less than 1. */
export interface RetryFacts {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly random: () => number;
  /** Whether another credential or model can take over. */
  readonly elsewhere: boolean;
}

/** Longest wait that is sat through while something else could answer, in milliseconds. */
const LONGEST_WAIT_WITH_ELSEWHERE_MS = 10_000;

/**
 * Whether to try elsewhere instead of waiting here: silence is not waited for twice (R-TIME-3), a full credential is tried once
 * more and no further (compat 4.5), and nobody waits long while another one is free.
 */
const isBetterElsewhere = ({ kind, retryAfterMs = 0 }: ProviderError, attempt: number): boolean => {
  if (kind === "stalled" || kind === "timeout") return true;
  if (retryAfterMs > LONGEST_WAIT_WITH_ELSEWHERE_MS) return true;
  return kind === "rate_limit" && attempt >= 2;
};

/** The own wait before the next attempt: 2, 4, 8 … 60 s, and up to half as much again by chance. */
const ownDelayMs = (attempt: number, random: () => number): number => {
  // Beyond a few doublings the limit holds anyway; the exponent stays small enough to be exact.
  const base = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_OWN_WAIT_MS);
  return Math.round(base * (1 + JITTER * random()));
};

/**
 * Decides whether and when a failed attempt is repeated. A stated wait wins over the own one (B12): at least 1 s, at most
 * 120 s; a longer one ends the call with the wait named, since nobody sits through it.
 */
export const decideRetry = (error: ProviderError, facts: RetryFacts): RetryDecision => {
  const { attempt, maxAttempts, random, elsewhere } = facts;
  if (!isRetryable(error) || attempt >= maxAttempts) return { kind: "give_up", error };
  if (elsewhere && isBetterElsewhere(error, attempt)) return { kind: "give_up", error };
  const stated = error.retryAfterMs;
  if (stated === undefined) return { kind: "wait", delayMs: ownDelayMs(attempt, random) };
  if (stated > LONGEST_STATED_WAIT_MS) return { kind: "give_up", error: namingWait(error, stated) };
  return { kind: "wait", delayMs: Math.max(stated, SHORTEST_STATED_WAIT_MS) };
};

const namingWait = (error: ProviderError, waitMs: number): ProviderError => ({
  ...error,
  message: `${error.message} (the provider asks to wait ${describeWait(waitMs)})`,
});

const describeWait = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
};
