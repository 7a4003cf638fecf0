import type { ExitCode } from "../../base/app-error.ts";
import { openSpending } from "../../app/open-spend.ts";
import { barsOf, describeSum, describeUncounted, drawBars, SUM_COLUMNS, sumRow } from "../../commands/spend-words.ts";
import type { SpendSum } from "../../llm/spend/spend-book.ts";
import type { InsightsReport } from "../../llm/spend/spend-status.ts";
import type { CommandCall } from "../command-call.ts";
import { cliErrors } from "../errors.ts";
import { openApp } from "../open-app.ts";
import { renderTable } from "../table.ts";
import { wholeNumber } from "../whole-number.ts";

const MOST_DAYS = 3_660;
/** What stands beside a bar: its label and its amount. */
const BESIDE_BAR = 26;
const WIDEST_BAR = 40;

/** `hermes insights`: where tokens and money went, by model, source and day. */
export const runInsights = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  const days = wholeNumber("--days", flags["days"]);
  if (days > MOST_DAYS) throw cliErrors.usage({ message: `--days takes at most ${MOST_DAYS}.` });
  const source = typeof flags["source"] === "string" ? flags["source"] : undefined;
  await using app = openApp(flags);
  const report = await openSpending(app).insights({ days, source });
  if (flags.json === true)
    output.stdout(`${JSON.stringify({ days, source: source ?? null, ...reportJson(report) }, undefined, 2)}\n`);
  else output.stdout(render(report, source, output.columns()));
  return 0;
};

const render = (report: InsightsReport, source: string | undefined, width: number): string => {
  const { from, to, total, byModel, bySource } = report;
  const of = source === undefined ? "" : ` of ${source}`;
  if (total.calls === 0)
    return `No model was called from ${from} to ${to}${source === undefined ? "" : ` by ${source}`}.\n`;
  const table = (heading: string, rows: readonly (readonly string[])[]): string =>
    renderTable([{ heading }, ...HEADINGS], rows, width);
  const bars = drawBars(barsOf(report), Math.max(8, Math.min(WIDEST_BAR, width - BESIDE_BAR)));
  const uncounted = describeUncounted(total);
  return [
    `${from} to ${to}${of}: ${describeSum(total)}\n`,
    table(
      "MODEL",
      byModel.map((sum) => sumRow(`${sum.provider}:${sum.model}`, sum)),
    ),
    ...(source === undefined
      ? [
          table(
            "SOURCE",
            bySource.map((sum) => sumRow(sum.source, sum)),
          ),
        ]
      : []),
    bars.map((line) => `${line}\n`).join(""),
    ...(uncounted === undefined ? [] : [`${uncounted}\n`]),
  ].join("\n");
};

const HEADINGS = SUM_COLUMNS.map((name) => ({ heading: name.toUpperCase(), align: "right" as const }));

const reportJson = ({ from, to, total, byModel, bySource, byDay }: InsightsReport) => ({
  from,
  to,
  total: sumJson(total),
  by_model: byModel.map((sum) => ({ provider: sum.provider, model: sum.model, ...sumJson(sum) })),
  by_source: bySource.map((sum) => ({ source: sum.source, ...sumJson(sum) })),
  by_day: byDay.map((sum) => ({ day: sum.day, ...sumJson(sum) })),
});

/** Sums as the `--json` of every command has them. `cost_usd` is without calls of unknown price. */
export const sumJson = ({ calls, uncounted, unpriced, usage, costUsd, heldTokens, heldUsd }: SpendSum) => ({
  calls,
  uncounted_calls: uncounted,
  unknown_price_calls: unpriced,
  usage,
  cost_usd: costUsd,
  held_tokens: heldTokens,
  held_usd: heldUsd,
});
