import { defineCommand } from "./command.ts";
import { formatCost, formatCount } from "./format-values.ts";

const count = (tokens: number | undefined): string => (tokens === undefined ? "not counted" : formatCount(tokens));

/** `/usage`: tokens and money of this session. */
export const usage = defineCommand({
  name: "usage",
  description: "Show this session's tokens and cost",
  during: "any",
  run: async ({ ports }) => {
    const report = await ports.conversation.usage();
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
        ["cost", formatCost(report.costUsd)],
      ],
    };
  },
});
