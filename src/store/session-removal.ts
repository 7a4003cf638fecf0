import { sql, type RawBuilder } from "kysely";
import type { SessionId } from "../base/ids.ts";
import type { BlobFiles } from "./blobs.ts";
import { removeMessages } from "./messages.ts";
import { BEING_REMOVED, SUBAGENT_SOURCE } from "./session-row.ts";
import { freeTitle } from "./session-title.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { QueryWorker } from "./worker/query-worker.ts";

/** Ids that one statement takes. */
const SLICE = 500;

/** Hides sessions, with those of the sub-agents below them; returns how many of the named ones were not hidden before. */
export const deleteSessions = async (writer: Writer, ids: readonly SessionId[], now: number): Promise<number> => {
  let count = 0;
  for (const slice of slicesOf(ids)) {
    count += await writer.write(async (db) => {
      const result = await db
        .updateTable("sessions")
        .set({ deleted_at: now })
        .where("id", "in", slice)
        .where("deleted_at", "is", null)
        .executeTakeFirstOrThrow();
      await db
        .updateTable("sessions")
        .set({ deleted_at: now })
        .where("id", "in", subagentsBelow(slice))
        .where("deleted_at", "is", null)
        .execute();
      return Number(result.numUpdatedRows);
    });
  }
  return count;
};

/** The sessions of sub-agents below sessions, however deep. */
const subagentsBelow = (ids: readonly SessionId[]): RawBuilder<string> => sql<string>`(
  WITH RECURSIVE tree (id) AS (
    SELECT id FROM sessions WHERE parent IN (${sql.join(ids)}) AND source = ${SUBAGENT_SOURCE}
    UNION
    SELECT sessions.id FROM tree JOIN sessions ON sessions.parent = tree.id AND sessions.source = ${SUBAGENT_SOURCE}
  )
  SELECT id FROM tree
)`;

/** Shows hidden sessions again; one whose title was given away meanwhile gets a number behind it. */
export const restoreSessions = async (writer: Writer, ids: readonly SessionId[]): Promise<number> => {
  let count = 0;
  for (const id of ids) count += await writer.write((db) => restoreOne(db, id));
  return count;
};

const restoreOne = async (db: Queries, id: SessionId): Promise<number> => {
  const row = await db
    .selectFrom("sessions")
    .select(["n", "title", "deleted_at"])
    .where("id", "=", id)
    .where("deleted_at", ">", BEING_REMOVED)
    .executeTakeFirst();
  if (row === undefined) return 0;
  const title = row.title === null ? null : await freeTitle(db, row.title, row.n);
  await db.updateTable("sessions").set({ deleted_at: null, title }).where("n", "=", row.n).execute();
  // What was deleted before it, for itself, stays deleted.
  await db
    .updateTable("sessions")
    .set({ deleted_at: null })
    .where("id", "in", subagentsBelow([id]))
    .where("deleted_at", "=", row.deleted_at)
    .execute();
  return 1;
};

/** What `purgeSessions` works with. */
export interface PurgeDeps {
  readonly writer: Writer;
  readonly worker: QueryWorker;
  readonly blobs: BlobFiles;
}

/**
 * Removes sessions that were deleted before `olderThan` (ms UTC) for good, in slices. From its first slice on a session is
 * found nowhere; a removal that was cut off is finished by the next one. Returns how many sessions went.
 */
export const purgeSessions = async ({ writer, worker, blobs }: PurgeDeps, olderThan: number): Promise<number> => {
  let count = 0;
  for (const session of await worker.removable(olderThan)) {
    if (await claim(writer, session, olderThan)) {
      await removeMessages(writer, session);
      await removeMessages(writer, -session);
      await writer.write((db) => removeRows(db, session));
      count += 1;
    }
  }
  await blobs.removeUnused((hashes) => worker.unusedBlobs(hashes));
  return count;
};

/** False when it was restored since it was listed. */
const claim = (writer: Writer, session: number, olderThan: number): Promise<boolean> =>
  writer.write(async (db) => {
    const result = await db
      .updateTable("sessions")
      .set({ deleted_at: BEING_REMOVED })
      .where("n", "=", session)
      .where("deleted_at", "<", olderThan)
      .executeTakeFirstOrThrow();
    return result.numUpdatedRows > 0n;
  });

/** Removes a session in which nothing was said and nobody else works; true if it did. */
export const discardEmptySession = (writer: Writer, id: SessionId): Promise<boolean> =>
  writer.write(async (db) => {
    const row = await db
      .selectFrom("sessions")
      .leftJoin("leases", "leases.session", "sessions.n")
      .select(["sessions.n", "leases.session as leased"])
      .where("sessions.id", "=", id)
      .where("message_count", "=", 0)
      .executeTakeFirst();
    if (row === undefined || row.leased !== null) return false;
    await removeRows(db, row.n);
    return true;
  });

/** Removes a session's own rows; its messages must be gone. */
export const removeRows = async (db: Queries, session: number): Promise<void> => {
  await db.deleteFrom("leases").where("session", "=", session).execute();
  await db.deleteFrom("conversations").where("session", "=", session).execute();
  await db.deleteFrom("session_prompts").where("session", "=", session).execute();
  await db.deleteFrom("sessions").where("n", "=", session).execute();
};

const slicesOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / SLICE) }, (_, at) => items.slice(at * SLICE, (at + 1) * SLICE));
