import { sql } from "kysely";
import type { MessageId, SessionId } from "../../base/ids.ts";
import { SEARCH_EXPLANATIONS } from "../errors.ts";
import { firstMessageKey } from "../message-key.ts";
import { decodeRow, searchableText } from "../message-row.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { SearchHit, SearchQuery } from "../store.ts";
import { ftsExpression } from "./fts-expression.ts";
import { createHaystack, createNeedles } from "./needles.ts";
import { parseQuery } from "./parse-query.ts";
import { rankCandidates } from "./rank.ts";
import { createSnippet } from "./snippet.ts";

/** What a search answers. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Why the query can find nothing. */
  readonly explanation?: string;
}

/** Hits that are ranked (decision 4), and the most bytes of messages that are read for it; older hits follow unranked. */
const RANKED_HITS = 2_000;
const RANKED_BYTES = 4 * 1_024 * 1_024;

/** Searches the messages of sessions that are not deleted; newest first unless told otherwise. No text is a wrong query. */
export const runSearch = async (db: Queries, query: SearchQuery): Promise<SearchAnswer> => {
  const parsed = parseQuery(query.text);
  if (parsed.kind === "empty") return { hits: [], explanation: SEARCH_EXPLANATIONS[parsed.reason] };
  const needles = createNeedles(parsed.arms);
  const keys = await selectKeys(db, { query, match: ftsExpression(parsed.arms), needles });
  return { hits: await readHits(db, keys, needles) };
};

interface Selection {
  readonly query: SearchQuery;
  /** The query in FTS5's language. */
  readonly match: string;
  readonly needles: readonly RegExp[];
}

/** The keys of the messages to show, in the order to show them. */
const selectKeys = async (db: Queries, selection: Selection): Promise<readonly number[]> => {
  const limit = Math.max(0, Math.trunc(selection.query.limit));
  if (selection.query.sort !== "rank") return (await matching(db, selection, limit)).map(({ n }) => n);
  const found = await matching(db, selection, Math.max(limit, RANKED_HITS));
  let bytes = 0;
  const ranked = found.slice(0, RANKED_HITS).filter((row) => (bytes += row.bytes) <= RANKED_BYTES);
  const texts = await readTexts(
    db,
    ranked.map(({ n }) => n),
  );
  const order = rankCandidates(texts, selection.needles);
  const others = found.map(({ n }) => n).filter((n) => !order.includes(n));
  return [...order, ...others].slice(0, limit);
};

/** The filters stand in the statement, so the limit counts only what passes them. */
const matching = async (
  db: Queries,
  { query, match }: Selection,
  limit: number,
): Promise<readonly { readonly n: number; readonly bytes: number }[]> => {
  const { roles, session, source, from, to, sort } = query;
  const keys = session === undefined ? undefined : await keysOfSession(db, session);
  const lowest = Math.max(keys?.first ?? 0, from === undefined ? 0 : firstMessageKey(from));
  // CROSS JOIN keeps SQLite to this order: the index first, read from its newest or oldest end until the limit is reached.
  return db
    .selectFrom("message_text")
    .crossJoin("messages")
    .crossJoin("sessions")
    .select(["messages.n", sql<number>`octet_length(messages.body)`.as("bytes")])
    .where("message_text.message_text", "match", match)
    .whereRef("messages.n", "=", "message_text.rowid")
    .whereRef("sessions.n", "=", "messages.session")
    .where("sessions.deleted_at", "is", null)
    .$if(lowest > 0, (select) => select.where("message_text.rowid", ">=", lowest))
    .$if(keys !== undefined, (select) =>
      select.where("message_text.rowid", "<=", keys?.last ?? -1).where("messages.session", "=", keys?.session ?? -1),
    )
    .$if(roles !== undefined, (select) => select.where("messages.role", "in", roles ?? []))
    .$if(source !== undefined, (select) => select.where("sessions.source", "=", source ?? ""))
    .$if(from !== undefined, (select) => select.where("messages.created_at", ">=", from ?? 0))
    .$if(to !== undefined, (select) => select.where("messages.created_at", "<=", to ?? 0))
    .orderBy("message_text.rowid", sort === "oldest" ? "asc" : "desc")
    .limit(limit)
    .execute();
};

interface SessionKeys {
  readonly session: number;
  readonly first: number;
  readonly last: number;
}

/** The stretch of the index in which a session's messages lie: all others need not be read. */
const keysOfSession = async (db: Queries, id: SessionId): Promise<SessionKeys> => {
  const row = await db
    .selectFrom("sessions")
    .innerJoin("messages", "messages.session", "sessions.n")
    .select((eb) => ["sessions.n as session", eb.fn.min("messages.n").as("first"), eb.fn.max("messages.n").as("last")])
    .where("sessions.id", "=", id)
    .groupBy("sessions.n")
    .executeTakeFirst();
  return row ?? { session: -1, first: 0, last: -1 };
};

const readTexts = async (
  db: Queries,
  keys: readonly number[],
): Promise<readonly { readonly n: number; readonly text: string }[]> => {
  const rows = await db
    .selectFrom("messages")
    .select(["n", "id", "seq", "created_at", "body"])
    .where("n", "in", keys)
    .orderBy("n", "desc")
    .execute();
  return rows.map((row) => ({ n: row.n, text: searchableText(decodeRow(row)) }));
};

const readHits = async (
  db: Queries,
  keys: readonly number[],
  needles: readonly RegExp[],
): Promise<readonly SearchHit[]> => {
  const rows = await db
    .selectFrom("messages")
    .innerJoin("sessions", "sessions.n", "messages.session")
    .selectAll("messages")
    .select(["sessions.id as session_id", "sessions.title", "sessions.source"])
    .where("messages.n", "in", keys)
    .execute();
  const byKey = new Map(rows.map((row) => [row.n, row]));
  return keys.flatMap((key) => {
    const row = byKey.get(key);
    if (row === undefined) return [];
    return [
      {
        messageId: row.id as MessageId,
        session: row.session_id as SessionId,
        seq: row.seq,
        role: row.role,
        createdAt: row.created_at,
        snippet: createSnippet(createHaystack(searchableText(decodeRow(row))), needles),
        sessionTitle: row.title,
        source: row.source,
      },
    ];
  });
};
