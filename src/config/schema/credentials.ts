import { named, optionalChoice } from "./field.ts";

/** How a pool chooses among the credentials that can be used (compat 4.5). */
export const POOL_STRATEGIES = ["fill_first", "round_robin", "random", "least_used"] as const;

/** `credential_pool_strategies`: in which order a provider's keys and logins are used. */
export const poolStrategiesSection = named(
  optionalChoice(POOL_STRATEGIES, {
    doc: "`fill_first` = always the first one that can be used, `round_robin` = one after the other, `random`, `least_used`.",
    onBad: "dropped",
  }),
  {
    doc: "In which order the keys and logins of a provider are used; absent = `fill_first`.",
    placeholder: "<provider>",
  },
);
