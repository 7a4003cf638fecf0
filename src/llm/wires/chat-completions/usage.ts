import type { Usage } from "../../message.ts";
import { asCount, asRecord } from "../json-fields.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const firstCount = (values: readonly unknown[]): number | undefined =>
  values.map(asCount).find((count) => count !== undefined);

/**
 * Reads `usage`. `inputTokens` is the whole prompt, what came from the cache included, as this format counts it.
 * Cached tokens are named in four ways by the providers of this format. Undefined where nothing is counted.
 */
export const readUsage = (value: unknown): Usage | undefined => {
  const fields = asRecord(value);
  if (fields === undefined) return undefined;
  const prompt = asRecord(fields.prompt_tokens_details);
  const completion = asRecord(fields.completion_tokens_details);
  const counts = {
    inputTokens: asCount(fields.prompt_tokens),
    outputTokens: asCount(fields.completion_tokens),
    cacheReadTokens: firstCount([
      prompt?.cached_tokens,
      fields.prompt_cache_hit_tokens,
      fields.cached_tokens,
      fields.num_cached_tokens,
    ]),
    cacheWriteTokens: firstCount([prompt?.cache_write_tokens, fields.cache_creation_input_tokens]),
    reasoningTokens: firstCount([completion?.reasoning_tokens, fields.reasoning_tokens]),
  };
  const usage: Writable<Usage> = {};
  if (counts.inputTokens !== undefined) usage.inputTokens = counts.inputTokens;
  if (counts.outputTokens !== undefined) usage.outputTokens = counts.outputTokens;
  if (counts.cacheReadTokens !== undefined) usage.cacheReadTokens = counts.cacheReadTokens;
  if (counts.cacheWriteTokens !== undefined) usage.cacheWriteTokens = counts.cacheWriteTokens;
  if (counts.reasoningTokens !== undefined) usage.reasoningTokens = counts.reasoningTokens;
  return Object.keys(usage).length === 0 ? undefined : usage;
};
