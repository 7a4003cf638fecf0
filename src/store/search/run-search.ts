import type { ConversationKey, MessageId, SessionId } from "../../base/ids.ts";
import { SEARCH_EXPLANATIONS } from "../errors.ts";
import { decodeBody, searchableText } from "../message-row.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { SearchHit, SearchQuery } from "../store.ts";
import { createHaystack, createNeedles } from "./needles.ts";
import type { Needle } from "./needles.ts";
import { parseQuery } from "./parse-query.ts";
import { readScope } from "./search-scope.ts";
import { selectKeys } from "./select-keys.ts";
import { createSnippet } from "./snippet.ts";

/** What a search answers. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Why the query can find nothing. */
  readonly explanation?: string;
}

/** Searches the messages of sessions that are not deleted; newest first unless told otherwise. No text is a wrong query. */
export const runSearch = async (db: Queries, query: SearchQuery): Promise<SearchAnswer> => {
  const parsed = parseQuery(query.text);
  if (parsed.kind === "empty") return { hits: [], explanation: SEARCH_EXPLANATIONS[parsed.reason] };
  const scope = await readScope(db, query);
  if (scope === undefined) return { hits: [] };
  const needles = createNeedles(parsed.arms);
  const keys = await selectKeys(db, { query, arms: parsed.arms, scope, needles });
  return { hits: await readHits(db, keys, needles) };
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
    .select(["sessions.id as session_id", "title", "source", "conversation", "model", "started_at"])
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
        sessionStartedAt: row.started_at,
        conversation: row.conversation as ConversationKey,
        source: row.source,
        model: row.model,
      },
    ];
  });
};
