import type { POOL_STRATEGIES } from "../../../config/schema/credentials.ts";

/** How a pool chooses among the credentials that can be used (compat 4.5). */
export type PoolStrategy = (typeof POOL_STRATEGIES)[number];

/** What the strategies look at. */
export interface Choosable {
  readonly id: string;
  /** Calls so far, those of other processes included. */
  readonly uses: number;
}

/** What was chosen before, and chance. */
export interface ChoiceFacts {
  /** The pool's order with everything in it, resting or not. */
  readonly order: readonly string[];
  /** The id that this process used last. */
  readonly last: string | undefined;
  /** Calls of the whole pool: where a new process goes on in the round. */
  readonly total: number;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
}

/** Chooses one of the candidates, which stand in the pool's order; undefined only if there are none. */
export const chooseBy = <T extends Choosable>(
  strategy: PoolStrategy,
  candidates: readonly T[],
  facts: ChoiceFacts,
): T | undefined => {
  switch (strategy) {
    case "fill_first":
      return candidates[0];
    case "random":
      return candidates[Math.floor(facts.random() * candidates.length)];
    case "least_used":
      return candidates.reduce<T | undefined>(
        (least, candidate) => (least === undefined || candidate.uses < least.uses ? candidate : least),
        undefined,
      );
    case "round_robin":
      return nextInRound(candidates, facts);
  }
};

/**
 * The first candidate after the last one in the pool's order; what rests or is in use is stepped over. A new process goes on where
 * the calls of all before it have come to.
 */
const nextInRound = <T extends Choosable>(
  candidates: readonly T[],
  { order, last, total }: ChoiceFacts,
): T | undefined => {
  const before = last === undefined ? -1 : order.indexOf(last);
  if (before === -1) return candidates[total % Math.max(1, candidates.length)];
  const ids = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const next = [...order.slice(before + 1), ...order.slice(0, before + 1)].find((id) => ids.has(id));
  return next === undefined ? undefined : ids.get(next);
};
