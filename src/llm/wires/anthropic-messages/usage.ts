import type { Usage } from "../../message.ts";
import { asCount, asRecord } from "../json-fields.ts";

/** Folds the counts of an answer, which come in two places. */
export interface UsageFold {
  /** Takes one `usage`; answers the whole count so far where it said anything. */
  add(value: unknown): Usage | undefined;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** This format counts what was read from and written to the cache beside `input_tokens`; ours is the whole prompt. */
const COUNTED = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/**
 * Starts an empty count. The end of a stream repeats the counts of its beginning, sometimes with the true figures and
 * sometimes with zeros: a later count replaces an earlier one unless it is 0.
 */
export const createUsageFold = (): UsageFold => {
  const counts = new Map<string, number>();
  const count = (name: string, value: unknown): boolean => {
    const found = asCount(value);
    if (found === undefined) return false;
    if (found > 0 || !counts.has(name)) counts.set(name, found);
    return true;
  };
  return {
    add: (value) => {
      const fields = asRecord(value);
      if (fields === undefined) return undefined;
      const thinking = asRecord(fields.output_tokens_details)?.thinking_tokens;
      const said = [...COUNTED.map((name) => count(name, fields[name])), count("thinking_tokens", thinking)];
      return said.includes(true) ? usageOf(counts) : undefined;
    },
  };
};

const usageOf = (counts: ReadonlyMap<string, number>): Usage => {
  const usage: Writable<Usage> = {};
  const [input, output, read, written] = COUNTED.map((name) => counts.get(name));
  const thinking = counts.get("thinking_tokens");
  if (input !== undefined) usage.inputTokens = input + (read ?? 0) + (written ?? 0);
  if (output !== undefined) usage.outputTokens = output;
  if (read !== undefined) usage.cacheReadTokens = read;
  if (written !== undefined) usage.cacheWriteTokens = written;
  if (thinking !== undefined) usage.reasoningTokens = thinking;
  return usage;
};
