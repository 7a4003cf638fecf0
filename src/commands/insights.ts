import { defineCommand, errorResult, textResult } from "./command.ts";
import { barsOf, describeSum, describeUncounted, drawBars, formatSpent, SUM_COLUMNS, sumRow } from "./spend-words.ts";

const DEFAULT_DAYS = 30;
const MOST_DAYS = 3_660;
const BAR_WIDTH = 24;

/** `/insights [days]`: where tokens and money went. */
export const insights = defineCommand({
  name: "insights",
  argsHint: "[days]",
  description: "Show where tokens and money went in the last days",
  during: "any",
  run: async ({ args, ports }) => {
    const days = args === "" ? DEFAULT_DAYS : Number(args);
    if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
      return errorResult(`/insights takes a number of days from 1 to ${MOST_DAYS}.`);
    }
    const report = await ports.money.insights(days);
    if (report.total.calls === 0) return textResult(`No model was called from ${report.from} to ${report.to}.`);
    return {
      kind: "table",
      title: `${report.from} to ${report.to}: ${describeSum(report.total)}`,
      columns: ["model", ...SUM_COLUMNS],
      rows: report.byModel.map((sum) => sumRow(`${sum.provider}:${sum.model}`, sum)),
      note: [
        ...drawBars(barsOf(report), BAR_WIDTH),
        report.bySource.map((sum) => `${sum.source} ${formatSpent(sum)}`).join(" · "),
        describeUncounted(report.total) ?? "",
      ]
        .filter((line) => line !== "")
        .join("\n"),
    };
  },
});
