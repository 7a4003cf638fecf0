import { toMicros } from "./amounts.ts";
import type { Calendar } from "./calendar.ts";
import { boundsOf, type SpendCaps } from "./caps.ts";
import { capState } from "./create-spend-ledger.ts";
import type { Insights, SpendBook, SpendScope, SpendSum } from "./spend-book.ts";
import type { CapPeriod, CapState } from "./spend-ledger.ts";

/** What was spent in the running day or month, or in a session, and how far its caps are used. */
export interface PeriodUse {
  readonly period: CapPeriod;
  /** `2026-12-01`, `2026-12`, or the session's id. */
  readonly key: string;
  readonly sum: SpendSum;
  readonly caps: readonly CapState[];
}

/** Where tokens and money went, and over which local days, both included. */
export interface InsightsReport extends Insights {
  readonly from: string;
  readonly to: string;
}

export interface SpendStatusRequest {
  readonly book: SpendBook;
  readonly calendar: Calendar;
  readonly caps: SpendCaps;
  /** ms UTC. */
  readonly now: number;
  /** Absent = the day and the month alone. */
  readonly session?: string | undefined;
}

/** What is spent so far: of the session, the day, the month. */
export const spendStatus = async (request: SpendStatusRequest): Promise<readonly PeriodUse[]> => {
  const { book, calendar, caps, now, session } = request;
  const day = calendar.day(now);
  const bounds = boundsOf(caps, { day, session, job: undefined });
  const scopes: readonly SpendScope[] = [
    ...(session === undefined ? [] : [{ period: "session" as const, key: session }]),
    { period: "day", key: day },
    { period: "month", key: calendar.month(now) },
  ];
  return await Promise.all(
    scopes.map(async ({ period, key }) => {
      const sum = await book.sum({ period, key });
      const own = bounds.filter((bound) => bound.scope.period === period);
      const used = { micros: toMicros(sum.heldUsd), tokens: sum.heldTokens };
      return { period, key, sum, caps: own.map((bound) => capState({ bound, used: used[bound.unit] }, calendar, now)) };
    }),
  );
};

/** Where tokens and money went in the last `days` local days, today included. */
export const spendInsights = async (
  { book, calendar, now }: Pick<SpendStatusRequest, "book" | "calendar" | "now">,
  { days, source }: { readonly days: number; readonly source?: string | undefined },
): Promise<InsightsReport> => {
  const [from, to] = [calendar.dayBefore(now, days - 1), calendar.day(now)];
  return { from, to, ...(await book.insights({ from, to, source })) };
};
