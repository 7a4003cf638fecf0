import type { SessionRecord } from "../../store/store.ts";

/** A session as `--json` prints it: times in ISO 8601, names in snake case, stable. */
export const sessionJson = (session: SessionRecord) => ({
  id: session.id,
  title: session.title,
  source: session.source,
  parent: session.parent,
  rotated_from: session.rotatedFrom,
  provider: session.provider,
  model: session.model,
  cwd: session.cwd,
  started_at: new Date(session.startedAt).toISOString(),
  active_at: new Date(session.activeAt).toISOString(),
  ended_at: session.endedAt === null ? null : new Date(session.endedAt).toISOString(),
  end_reason: session.endReason,
  deleted_at: session.deletedAt === null ? null : new Date(session.deletedAt).toISOString(),
  messages: session.messageCount,
  tool_calls: session.toolCallCount,
  model_calls: session.modelCallCount,
  usage: session.usage,
  cost_usd: session.costUsd,
});
