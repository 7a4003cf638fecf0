import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import { storeErrors } from "./errors.ts";
import { insertApart, placeApart, removeMessages } from "./messages.ts";
import { insertSession, pointConversation } from "./new-session.ts";
import { discardEmptySession } from "./session-removal.ts";
import { toSessionRecord } from "./session-row.ts";
import { baseTitle, freeTitle } from "./session-title.ts";
import type { Queries } from "./sqlite/queries.ts";
import { nextTurn } from "../base/event-loop-turn.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { NewSession, Rotation, SessionRecord } from "./store.ts";
import type { SessionTable } from "./tables.ts";

export interface RotationDeps {
  readonly writer: Writer;
  readonly clock: Clock;
}

/** Messages that are written in one transaction; the event loop runs between them. */
const SLICE = 50;

/**
 * Makes the child with its messages apart, where nobody sees it; then the old session's end, the child, its messages, the
 * conversation's place and the lease are one commit (decision 12, R-COMP-2). A crash leaves the one or the other. Refuses when
 * the conversation is not in `from` any more: of two that rotate at once, one gets `store.conversation_moved`.
 */
export const rotateSession = async (deps: RotationDeps, rotation: Rotation): Promise<SessionRecord> => {
  const { writer, clock } = deps;
  const { messages = [] } = rotation;
  const now = clock.now();
  if (messages.length === 0) {
    return writer.write(async (db) => {
      const parent = await parentOf(db, rotation);
      const row = await insertSession(db, { session: childOf(rotation), now });
      return toSessionRecord(await takePlace(db, { rotation, parent, row, now }));
    });
  }
  const row = await writer.write(async (db) => {
    await parentOf(db, rotation);
    return insertSession(db, { session: childOf(rotation), now });
  });
  try {
    let after: number | undefined;
    for (let at = 0; at < messages.length; at += SLICE) {
      const slice = messages.slice(at, at + SLICE);
      const place = { session: row.n, firstSeq: at + 1, after };
      after = await writer.write((db) => insertApart(db, slice, place));
      await nextTurn();
    }
    return await writer.write(async (db) => {
      const parent = await parentOf(db, rotation);
      const whole = await placeApart(
        db,
        row,
        messages.map(({ message }) => message),
      );
      return toSessionRecord(await takePlace(db, { rotation, parent, row: whole, now }));
    });
  } catch (error) {
    await removeMessages(writer, -row.n);
    await discardEmptySession(writer, row.id as SessionId);
    throw error;
  }
};

/** The child's id is the store's to make, so that it is younger than its parent's. */
const childOf = ({ key, from, child: { id: _id, ...child } }: Rotation): NewSession => ({
  ...child,
  conversation: key,
  parent: child.parent ?? from,
});

/** The session that is rotated, if the conversation is in it and the caller may. */
const parentOf = async (db: Queries, { key, from, lease }: Rotation): Promise<SessionTable> => {
  // A session that was deleted while a turn runs in it can still be rotated: the turn goes on in its child.
  const current = await db
    .selectFrom("conversations")
    .innerJoin("sessions", "sessions.n", "conversations.session")
    .select("sessions.id")
    .where("conversations.key", "=", key)
    .executeTakeFirst();
  if (current?.id !== from)
    throw storeErrors.conversationMoved({ conversation: key, current: current?.id ?? "no session" });
  const parent = await db.selectFrom("sessions").selectAll().where("id", "=", from).executeTakeFirstOrThrow();
  if (lease === undefined) return parent;
  const held = await db.selectFrom("leases").select("token").where("session", "=", parent.n).executeTakeFirst();
  if (held?.token !== lease.token) throw storeErrors.leaseLost({ session: from });
  return parent;
};

interface Place {
  readonly rotation: Rotation;
  readonly parent: SessionTable;
  readonly row: SessionTable;
  readonly now: number;
}

const takePlace = async (db: Queries, { rotation, parent, row, now }: Place): Promise<SessionTable> => {
  const { from, reason, lease, compression } = rotation;
  const ended = { ended_at: now, end_reason: reason };
  await db.updateTable("sessions").set(ended).where("n", "=", parent.n).execute();
  if (lease !== undefined) {
    await db.updateTable("leases").set({ session: row.n }).where("token", "=", lease.token).execute();
  }
  const taken = {
    rotated_from: from,
    compressed_from: compression?.before ?? null,
    compressed_to: compression?.after ?? null,
    ...(await titleOf(db, { rotation, parent, row })),
  };
  await db.updateTable("sessions").set(taken).where("n", "=", row.n).execute();
  await pointConversation(db, row);
  return { ...row, ...taken };
};

/** A compressed conversation goes on under the same name: `Tide tables`, `Tide tables #2`, … */
const titleOf = async (
  db: Queries,
  { rotation, parent, row }: Omit<Place, "now">,
): Promise<Partial<Pick<SessionTable, "title" | "title_from">>> => {
  if (rotation.reason !== "compression" || parent.title === null) return {};
  return { title: await freeTitle(db, baseTitle(parent.title), row.n), title_from: parent.title_from };
};
