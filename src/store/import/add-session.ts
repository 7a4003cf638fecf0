import type { SessionId } from "../../base/ids.ts";
import { storeErrors } from "../errors.ts";
import { insertApart, removeMessages } from "../messages.ts";
import { insertSession, pointConversation } from "../new-session.ts";
import { removeRows } from "../session-removal.ts";
import { BEING_REMOVED } from "../session-row.ts";
import { baseTitle, cleanTitle, freeTitle } from "../session-title.ts";
import { nextTurn } from "../../base/event-loop-turn.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { Writer } from "../sqlite/writer.ts";
import type { ImportOutcome, ImportedSession, TimedMessages } from "../store.ts";
import type { SessionTable } from "../tables.ts";

/** Messages that are written in one transaction; the event loop runs between them. */
const SLICE = 50;

/**
 * Adds a session of another system under its own id. While its messages come in, the session counts as being removed: nothing finds
 * it, and what a crash leaves is cleared by the next import of it or the next purge. The last transaction shows all of it at once.
 */
export const addSession = async (
  writer: Writer,
  session: ImportedSession,
  messages: TimedMessages,
): Promise<ImportOutcome> => {
  const existing = await writer.write((db) => rowOf(db, session.id));
  if (existing !== undefined && existing.deleted_at !== BEING_REMOVED) {
    return { kind: "exists", messages: existing.message_count, isDeleted: existing.deleted_at !== null };
  }
  if (existing !== undefined) await clear(writer, existing);
  const row = await writer.write((db) => insertHidden(db, session));
  try {
    const counts = await insertAll(writer, row, messages);
    const title = await writer.write((db) => show(db, { row, session, counts }));
    return { kind: "added", messages: counts.messages, title };
  } catch (error) {
    await clear(writer, row);
    throw error;
  }
};

const rowOf = (db: Queries, id: SessionId): Promise<SessionTable | undefined> =>
  db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();

/** Whether the row is still the session that comes in. Another process may have removed it, and its number be a third one's by now. */
const isComing = async (db: Queries, { n, id }: Pick<SessionTable, "n" | "id">): Promise<boolean> => {
  const current = await rowOf(db, id as SessionId);
  return current?.n === n && current.deleted_at === BEING_REMOVED;
};

const refuseRemoved = async (db: Queries, row: SessionTable): Promise<void> => {
  if (!(await isComing(db, row))) throw storeErrors.noSession({ session: row.id });
};

/** Removes what came in so far. */
const clear = async (writer: Writer, { n, id }: SessionTable): Promise<void> => {
  if (!(await writer.write((db) => isComing(db, { n, id })))) return;
  await removeMessages(writer, -n);
  await removeMessages(writer, n);
  await writer.write((db) => removeRows(db, n));
};

const insertHidden = async (db: Queries, session: ImportedSession): Promise<SessionTable> => {
  const { id, conversation, source, parent, provider, model, cwd, systemPrompt, startedAt } = session;
  const created = {
    id,
    conversation,
    source,
    provider,
    model,
    cwd,
    systemPrompt,
    ...(parent === null ? {} : { parent }),
  };
  const row = await insertSession(db, { session: created, now: startedAt });
  await db.updateTable("sessions").set({ deleted_at: BEING_REMOVED }).where("n", "=", row.n).execute();
  return row;
};

interface Counts {
  readonly messages: number;
  readonly toolCalls: number;
  /** ms UTC; undefined = there is no message. */
  readonly newest: number | undefined;
}

const insertAll = async (writer: Writer, row: SessionTable, all: TimedMessages): Promise<Counts> => {
  let counts: Counts = { messages: 0, toolCalls: 0, newest: undefined };
  let after: number | undefined;
  for await (const slice of slicesOf(all)) {
    const place = { session: row.n, firstSeq: counts.messages + 1, after };
    after = await writer.write(async (db) => {
      await refuseRemoved(db, row);
      return insertApart(db, slice, place);
    });
    const calls = slice.flatMap(({ message }) => message.parts.filter((part) => part.type === "tool_call"));
    counts = {
      messages: counts.messages + slice.length,
      toolCalls: counts.toolCalls + calls.length,
      newest: slice.at(-1)?.createdAt,
    };
    await nextTurn();
  }
  return counts;
};

async function* slicesOf<T>(all: AsyncIterable<T> | Iterable<T>): AsyncIterable<readonly T[]> {
  let slice: T[] = [];
  for await (const item of all) {
    slice.push(item);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

interface Shown {
  readonly row: SessionTable;
  readonly session: ImportedSession;
  readonly counts: Counts;
}

const show = async (db: Queries, { row, session, counts }: Shown): Promise<string | null> => {
  const { usage, title } = session;
  await refuseRemoved(db, row);
  await db.updateTable("messages").set({ session: row.n }).where("session", "=", -row.n).execute();
  const shown = title === null ? null : await titleFor(db, title, row.n);
  await db
    .updateTable("sessions")
    .set({
      title: shown,
      title_from: shown === null ? null : "user",
      rotated_from: session.rotatedFrom,
      active_at: Math.max(session.startedAt, counts.newest ?? 0),
      ended_at: session.endedAt,
      end_reason: session.endReason,
      message_count: counts.messages,
      tool_call_count: counts.toolCalls,
      model_call_count: session.modelCallCount,
      input_tokens: usage.inputTokens ?? null,
      output_tokens: usage.outputTokens ?? null,
      cache_read_tokens: usage.cacheReadTokens ?? null,
      cache_write_tokens: usage.cacheWriteTokens ?? null,
      reasoning_tokens: usage.reasoningTokens ?? null,
      cost_usd: session.costUsd,
      deleted_at: null,
    })
    .where("n", "=", row.n)
    .execute();
  // A session that was compressed has handed its conversation on: only if nothing is there, it is where the conversation is.
  const isLeft = session.endReason === "compression" && (await hasPlace(db, row.conversation));
  if (!isLeft) await pointConversation(db, row);
  return shown;
};

const hasPlace = async (db: Queries, conversation: string): Promise<boolean> =>
  (await db.selectFrom("conversations").select("key").where("key", "=", conversation).executeTakeFirst()) !== undefined;

/** The title as it was; with a number behind it where a session here has it. */
const titleFor = async (db: Queries, title: string, n: number): Promise<string> => {
  const clean = cleanTitle(title);
  const free = await freeTitle(db, clean, n);
  return free === clean ? clean : freeTitle(db, baseTitle(clean), n);
};
