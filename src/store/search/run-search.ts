import { sql } from "kysely";
import type { MessageId, SessionId } from "../../base/ids.ts";
import { SEARCH_EXPLANATIONS } from "../errors.ts";
import { firstMessageKey, lastMessageKey } from "../message-key.ts";
import { decodeBody, searchableText } from "../message-row.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { SearchHit, SearchQuery } from "../store.ts";
import { ftsExpression } from "./fts-expression.ts";
import { createHaystack, createNeedles } from "./needles.ts";
import type { Needle } from "./needles.ts";
import { parseQuery } from "./parse-query.ts";
import { rankCandidates } from "./rank.ts";
import type { Candidate } from "./rank.ts";
import { createSnippet } from "./snippet.ts";

/** What a search answers. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Why the query can find nothing. */
  readonly explanation?: string;
}

/** Hits that are ranked (decision 4), and the most text that is read for it; older hits follow unranked. */
const RANKED_HITS = 2_000;
const RANKED_LENGTH = 4 * 1_024 * 1_024;
const RANKED_PAGE = 500;
/** A longer message is judged by its beginning, as it is stored. */
const LONGEST_JUDGED = 16 * 1_024;

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
  readonly needles: readonly Needle[];
}

/** The keys of the messages to show, in the order to show them. */
const selectKeys = async (db: Queries, selection: Selection): Promise<readonly number[]> => {
  const limit = Math.max(0, Math.trunc(selection.query.limit));
  const match = await matching(db, selection);
  if (selection.query.sort !== "rank") return keysOf(await match.select("messages.n").limit(limit).execute());
  const candidates = await readCandidates(match);
  const ranked = rankCandidates(candidates, selection.needles);
  const last = candidates.at(-1);
  if (ranked.length >= limit || last === undefined) return ranked.slice(0, limit);
  const older = match.select("messages.n").where("message_text.rowid", "<", last.n);
  return [...ranked, ...keysOf(await older.limit(limit - ranked.length).execute())];
};

const keysOf = (rows: readonly { readonly n: number }[]): readonly number[] => rows.map((row) => row.n);

/** The newest hits with their texts, in pages, so that long messages do not make a search long. */
const readCandidates = async (match: Awaited<ReturnType<typeof matching>>): Promise<readonly Candidate[]> => {
  const candidates: Candidate[] = [];
  let length = 0;
  while (candidates.length < RANKED_HITS && length < RANKED_LENGTH) {
    const page = await match
      .select(["messages.n", sql<string>`substr(messages.body, 1, ${sql.lit(LONGEST_JUDGED)})`.as("body")])
      .where("message_text.rowid", "<", candidates.at(-1)?.n ?? Number.MAX_SAFE_INTEGER)
      .limit(RANKED_PAGE)
      .execute();
    for (const { n, body } of page) {
      candidates.push({ n, text: body.length < LONGEST_JUDGED ? searchableText(decodeBody(body)) : body });
      length += body.length;
    }
    if (page.length < RANKED_PAGE) break;
  }
  return candidates;
};

/** The filters stand in the statement, so the limit counts only what passes them. */
const matching = async (db: Queries, { query, match }: Selection) => {
  const { roles, session, source, from, to, sort } = query;
  const keys = session === undefined ? undefined : await keysOfSession(db, session);
  const lowest = Math.max(keys?.first ?? 0, from === undefined ? 0 : firstMessageKey(from));
  // CROSS JOIN keeps SQLite to this order: the index first, read from its newest or oldest end until the limit is reached.
  return db
    .selectFrom("message_text")
    .crossJoin("messages")
    .crossJoin("sessions")
    .where("message_text.message_text", "match", match)
    .whereRef("messages.n", "=", "message_text.rowid")
    .whereRef("sessions.n", "=", "messages.session")
    .where("sessions.deleted_at", "is", null)
    .$if(to !== undefined, (select) => select.where("message_text.rowid", "<=", lastMessageKey(to ?? 0)))
    .$if(lowest > 0, (select) => select.where("message_text.rowid", ">=", lowest))
    .$if(keys !== undefined, (select) =>
      select.where("message_text.rowid", "<=", keys?.last ?? -1).where("messages.session", "=", keys?.session ?? -1),
    )
    .$if(roles !== undefined, (select) => select.where("messages.role", "in", roles ?? []))
    .$if(source !== undefined, (select) => select.where("sessions.source", "=", source ?? ""))
    .$if(from !== undefined, (select) => select.where("messages.created_at", ">=", from ?? 0))
    .$if(to !== undefined, (select) => select.where("messages.created_at", "<=", to ?? 0))
    .orderBy("message_text.rowid", sort === "oldest" ? "asc" : "desc");
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

const readHits = async (
  db: Queries,
  keys: readonly number[],
  needles: readonly Needle[],
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
        snippet: createSnippet(createHaystack(searchableText(decodeBody(row.body))), needles),
        sessionTitle: row.title,
        source: row.source,
      },
    ];
  });
};
