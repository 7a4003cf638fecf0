import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { BlobFiles } from "./blobs.ts";
import { storeErrors } from "./errors.ts";
import { readChildren, readLineage } from "./session-lineage.ts";
import { readOpenings } from "./session-openings.ts";
import { insertSession, pointConversation } from "./new-session.ts";
import { lookupSession } from "./session-lookup.ts";
import { deleteSessions, discardEmptySession, purgeSessions, restoreSessions } from "./session-removal.ts";
import { BEING_REMOVED, HIDDEN_SOURCES, toSessionRecord } from "./session-row.ts";
import { cleanTitle, freeTitle, titleOwner } from "./session-title.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { EndReason, SessionFilter, SessionRecord, SessionStore } from "./store.ts";
import type { SessionTable } from "./tables.ts";
import type { QueryWorker } from "./worker/query-worker.ts";

/** What the session store is made of. */
export interface SessionDeps {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly worker: QueryWorker;
  readonly blobs: BlobFiles;
  readonly clock: Clock;
}

/** All sessions. */
export const createSessionStore = (deps: SessionDeps): SessionStore => {
  const { writer, reader, worker, clock } = deps;
  return {
    create: (session) =>
      writer.write(async (db) => {
        const row = await insertSession(db, { session, now: clock.now() });
        await pointConversation(db, row);
        return toSessionRecord(row);
      }),
    get: async (id) => {
      const row = await reader.db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined || row.deleted_at === BEING_REMOVED ? undefined : toSessionRecord(row);
    },
    systemPrompt: (id) => readPrompt(reader.db, id),
    lookup: (text, options) => lookupSession(reader.db, text, options?.deleted ?? false),
    newest: async (filter = {}) => (await listSessions(reader.db, { ...filter, limit: 1 }))[0],
    list: (filter) => worker.list(filter),
    openings: (ids) => readOpenings(reader.db, ids),
    children: (ids) => readChildren(reader.db, ids),
    lineage: (id) => readLineage(reader.db, id),
    setTitle: (id, title, from) => writer.write((db) => setTitle(db, { id, title: cleanTitle(title), from })),
    end: (id, reason) => setEnd(writer, id, { ended_at: clock.now(), end_reason: reason }),
    reopen: (id) => reopen(writer, id),
    delete: (ids) => deleteSessions(writer, ids, clock.now()),
    restore: (ids) => restoreSessions(writer, ids),
    purge: (olderThan) => purgeSessions(deps, olderThan),
    discardEmpty: (id) => discardEmptySession(writer, id),
    stats: () => worker.stats("all"),
  };
};

const readPrompt = async (db: Queries, id: SessionId): Promise<Redacted<string>> => {
  const row = await db
    .selectFrom("sessions")
    .innerJoin("session_prompts", "session_prompts.session", "sessions.n")
    .select("session_prompts.text")
    .where("sessions.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw storeErrors.noSession({ session: id });
  // Only `create` and `rotate` write it, and they take nothing else.
  return row.text as Redacted<string>;
};

/** Newest first by activity; among equals the one that was made later. */
export const listSessions = async (db: Queries, filter: SessionFilter): Promise<readonly SessionRecord[]> => {
  const { source, listed, deleted, activeBefore, limit, offset } = filter;
  const rows = await db
    .selectFrom("sessions")
    .selectAll()
    .$if(deleted !== true, (select) => select.where("deleted_at", "is", null))
    .$if(deleted === true, (select) => select.where("deleted_at", ">", BEING_REMOVED))
    .$if(source !== undefined, (select) => select.where("source", "=", source ?? ""))
    .$if(listed === true, (select) => select.where("source", "not in", HIDDEN_SOURCES).where("message_count", ">", 0))
    .$if(activeBefore !== undefined, (select) => select.where("active_at", "<", activeBefore ?? 0))
    .orderBy("active_at", "desc")
    .orderBy("n", "desc")
    .limit(limit ?? -1)
    .offset(offset ?? 0)
    .execute();
  return rows.map(toSessionRecord);
};

interface TitleRequest {
  readonly id: SessionId;
  /** Cleaned. */
  readonly title: string;
  readonly from: "user" | "auto";
}

type TitleOutcome = Awaited<ReturnType<SessionStore["setTitle"]>>;

const setTitle = async (db: Queries, { id, title, from }: TitleRequest): Promise<TitleOutcome> => {
  const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw storeErrors.noSession({ session: id });
  if (from === "auto" && row.title_from === "user") return { kind: "kept", title: row.title ?? "" };
  if (from === "auto") return writeTitle(db, row, { title: await freeTitle(db, title, row.n), from });
  const owner = await titleOwner(db, title, row.n);
  if (owner !== undefined) return { kind: "taken", by: owner.id as SessionId };
  return writeTitle(db, row, { title, from });
};

const writeTitle = async (
  db: Queries,
  row: SessionTable,
  { title, from }: Pick<TitleRequest, "title" | "from">,
): Promise<TitleOutcome> => {
  await db.updateTable("sessions").set({ title, title_from: from }).where("n", "=", row.n).execute();
  return { kind: "set", title };
};

/** Whoever goes on in a session goes on with its conversation. */
const reopen = (writer: Writer, id: SessionId): Promise<void> =>
  writer.write(async (db) => {
    const open = { ended_at: null, end_reason: null };
    const row = await db.updateTable("sessions").set(open).where("id", "=", id).returningAll().executeTakeFirst();
    if (row === undefined) throw storeErrors.noSession({ session: id });
    await pointConversation(db, row);
  });

const setEnd = (
  writer: Writer,
  id: SessionId,
  end: { readonly ended_at: number | null; readonly end_reason: EndReason | null },
): Promise<void> =>
  writer.write(async (db) => {
    const { numUpdatedRows } = await db.updateTable("sessions").set(end).where("id", "=", id).executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw storeErrors.noSession({ session: id });
  });
