import { describeCapReached, formatUse } from "../llm/spend/describe-cap.ts";
import type { PeriodUse } from "../llm/spend/spend-status.ts";
import { defineCommand } from "./command.ts";
import { formatCost, formatCount } from "./format-values.ts";
import { formatSpent } from "./spend-words.ts";

const count = (tokens: number | undefined): string => (tokens === undefined ? "not counted" : formatCount(tokens));

const NAMES: Readonly<Record<PeriodUse["period"], string>> = {
  session: "this session's",
  job: "this job's",
  day: "today",
  month: "this month",
};

/** What a period took, and how far each of its caps is used. The session's own cost stands above. */
const periodRows = ({ period, sum, caps }: PeriodUse): readonly (readonly [string, string])[] => [
  ...(period === "session"
    ? []
    : [
        [
          NAMES[period],
          `${formatSpent(sum)}, ${formatCount(sum.usage.inputTokens + sum.usage.outputTokens)} tokens`,
        ] as const,
      ]),
  ...caps.map((cap) => [`${period === "session" ? "its" : "of the"} budget`, formatUse(cap)] as const),
];

/** `/usage`: tokens and money of this session, today and this month, and how far budgets are used. */
export const usage = defineCommand({
  name: "usage",
  description: "Show this session's tokens and cost, today's and this month's, and budgets",
  during: "any",
  run: async ({ ports }) => {
    const [report, periods] = [await ports.conversation.usage(), await ports.money.status()];
    const reached = periods.flatMap(({ caps }) => caps).find(({ used, cap }) => used >= cap);
    return {
      kind: "table",
      columns: [],
      rows: [
        ["input", count(report.usage.inputTokens)],
        ["read from cache", count(report.usage.cacheReadTokens)],
        ["written to cache", count(report.usage.cacheWriteTokens)],
        ["output", count(report.usage.outputTokens)],
        ["of it reasoning", count(report.usage.reasoningTokens)],
        ["model calls", String(report.modelCalls)],
        ["tool calls", String(report.toolCalls)],
        ["cost", report.costUsd === null ? "unknown price" : formatCost(report.costUsd)],
        ...periods.flatMap(periodRows),
      ],
      ...(reached === undefined ? {} : { note: describeCapReached(reached) }),
    };
  },
});
