import * as z from "zod";
import type { ConversationKey } from "../../base/ids.ts";
import { cliConversationKey, parseSessionId } from "../../base/ids.ts";
import type { Redacted } from "../../base/redact/redacted.ts";
import type { EndReason, ImportedSession } from "../store.ts";

const count = z.number().nonnegative().nullable().catch(null);
const text = z.string().nullable().catch(null);

/** A row of the other system's `sessions`; a column that a version lacks, or that holds something else, reads as null. */
export const sessionRow = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  source: text,
  model: text,
  parent_session_id: text,
  started_at: z.number().nullable().catch(null),
  ended_at: z.number().nullable().catch(null),
  end_reason: text,
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  billing_provider: text,
  estimated_cost_usd: count,
  actual_cost_usd: count,
  title: text,
  api_call_count: count,
});
export type SessionRow = z.infer<typeof sessionRow>;

const END_REASONS: Readonly<Record<string, EndReason>> = {
  new_session: "new_session",
  session_reset: "new_session",
  session_switch: "resumed_other",
  resumed_other: "resumed_other",
  compression: "compression",
  orphaned_compression: "compression",
  branched: "branched",
};

/** Seconds since the epoch as milliseconds. */
export const toMs = (seconds: number): number => Math.max(0, Math.round(seconds * 1_000));

/**
 * A session as it is to stand here. `conversationOf` says where the sessions before it are. Undefined = its id cannot be kept.
 */
export const convertSession = (
  row: SessionRow,
  {
    parent,
    conversationOf,
    title,
  }: {
    readonly parent: SessionRow | undefined;
    readonly conversationOf: (id: string) => ConversationKey | undefined;
    /** Masked. */
    readonly title: string | null;
  },
): ImportedSession | undefined => {
  const id = parseSessionId(row.id);
  if (id === undefined) return undefined;
  const parentId = parent === undefined ? undefined : parseSessionId(parent.id);
  const isContinued = parent !== undefined && END_REASONS[parent.end_reason ?? ""] === "compression";
  const rotatedFrom = isContinued && parentId !== undefined ? parentId : null;
  return {
    id,
    conversation: (rotatedFrom === null ? undefined : conversationOf(rotatedFrom)) ?? cliConversationKey(id),
    source: row.source === null || row.source === "" ? "cli" : row.source,
    title,
    parent: parentId ?? (row.parent_session_id === null ? null : (parseSessionId(row.parent_session_id) ?? null)),
    rotatedFrom,
    provider: row.billing_provider === null || row.billing_provider === "" ? "unknown" : row.billing_provider,
    model: row.model === null || row.model === "" ? "unknown" : row.model,
    cwd: null,
    startedAt: toMs(row.started_at ?? row.ended_at ?? 0),
    endedAt: row.ended_at === null ? null : toMs(row.ended_at),
    endReason: row.ended_at === null ? null : (END_REASONS[row.end_reason ?? ""] ?? "cli_close"),
    modelCallCount: Math.trunc(row.api_call_count ?? 0),
    usage: usageOf(row),
    costUsd: row.actual_cost_usd ?? row.estimated_cost_usd ?? ((row.api_call_count ?? 0) > 0 ? null : 0),
    systemPrompt: NO_PROMPT,
  };
};

// The other system's prompt names tools that are not here. An empty text holds no secret.
const NO_PROMPT = "" as Redacted<string>;

const usageOf = (row: SessionRow): ImportedSession["usage"] => {
  const named = {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [[name, Math.trunc(value)]])),
  );
};

/** Rows in the order of their times, parents before their children whatever the times say. */
export const parentsFirst = (rows: readonly SessionRow[]): readonly SessionRow[] => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = new Set<SessionRow>();
  for (const row of rows.toSorted((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0))) {
    const line: SessionRow[] = [];
    for (
      let at: SessionRow | undefined = row;
      at !== undefined && !ordered.has(at) && !line.includes(at);
      at = at.parent_session_id === null ? undefined : byId.get(at.parent_session_id)
    ) {
      line.unshift(at);
    }
    for (const each of line) ordered.add(each);
  }
  return [...ordered];
};
