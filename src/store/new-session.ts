import { cliConversationKey, newSessionId } from "../base/ids.ts";
import type { SessionId } from "../base/ids.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { NewSession } from "./store.ts";
import type { SessionTable } from "./tables.ts";

/** What `insertSession` adds to what the caller asked for. */
export interface SessionInsert {
  readonly session: NewSession;
  /** ms UTC. */
  readonly now: number;
}

/** Inserts a session with its prompt and returns its row. */
export const insertSession = async (db: Queries, { session, now }: SessionInsert): Promise<SessionTable> => {
  const id = session.id ?? (await freeId(db, now));
  const row = await db
    .insertInto("sessions")
    .values({
      id,
      conversation: session.conversation ?? cliConversationKey(id),
      source: session.source,
      parent: session.parent ?? null,
      ...BLANK,
      provider: session.provider,
      model: session.model,
      cwd: session.cwd,
      started_at: now,
      active_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db.insertInto("session_prompts").values({ session: row.n, text: session.systemPrompt }).execute();
  return row;
};

const BLANK = {
  rotated_from: null,
  title: null,
  title_from: null,
  ended_at: null,
  end_reason: null,
  message_count: 0,
  tool_call_count: 0,
  model_call_count: 0,
  input_tokens: null,
  output_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  reasoning_tokens: null,
  cost_usd: 0,
  compressed_from: null,
  compressed_to: null,
  deleted_at: null,
} as const satisfies Partial<SessionTable>;

const freeId = async (db: Queries, now: number): Promise<SessionId> => {
  for (;;) {
    const id = newSessionId(now);
    const taken = await db.selectFrom("sessions").select("n").where("id", "=", id).executeTakeFirst();
    if (taken === undefined) return id;
  }
};

/** Makes a session its conversation's current one. */
export const pointConversation = async (db: Queries, row: SessionTable): Promise<void> => {
  await db
    .insertInto("conversations")
    .values({ key: row.conversation, session: row.n })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ session: row.n }))
    .execute();
};
