import type { ConversationKey, SessionId } from "../base/ids.ts";
import type { Usage } from "../llm/message.ts";
import type { CallRecord, SessionRecord } from "./store.ts";
import type { SessionTable } from "./tables.ts";

/** `deleted_at` of a session whose removal for good has begun: it is found nowhere and cannot be restored. */
export const BEING_REMOVED = 0;

/** The source of sub-agents' sessions; they are deleted and restored with the session that started them. */
export const SUBAGENT_SOURCE = "subagent";

/** Sources that hide from lists: sessions that the agent starts for itself. */
export const HIDDEN_SOURCES: readonly string[] = ["tool", SUBAGENT_SOURCE];

const USAGE_COLUMNS = [
  ["inputTokens", "input_tokens"],
  ["outputTokens", "output_tokens"],
  ["cacheReadTokens", "cache_read_tokens"],
  ["cacheWriteTokens", "cache_write_tokens"],
  ["reasoningTokens", "reasoning_tokens"],
] as const satisfies readonly (readonly [keyof Usage, keyof SessionTable])[];

/** The columns of `sessions` that count tokens. */
export type UsageColumns = Pick<SessionTable, (typeof USAGE_COLUMNS)[number][1]>;

/** Token counts as they stand in a row; a count that no call named is absent. */
export const usageOf = (row: UsageColumns): Usage =>
  Object.fromEntries(
    USAGE_COLUMNS.flatMap(([field, column]) => (row[column] === null ? [] : [[field, row[column]] as const])),
  );

/** A row as the rest of the program sees it. */
export const toSessionRecord = (row: Omit<SessionTable, "n">): SessionRecord => ({
  id: row.id as SessionId,
  conversation: row.conversation as ConversationKey,
  source: row.source,
  title: row.title,
  titleFrom: row.title_from,
  parent: row.parent as SessionId | null,
  rotatedFrom: row.rotated_from as SessionId | null,
  provider: row.provider,
  model: row.model,
  cwd: row.cwd,
  startedAt: row.started_at,
  activeAt: row.active_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
  messageCount: row.message_count,
  toolCallCount: row.tool_call_count,
  modelCallCount: row.model_call_count,
  usage: usageOf(row),
  costUsd: row.cost_usd,
  compression:
    row.compressed_from === null || row.compressed_to === null
      ? null
      : { before: row.compressed_from, after: row.compressed_to },
  deletedAt: row.deleted_at,
});

/** The counters of a session with one model call more. An unknown price makes the session's cost unknown for good. */
export const addCall = (row: SessionTable, call: CallRecord | undefined): Partial<SessionTable> => {
  if (call === undefined) return {};
  const usage = USAGE_COLUMNS.flatMap(([field, column]) => {
    const added = call.usage[field];
    return added === undefined ? [] : [[column, (row[column] ?? 0) + added] as const];
  });
  return {
    ...Object.fromEntries(usage),
    model_call_count: row.model_call_count + 1,
    cost_usd: row.cost_usd === null || call.costUsd === null ? null : row.cost_usd + call.costUsd,
  };
};
