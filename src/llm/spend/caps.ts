import type { Config } from "../../config/schema/config.ts";
import { toMicros } from "./amounts.ts";
import type { SpendBound, SpendEntry, SpendScope } from "./spend-book.ts";
import { CAP_PERIODS, type CapPeriod, type CapUnit } from "./spend-ledger.ts";

/** The owner's caps: the section `budget` of the settings. Absent = no cap. */
export type SpendCaps = Readonly<Config["budget"]>;

/** The key of a cap in the section `budget`. */
export const capKey = <P extends CapPeriod, U extends CapUnit>(period: P, unit: U): `${P}_${U}` => `${period}_${unit}`;

/** The caps that a call is held to. */
export const boundsOf = (caps: SpendCaps, entry: Pick<SpendEntry, "day" | "session" | "job">): readonly SpendBound[] =>
  CAP_PERIODS.flatMap((period) => {
    const scope = scopeOf(period, entry);
    if (scope === undefined) return [];
    const [usd, tokens] = [caps[capKey(period, "usd")], caps[capKey(period, "tokens")]];
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
