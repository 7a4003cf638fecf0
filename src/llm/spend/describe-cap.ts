import { formatDollars, formatTokens } from "./amounts.ts";
import type { CapState } from "./spend-ledger.ts";

const PERIODS: Readonly<Record<CapState["period"], string>> = {
  day: "today's",
  month: "this month's",
  session: "this session's",
  job: "this job's",
};

/** An amount in the unit of a cap: `$4.20`, `12,000 tokens`. */
export const formatAmount = (value: number, unit: CapState["unit"]): string =>
  unit === "usd" ? formatDollars(value) : `${formatTokens(value)} tokens`;

const usedOf = ({ unit, used, cap }: CapState): string =>
  `${unit === "usd" ? formatDollars(used) : formatTokens(used)} of ${formatAmount(cap, unit)}`;

/** How far a cap is used: `$3.80 of $5.00 (76 %)`. */
export const formatUse = (state: CapState): string =>
  `${usedOf(state)}${state.cap > 0 ? ` (${Math.floor((100 * state.used) / state.cap)} %)` : ""}`;

/** A cap that a call came near: `75 % of today's budget is used ($3.80 of $5.00)`. */
export const describeCapNear = (state: CapState, percent: number): string =>
  `${percent} % of ${PERIODS[state.period]} budget is used (${usedOf(state)})`;

/** A cap that allows no further call: what is used, when it begins anew, and the command that raises it. */
export const describeCapReached = (state: CapState): string => {
  const { period, unit, used, cap, needs, resets } = state;
  const wanted = needs === undefined || used >= cap ? "" : `, and this call may take ${formatAmount(needs, unit)}`;
  const again = resets === null ? "" : `; it begins anew at ${resets}`;
  const raise = `hermes budget set ${period} ${unit === "usd" ? "AMOUNT" : "TOKENS --tokens"}`;
  return `${PERIODS[period]} budget does not allow another call: ${usedOf(state)} used or reserved${wanted}${again}; \`${raise}\` raises it`;
};

/** A model whose price nobody stated, under a cap in dollars of a period. */
export const describeUnpriced = (
  { provider, model }: { readonly provider: string; readonly model: string },
  period: CapState["period"] = "day",
): string =>
  `the price of ${model} at ${provider} is unknown: a budget in dollars cannot hold it, one in tokens can (\`hermes budget set ${period} TOKENS --tokens\`)`;
