import type { Usage } from "../../llm/message.ts";

/** What a turn has used so far. */
export interface Totals {
  addModelCall(usage: Usage | undefined, costUsd: number | null): void;
  addToolCalls(count: number): void;
  read(): {
    readonly modelCalls: number;
    readonly toolCalls: number;
    readonly usage: MutableUsage;
    readonly costUsd: number | null;
  };
}

type MutableUsage = { -readonly [K in keyof Usage]: Usage[K] };

const FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

/** Sums; one call of unknown cost makes the whole cost unknown. */
export const createTotals = (): Totals => {
  let modelCalls = 0;
  let toolCalls = 0;
  let costUsd: number | null = 0;
  const usage: MutableUsage = {};
  return {
    addModelCall: (called, cost) => {
      modelCalls += 1;
      costUsd = costUsd === null || cost === null ? null : costUsd + cost;
      for (const field of FIELDS) {
        const tokens = called?.[field];
        if (tokens !== undefined) usage[field] = (usage[field] ?? 0) + tokens;
      }
    },
    addToolCalls: (count) => {
      toolCalls += count;
    },
    read: () => ({ modelCalls, toolCalls, usage: { ...usage }, costUsd }),
  };
};
