import type { ExitCode } from "../../base/app-error.ts";
import type { App } from "../../app/app.ts";
import { createModels } from "../../app/open-model.ts";
import { openSpending } from "../../app/open-spend.ts";
import { formatSpent, formatTokensHeld } from "../../commands/spend-words.ts";
import { setKey, unsetKey } from "../../config/edit.ts";
import { capKey, type SpendCaps } from "../../llm/spend/caps.ts";
import { describeUnpriced, formatAmount, formatUse } from "../../llm/spend/describe-cap.ts";
import { CAP_PERIODS, CAP_UNITS, type CapPeriod } from "../../llm/spend/spend-ledger.ts";
import type { PeriodUse } from "../../llm/spend/spend-status.ts";
import { cleanText } from "../chat/text-safety.ts";
import type { CommandCall } from "../command-call.ts";
import { cliErrors } from "../errors.ts";
import { openApp } from "../open-app.ts";
import { renderTable } from "../table.ts";
import { sumJson } from "./insights.ts";

/** Periods in the order in which people think of them. */
const SHOWN_PERIODS: readonly CapPeriod[] = ["day", "month", "session", "job"];

/** `hermes budget [status]`: what is spent, and how far budgets are used. */
export const runBudgetStatus = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const spending = openSpending(app);
  const [caps, running] = [spending.caps(), await spending.status()];
  const rows = SHOWN_PERIODS.map((period) => ({ period, use: running.find((use) => use.period === period) }));
  if (flags.json === true) {
    output.stdout(`${JSON.stringify({ periods: rows.map((row) => rowJson(row, caps)) }, undefined, 2)}\n`);
    return 0;
  }
  output.stdout(
    renderTable(
      COLUMNS,
      rows.map((row) => rowText(row, caps)),
      output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY,
    ),
  );
  if (CAP_UNITS.every((unit) => CAP_PERIODS.every((period) => caps[capKey(period, unit)] === undefined)))
    output.stdout("\nNo budget is set: `hermes budget set day 5` allows 5 dollars a day.\n");
  return 0;
};

interface Row {
  readonly period: CapPeriod;
  /** Absent = there are many of it: sessions, jobs. */
  readonly use: PeriodUse | undefined;
}

const COLUMNS = [
  { heading: "PERIOD" },
  { heading: "SPENT" },
  { heading: "TOKENS", align: "right" as const },
  { heading: "BUDGET" },
  { heading: "BEGINS ANEW" },
];

const rowText = ({ period, use }: Row, caps: SpendCaps): readonly string[] => {
  if (use === undefined) {
    const own = CAP_UNITS.flatMap((unit) => {
      const cap = caps[capKey(period, unit)];
      return cap === undefined ? [] : [formatAmount(cap, unit)];
    });
    return [period, "", "", own.length === 0 ? "none" : `${own.join(" and ")} each`, ""];
  }
  const { sum } = use;
  const budget = use.caps.length === 0 ? "none" : use.caps.map(formatUse).join(" and ");
  return [period, formatSpent(sum), formatTokensHeld(sum), budget, use.caps[0]?.resets ?? ""];
};

const rowJson = ({ period, use }: Row, caps: SpendCaps) => ({
  period,
  ...(use === undefined ? {} : { key: use.key, spent: sumJson(use.sum) }),
  caps: CAP_UNITS.flatMap((unit) => {
    const cap = caps[capKey(period, unit)];
    const state = use?.caps.find((each) => each.unit === unit);
    if (cap === undefined) return [];
    return [{ unit, cap, ...(state === undefined ? {} : { used: state.used, resets: state.resets }) }];
  }),
});

/** `hermes budget set PERIOD AMOUNT [--tokens]`. Running sessions keep to it from their next call on. */
export const runBudgetSet = async (call: CommandCall): Promise<ExitCode> => {
  const { args, flags, output } = call;
  const period = readPeriod(args[0]);
  const unit = flags["tokens"] === true ? "tokens" : "usd";
  const amount = unit === "tokens" ? readTokens(String(args[1])) : readDollars(String(args[1]));
  await using app = openAppToEdit(call);
  const target = { home: app.home, clock: app.clock };
  await setKey(target, `budget.${capKey(period, unit)}`, String(amount));
  if (flags.json !== true) output.stdout(`The budget of ${PHRASES[period]} is ${formatAmount(amount, unit)} now.\n\n`);
  const warning = unit === "usd" && amount > 0 ? unpricedWarning(app, period) : undefined;
  if (warning !== undefined) output.stderr(`! ${cleanText(warning)}\n`);
  return await runBudgetStatus(call);
};

/** The settings name a model that no budget in dollars can hold; said now, not when the money is spent. */
const unpricedWarning = (app: App, period: CapPeriod): string | undefined => {
  const resolution = createModels(app).resolve({});
  if (resolution.kind !== "model") return undefined;
  const { price } = resolution.route.info;
  const isPriced = price?.input !== undefined && price.output !== undefined;
  return isPriced ? undefined : describeUnpriced(resolution.route.info, period);
};

/** `hermes budget clear PERIOD [--tokens]`: both caps of a period, or the one in tokens alone. */
export const runBudgetClear = async (call: CommandCall): Promise<ExitCode> => {
  const { args, flags, output } = call;
  const period = readPeriod(args[0]);
  await using app = openAppToEdit(call);
  const units = flags["tokens"] === true ? (["tokens"] as const) : CAP_UNITS;
  const keys = units
    .map((unit) => `budget.${capKey(period, unit)}`)
    .filter((key) => app.config.setting(key)?.from === "config");
  for (const key of keys) await unsetKey({ home: app.home, clock: app.clock }, key);
  if (flags.json === true) return await runBudgetStatus(call);
  output.stdout(
    keys.length === 0
      ? `No budget of ${PHRASES[period]} was set.\n`
      : `The budget of ${PHRASES[period]} is gone: nothing bounds it.\n`,
  );
  return 0;
};

const openAppToEdit = ({ flags }: CommandCall): ReturnType<typeof openApp> => {
  if (flags.ignoreUserConfig === true)
    throw cliErrors.usage({ message: "--ignore-user-config makes no sense where the settings are changed." });
  return openApp(flags);
};

const PHRASES: Readonly<Record<CapPeriod, string>> = {
  day: "each day",
  month: "each month",
  session: "each session",
  job: "each job",
};

const readPeriod = (typed: CommandCall["args"][number]): CapPeriod => {
  const period = CAP_PERIODS.find((known) => known === typed);
  if (period !== undefined) return period;
  throw cliErrors.usage({ message: `A budget is one of a day, month, session or job, not of "${String(typed)}".` });
};

const readDollars = (typed: string): number => {
  const [, digits] = /^\$?(\d{1,9}(?:\.\d{1,6})?)$/.exec(typed.trim()) ?? [];
  if (digits !== undefined) return Number(digits);
  throw cliErrors.usage({
    message: `An amount in US dollars looks like 5 or 0.50, not "${typed}"; one in tokens needs --tokens.`,
  });
};

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

const readTokens = (typed: string): number => {
  const [, digits, suffix = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([km]?)$/i.exec(typed.trim()) ?? [];
  const tokens = Number(digits) * (FACTORS[suffix.toLowerCase()] ?? Number.NaN);
  if (Number.isInteger(tokens)) return tokens;
  throw cliErrors.usage({ message: `A number of tokens looks like 200000, 500k or 1.5M, not "${typed}".` });
};
