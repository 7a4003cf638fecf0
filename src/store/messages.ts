import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { MessageId, SessionId } from "../base/ids.ts";
import type { Message } from "../llm/message.ts";
import { storeErrors } from "./errors.ts";
import { nextMessageKey } from "./message-key.ts";
import { blobHashesOf, decodeRow, encodeBody, searchableText } from "./message-row.ts";
import type { BodyRow } from "./message-row.ts";
import { indexTags } from "./search/index-tags.ts";
import { indexText } from "./search/index-text.ts";
import { BEING_REMOVED, addCall } from "./session-row.ts";
import { nextTurn } from "../base/event-loop-turn.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { MessageStore, StoredMessage } from "./store.ts";
import type { SessionTable } from "./tables.ts";
import type { QueryWorker } from "./worker/query-worker.ts";

/** What the message store is made of. */
export interface MessageDeps {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly worker: QueryWorker;
  readonly clock: Clock;
}

/** Rows that are read, or copied, in one turn of the event loop. */
const LOAD_PAGE = 250;
const COPY_PAGE = 100;

/** The messages of all sessions. */
export const createMessageStore = (deps: MessageDeps): MessageStore => ({
  append: async (session, message, options) => {
    const prepared = prepare(message);
    return deps.writer.write(async (db) => {
      const row = await findSession(db, session);
      const held = await db.selectFrom("leases").select("token").where("session", "=", row.n).executeTakeFirst();
      if (held?.token !== options.lease.token) throw storeErrors.leaseLost({ session });
      const now = deps.clock.now();
      const seq = row.message_count + 1;
      const { id } = await insertMessage(db, { ...prepared, session: row.n, source: row.source, seq, createdAt: now });
      const counters = { ...countOf(row, [message]), ...addCall(row, options.call), active_at: now };
      await db.updateTable("sessions").set(counters).where("n", "=", row.n).execute();
      return { id, seq, createdAt: now };
    });
  },
  load: (session) => loadMessages(deps.reader.db, session),
  stream: (session) => streamMessages(deps.worker, session),
  range: (session, from, to) => readRange(deps.reader.db, { session, from, to }),
  copy: (from, to, throughSeq) => copyMessages(deps, { from, to, throughSeq }),
});

/** A message as it goes into the tables; made before the transaction begins, which it would only lengthen. */
interface PreparedMessage {
  readonly message: Message;
  readonly body: string;
  readonly words: string;
  readonly cjk: string;
  readonly blobs: readonly string[];
}

const prepare = (message: Message): PreparedMessage => ({
  message,
  body: encodeBody(message),
  ...indexText(searchableText(message)),
  blobs: blobHashesOf(message),
});

const insertMessage = async (
  db: Queries,
  entry: PreparedMessage & {
    readonly session: number;
    /** The session's. */
    readonly source: string;
    readonly seq: number;
    readonly createdAt: number;
    readonly after?: number;
  },
): Promise<{ readonly id: MessageId; readonly n: number }> => {
  const n = await nextMessageKey(db, entry);
  const id = newId("msg", entry.createdAt);
  const { session, source, seq, body, words, cjk } = entry;
  await db
    .insertInto("messages")
    .values({ n, session, seq, id, role: entry.message.role, created_at: entry.createdAt, body })
    .execute();
  if (words !== "" || cjk !== "") {
    const tags = indexTags({ role: entry.message.role, source, session: Math.abs(session) });
    await db.insertInto("message_text").values({ rowid: n, words, cjk, tags }).execute();
  }
  if (entry.blobs.length > 0) {
    await db
      .insertInto("message_blobs")
      .values(entry.blobs.map((hash) => ({ message: n, hash })))
      .execute();
  }
  return { id, n };
};

const findSession = async (db: Queries, id: SessionId): Promise<SessionTable> => {
  const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined || row.deleted_at === BEING_REMOVED) throw storeErrors.noSession({ session: id });
  return row;
};

const countOf = (row: SessionTable, added: readonly Message[]): Partial<SessionTable> => ({
  message_count: row.message_count + added.length,
  tool_call_count:
    row.tool_call_count + added.flatMap((message) => message.parts.filter((part) => part.type === "tool_call")).length,
});

/** In pages with a turn of the event loop between them; messages are only ever added, so pages fit together. */
const loadMessages = async (db: Queries, id: SessionId): Promise<readonly StoredMessage[]> => {
  const session = await db.selectFrom("sessions").select("n").where("id", "=", id).executeTakeFirst();
  if (session === undefined) throw storeErrors.noSession({ session: id });
  const messages: StoredMessage[] = [];
  for (;;) {
    const page = await readPage(db, { session: session.n, after: messages.length, limit: LOAD_PAGE });
    for (const row of page) messages.push(decodeRow(row));
    if (page.length < LOAD_PAGE) return messages;
    await nextTurn();
  }
};

/** Messages of a session after a `seq`, in order. */
export const readPage = (
  db: Queries,
  page: { readonly session: number; readonly after: number; readonly limit: number },
): Promise<BodyRow[]> =>
  db
    .selectFrom("messages")
    .select(["id", "seq", "created_at", "body"])
    .where("session", "=", page.session)
    .where("seq", ">", page.after)
    .orderBy("seq")
    .limit(page.limit)
    .execute();

const readRange = async (
  db: Queries,
  { session, from, to }: { readonly session: SessionId; readonly from: number; readonly to: number },
): Promise<readonly StoredMessage[]> => {
  const row = await db.selectFrom("sessions").select("n").where("id", "=", session).executeTakeFirst();
  if (row === undefined) throw storeErrors.noSession({ session });
  const first = Math.max(1, from);
  const page = { session: row.n, after: first - 1, limit: Math.max(0, to - first + 1) };
  return (await readPage(db, page)).map(decodeRow);
};

async function* streamMessages(worker: QueryWorker, session: SessionId): AsyncGenerator<StoredMessage> {
  let after = 0;
  for (;;) {
    const page = await worker.messagePage({ session, after });
    for (const row of page) yield decodeRow(row);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

interface CopyRequest {
  readonly from: SessionId;
  readonly to: SessionId;
  readonly throughSeq: number;
}

/**
 * Copies in slices, each its own transaction, under the target's negative number; the last transaction puts all of it in place
 * at once. A crash before that leaves the target empty, and the next copy into it begins anew.
 */
const copyMessages = async (deps: MessageDeps, { from, to, throughSeq }: CopyRequest): Promise<number> => {
  const { writer, reader } = deps;
  const source = await findSession(reader.db, from);
  const target = await findSession(reader.db, to);
  if (target.message_count > 0) throw storeErrors.notEmpty({ session: to });
  await removeMessages(writer, -target.n);
  const copied: Message[] = [];
  let key: number | undefined;
  for (;;) {
    const rows = await readPage(reader.db, { session: source.n, after: copied.length, limit: COPY_PAGE });
    const page = rows.filter((row) => row.seq <= throughSeq).map(decodeRow);
    if (page.length > 0) {
      const slice = page.map(({ id: _id, seq: _seq, createdAt, ...message }) => ({ message, createdAt }));
      const place = { session: target.n, firstSeq: copied.length + 1, after: key };
      key = await writer.write((db) => insertApart(db, slice, place));
      copied.push(...page);
    }
    if (page.length < COPY_PAGE) break;
    await nextTurn();
  }
  await writer.write((db) => placeCopies(db, { to, copied }));
  return copied.length;
};

/** Where messages stand that are not in place yet. */
export interface Apart {
  /** `sessions.n` of the session that they are for. */
  readonly session: number;
  /** `seq` of the first of them. */
  readonly firstSeq: number;
  /** The key of the message before them; absent = there is none. */
  readonly after: number | undefined;
}

/** Inserts messages under the session's negative number, where nothing finds them; returns the key of the last. */
export const insertApart = async (
  db: Queries,
  messages: readonly { readonly message: Message; readonly createdAt: number }[],
  { session, firstSeq, after }: Apart,
): Promise<number | undefined> => {
  let last = after;
  const { source } = await db
    .selectFrom("sessions")
    .select("source")
    .where("n", "=", session)
    .executeTakeFirstOrThrow();
  for (const [at, { message, createdAt }] of messages.entries()) {
    const seq = firstSeq + at;
    const place = { session: -session, source, seq, createdAt, ...(last === undefined ? {} : { after: last }) };
    last = (await insertMessage(db, { ...prepare(message), ...place })).n;
  }
  return last;
};

/** Puts what was inserted apart into its session, all at once; returns the session's row as it is then. */
export const placeApart = async (
  db: Queries,
  row: SessionTable,
  messages: readonly Message[],
): Promise<SessionTable> => {
  await db.updateTable("messages").set({ session: row.n }).where("session", "=", -row.n).execute();
  const counters = countOf(row, messages);
  await db.updateTable("sessions").set(counters).where("n", "=", row.n).execute();
  return { ...row, ...counters };
};

const placeCopies = async (
  db: Queries,
  { to, copied }: { readonly to: SessionId; readonly copied: readonly Message[] },
): Promise<void> => {
  const row = await findSession(db, to);
  if (row.message_count > 0) throw storeErrors.notEmpty({ session: to });
  await placeApart(db, row, copied);
};

/** Removes all messages that stand under a session's number, in slices; returns how many. */
export const removeMessages = async (writer: Writer, session: number): Promise<number> => {
  let removed = 0;
  for (;;) {
    const slice = await writer.write(async (db) => {
      const rows = await db
        .selectFrom("messages")
        .select("n")
        .where("session", "=", session)
        .orderBy("seq", "desc")
        .limit(COPY_PAGE)
        .execute();
      const keys = rows.map((row) => row.n);
      if (keys.length === 0) return 0;
      await db.deleteFrom("message_blobs").where("message", "in", keys).execute();
      await db.deleteFrom("message_text").where("rowid", "in", keys).execute();
      await db.deleteFrom("messages").where("n", "in", keys).execute();
      return keys.length;
    });
    removed += slice;
    if (slice < COPY_PAGE) return removed;
    await nextTurn();
  }
};
