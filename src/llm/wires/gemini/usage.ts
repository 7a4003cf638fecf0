import type { Usage } from "../../message.ts";
import { asCount, asRecord } from "../json-fields.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const sum = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : one + (other ?? 0);

/**
 * Reads `usageMetadata`, which comes with every chunk. The provider counts thoughts beside the answer and what its own tools read
 * beside the prompt; ours are the whole answer and the whole prompt. Undefined where nothing is counted.
 */
export const readUsage = (value: unknown): Usage | undefined => {
  const fields = asRecord(value);
  if (fields === undefined) return undefined;
  const thoughts = asCount(fields.thoughtsTokenCount);
  const input = sum(asCount(fields.promptTokenCount), asCount(fields.toolUsePromptTokenCount));
  const output = sum(asCount(fields.candidatesTokenCount), thoughts);
  const cached = asCount(fields.cachedContentTokenCount);
  if (input === undefined && output === undefined && cached === undefined) return undefined;
  const usage: Writable<Usage> = {};
  if (input !== undefined) usage.inputTokens = input;
  if (output !== undefined) usage.outputTokens = output;
  if (cached !== undefined) usage.cacheReadTokens = cached;
  if (thoughts !== undefined) usage.reasoningTokens = thoughts;
  return usage;
};
