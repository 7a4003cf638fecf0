import type { Usage } from "../../llm/message.ts";

/** What a turn has used so far. */
export interface Totals {
  /** A request that reached a model, whatever came of it. */
  addModelCall(): void;
  /** What an answer used. */
  addUsage(usage: Usage | undefined, costUsd: number | null): void;
  addToolCalls(count: number): void;
  read(): {
    /** Requests that reached a model: those that failed or were repeated too. */
    readonly modelCalls: number;
    readonly toolCalls: number;
    readonly usage: MutableUsage;
    readonly costUsd: number | null;
  };
}

type MutableUsage = { -readonly [K in keyof Usage]: Usage[K] };

const FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

/** Sums; one answer of unknown cost makes the whole cost unknown. */
export const createTotals = (): Totals => {
  let modelCalls = 0;
  let toolCalls = 0;
  let costUsd: number | null = 0;
  const usage: MutableUsage = {};
  return {
    addModelCall: () => {
      modelCalls += 1;
    },
    addUsage: (called, cost) => {
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
