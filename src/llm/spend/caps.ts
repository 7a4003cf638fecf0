import { toMicros } from "./amounts.ts";
import type { SpendBound, SpendEntry, SpendScope } from "./spend-book.ts";

/** What a cap can bound. What never begins anew stands first: of several caps that are reached, that one is named. */
export const CAP_PERIODS = ["session", "job", "month", "day"] as const;
export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The owner's caps, as the section `budget` of the settings has them; absent = no cap. */
export type SpendCaps = {
  readonly [Key in `${CapPeriod}_${"usd" | "tokens"}`]?: number | undefined;
};

/** The caps that a call is held to. */
export const boundsOf = (caps: SpendCaps, entry: Pick<SpendEntry, "day" | "session" | "job">): readonly SpendBound[] =>
  CAP_PERIODS.flatMap((period) => {
    const scope = scopeOf(period, entry);
    if (scope === undefined) return [];
    const { [`${period}_usd` as const]: usd, [`${period}_tokens` as const]: tokens } = caps;
    return [
      ...(usd === undefined ? [] : [{ scope, unit: "micros" as const, cap: toMicros(usd) }]),
      ...(tokens === undefined ? [] : [{ scope, unit: "tokens" as const, cap: tokens }]),
    ];
  });

const scopeOf = (
  period: CapPeriod,
  { day, session, job }: Pick<SpendEntry, "day" | "session" | "job">,
): SpendScope | undefined => {
  switch (period) {
    case "day":
      return { period, key: day };
    case "month":
      return { period, key: day.slice(0, 7) };
    case "session":
      return session === undefined ? undefined : { period, key: session };
    case "job":
      return job === undefined ? undefined : { period, key: job };
  }
};
