import type { Clock } from "../../base/clock.ts";
import type { Usage } from "../message.ts";
import { toDollars, toMicros, toMicrosUp } from "./amounts.ts";
import type { Calendar } from "./calendar.ts";
import { boundsOf, type SpendCaps } from "./caps.ts";
import type { BoundUse, SpendBook, SpendEntry } from "./spend-book.ts";
import type { CapState, SpendContext, SpendEstimate, SpendLedger, SpendReservation } from "./spend-ledger.ts";

/** What the ledger is made of. */
export interface SpendLedgerDeps {
  readonly book: SpendBook;
  readonly clock: Clock;
  readonly calendar: Calendar;
  /** Asked before every call, so that a cap that is raised holds at once. */
  readonly caps: () => SpendCaps;
}

/** The ledger of one home. */
export const createSpendLedger = (deps: SpendLedgerDeps): SpendLedger => {
  const { book, calendar } = deps;
  return {
    reserve: async (context, estimate) => {
      const entry = entryOf(deps, context, estimate);
      const answer = await book.reserve(entry, boundsOf(deps.caps(), entry));
      if (answer.kind === "refused") {
        const needs = answer.at.bound.unit === "micros" ? toDollars(entry.micros ?? 0) : entry.tokens;
        return { kind: "refused", cap: { ...capState(answer.at, calendar, entry.at), needs } };
      }
      return {
        kind: "allowed",
        reservation: reservationOf(book, answer.id),
        warn: answer.near.map((near) => ({ ...capState(near, calendar, entry.at), percent: near.percent })),
        unpriced: answer.unpriced,
      };
    },
  };
};

const entryOf = (
  { clock, calendar }: SpendLedgerDeps,
  { purpose, source, session, job }: SpendContext,
  { provider, model, tokens, costUsd }: SpendEstimate,
): SpendEntry => {
  const at = clock.now();
  const micros = costUsd === null ? null : toMicrosUp(costUsd);
  return { at, day: calendar.day(at), provider, model, purpose, source, session, job, tokens: count(tokens), micros };
};

const reservationOf = (book: SpendBook, id: number): SpendReservation => ({
  settle: ({ provider, model, usage, costUsd }) =>
    book.settle(id, {
      provider,
      model,
      usage: countedUsage(usage),
      micros: costUsd === null ? null : toMicros(costUsd),
    }),
  cancel: () => book.cancel(id),
});

/** A bound of the book as people know it. */
export const capState = ({ bound, used }: BoundUse, calendar: Calendar, at: number): CapState => {
  const { scope, unit, cap } = bound;
  const { period } = scope;
  const resets = period === "day" || period === "month" ? calendar.format(calendar.end(period, at)) : null;
  return unit === "micros"
    ? { period, unit: "usd", used: toDollars(used), cap: toDollars(cap), resets }
    : { period, unit, used, cap, resets };
};

const MOST_TOKENS = 1e12;

/** A whole number of tokens; providers' counts are taken as they come, and one of them must not make a sum useless. */
const count = (tokens: number): number => Math.min(Math.max(0, Math.ceil(tokens) || 0), MOST_TOKENS);

const countedUsage = (usage: Usage): Usage =>
  Object.fromEntries(
    Object.entries(usage).flatMap(([kind, tokens]) => (typeof tokens === "number" ? [[kind, count(tokens)]] : [])),
  );
