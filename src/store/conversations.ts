import type { Clock } from "../base/clock.ts";
import type { ConversationKey, SessionId } from "../base/ids.ts";
import { rotateSession } from "./rotation.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { ConversationStore } from "./store.ts";

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
  rotate: (rotation) => rotateSession({ writer, clock }, rotation),
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
