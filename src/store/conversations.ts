import type { Clock } from "../base/clock.ts";
import type { ConversationKey, SessionId } from "../base/ids.ts";
import { storeErrors } from "./errors.ts";
import { insertSession, pointConversation } from "./new-session.ts";
import { toSessionRecord } from "./session-row.ts";
import { baseTitle, freeTitle } from "./session-title.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { ConversationStore, EndReason, NewSession, SessionRecord } from "./store.ts";

/** What the conversation store is made of. */
export interface ConversationDeps {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly clock: Clock;
}

/** Which session each conversation is in. */
export const createConversationStore = ({ writer, reader, clock }: ConversationDeps): ConversationStore => ({
  current: async (key) => {
    const row = await currentOf(reader.db, key);
    return row === undefined || row.deleted_at !== null ? undefined : row.id;
  },
  rotate: (...[key, from, child, reason]) =>
    writer.write((db) => rotate(db, { key, from, child, reason, now: clock.now() })),
});

const currentOf = async (
  db: Queries,
  key: ConversationKey,
): Promise<{ readonly id: SessionId; readonly deleted_at: number | null } | undefined> => {
  const row = await db
    .selectFrom("conversations")
    .innerJoin("sessions", "sessions.n", "conversations.session")
    .select(["sessions.id", "sessions.deleted_at"])
    .where("conversations.key", "=", key)
    .executeTakeFirst();
  return row === undefined ? undefined : { id: row.id as SessionId, deleted_at: row.deleted_at };
};

interface Rotation {
  readonly key: ConversationKey;
  readonly from: SessionId;
  readonly child: NewSession;
  readonly reason: EndReason;
  readonly now: number;
}

/**
 * The old session's end, the new session and the conversation's place are one commit (decision 12, R-COMP-2). Refuses when
 * the conversation is not in `from` any more: of two that rotate at once, one gets `store.conversation_moved`.
 */
const rotate = async (db: Queries, { key, from, child, reason, now }: Rotation): Promise<SessionRecord> => {
  // A session that was deleted while a turn runs in it can still be rotated: the turn goes on in its child.
  const current = (await currentOf(db, key))?.id;
  if (current !== from) throw storeErrors.conversationMoved({ conversation: key, current: current ?? "no session" });
  const parent = await db.selectFrom("sessions").selectAll().where("id", "=", from).executeTakeFirstOrThrow();
  await db.updateTable("sessions").set({ ended_at: now, end_reason: reason }).where("n", "=", parent.n).execute();
  const session = { ...child, conversation: key, parent: child.parent ?? from };
  const row = await insertSession(db, { session, now, rotatedFrom: from });
  await pointConversation(db, row);
  if (reason !== "compression" || parent.title === null) return toSessionRecord(row);
  // It goes on under the same name: `Tide tables`, `Tide tables #2`, …
  const title = await freeTitle(db, baseTitle(parent.title), row.n);
  const titled = { title, title_from: parent.title_from };
  await db.updateTable("sessions").set(titled).where("n", "=", row.n).execute();
  return toSessionRecord({ ...row, ...titled });
};
