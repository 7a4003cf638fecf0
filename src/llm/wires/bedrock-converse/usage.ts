import type { Usage } from "../../message.ts";
import { asCount, asRecord } from "../json-fields.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads a `usage`; undefined where it counts nothing. This format counts the cached tokens beside `inputTokens`; ours is the whole prompt. */
export const readUsage = (value: unknown): Usage | undefined => {
  const fields = asRecord(value);
  if (fields === undefined) return undefined;
  const input = asCount(fields.inputTokens);
  const output = asCount(fields.outputTokens);
  const read = asCount(fields.cacheReadInputTokens);
  const written = asCount(fields.cacheWriteInputTokens);
  const usage: Writable<Usage> = {};
  if (input !== undefined) usage.inputTokens = input + (read ?? 0) + (written ?? 0);
  if (output !== undefined) usage.outputTokens = output;
  if (read !== undefined) usage.cacheReadTokens = read;
  if (written !== undefined) usage.cacheWriteTokens = written;
  return Object.keys(usage).length === 0 ? undefined : usage;
};
