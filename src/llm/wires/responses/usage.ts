import type { Usage } from "../../message.ts";
import { asCount, asRecord } from "../json-fields.ts";

/** Reads `usage`; the input already includes what came from the cache. Undefined where nothing is counted. */
export const readUsage = (value: unknown): Usage | undefined => {
  const fields = asRecord(value);
  if (fields === undefined) return undefined;
  const input = asRecord(fields.input_tokens_details);
  const output = asRecord(fields.output_tokens_details);
  const counts = {
    inputTokens: asCount(fields.input_tokens),
    outputTokens: asCount(fields.output_tokens),
    cacheReadTokens: asCount(input?.cached_tokens),
    cacheWriteTokens: asCount(input?.cache_write_tokens),
    reasoningTokens: asCount(output?.reasoning_tokens),
  };
  const counted = Object.entries(counts).filter(([, count]) => count !== undefined);
  return counted.length === 0 ? undefined : (Object.fromEntries(counted) satisfies Usage);
};
