import type { Usage } from "../../message.ts";
import { asCount, asRecord } from "../json-fields.ts";

const sum = (counts: readonly (number | undefined)[]): number | undefined =>
  counts.every((count) => count === undefined) ? undefined : counts.reduce<number>((all, one) => all + (one ?? 0), 0);

/**
 * Reads `usageMetadata`. The provider counts thoughts beside the answer and what its own tools read beside the prompt; ours are
 * the whole answer and the whole prompt. Undefined where nothing is counted.
 */
export const readUsage = (value: unknown): Usage | undefined => {
  const fields = asRecord(value);
  if (fields === undefined) return undefined;
  const thoughts = asCount(fields.thoughtsTokenCount);
  const counts = {
    inputTokens: sum([asCount(fields.promptTokenCount), asCount(fields.toolUsePromptTokenCount)]),
    outputTokens: sum([asCount(fields.candidatesTokenCount), thoughts]),
    cacheReadTokens: asCount(fields.cachedContentTokenCount),
    reasoningTokens: thoughts,
  };
  const counted = Object.entries(counts).filter(([, count]) => count !== undefined);
  return counted.length === 0 ? undefined : (Object.fromEntries(counted) satisfies Usage);
};
