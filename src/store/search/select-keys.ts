import { sql } from "kysely";
import { decodeBody, searchableText } from "../message-row.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { SearchQuery } from "../store.ts";
import { ftsExpression } from "./fts-expression.ts";
import { sessionTag } from "./index-tags.ts";
import type { Needle } from "./needles.ts";
import type { Arm } from "./parse-query.ts";
import { rankCandidates } from "./rank.ts";
import { MOST_SESSION_TAGS, sessionsOf } from "./search-scope.ts";
import type { SearchScope } from "./search-scope.ts";

/** A query, read and with its filters looked up. */
export interface Selection {
  readonly query: SearchQuery;
  readonly arms: readonly Arm[];
  readonly scope: SearchScope;
  readonly needles: readonly Needle[];
}

/** Hits that are ranked (decision 4); older hits follow unranked. */
const RANKED_HITS = 1_000;
/** A longer message is judged by its beginning, as it is stored. */
const LONGEST_JUDGED = 4 * 1_024;

/** Rows that are looked at in one statement, and statements for one search, where hits of one conversation are counted. */
const PAGE = 200;
const MOST_PAGES = 12;

/** The keys of the messages to show, in the order to show them. */
export const selectKeys = async (db: Queries, selection: Selection): Promise<readonly number[]> => {
  const choice = createChoice(selection.query);
  let last: number | undefined;
  if (selection.query.sort === "rank") {
    const candidates = await readCandidates(db, selection);
    for (const row of rankCandidates(candidates, selection.needles)) choice.offer(row);
    last = candidates.at(-1)?.n;
    if (last === undefined) return [];
  }
  const size = selection.query.perConversation === undefined ? choice.missing() : PAGE;
  for (let page = 0; choice.missing() > 0 && page < MOST_PAGES; page += 1) {
    const left = matching(db, selection, { after: last, without: await tagsOf(db, choice.exhausted()) });
    const rows = await left.select(ROW).limit(size).execute();
    for (const row of rows) choice.offer(row);
    last = rows.at(-1)?.n;
    if (rows.length < size) break;
  }
  return choice.keys();
};

const ROW = ["messages.n", "messages.role", "messages.created_at", "sessions.n as session", "conversation"] as const;

interface Row {
  readonly n: number;
  readonly role: string;
  readonly created_at: number;
  readonly session: number;
  readonly conversation: string;
}

/** Takes rows in their order until there are enough. */
interface Choice {
  offer(row: Row): void;
  missing(): number;
  keys(): readonly number[];
  /** Conversations of which no more is taken. */
  exhausted(): readonly string[];
}

const createChoice = ({ limit, perConversation }: SearchQuery): Choice => {
  const most = Math.max(0, Math.trunc(limit));
  const keys: number[] = [];
  const counts = new Map<string, number>();
  const places = new Map<string, number>();
  const accepts = ({ conversation, created_at: at, role, session }: Row): boolean => {
    if (perConversation === undefined) return true;
    const count = counts.get(conversation) ?? 0;
    if (count >= perConversation) return false;
    // The same moment in another session of the conversation is a copy.
    const place = `${at} ${role} ${conversation}`;
    if ((places.get(place) ?? session) !== session) return false;
    places.set(place, session);
    counts.set(conversation, count + 1);
    return true;
  };
  return {
    offer: (row) => {
      if (keys.length < most && accepts(row)) keys.push(row.n);
    },
    missing: () => most - keys.length,
    keys: () => keys,
    exhausted: () =>
      [...counts].flatMap(([conversation, count]) => (count >= (perConversation ?? Infinity) ? [conversation] : [])),
  };
};

const tagsOf = async (db: Queries, conversations: readonly string[]): Promise<readonly string[]> =>
  conversations.length === 0 ? [] : (await sessionsOf(db, conversations)).slice(0, MOST_SESSION_TAGS).map(sessionTag);

/** The newest hits with their texts. */
const readCandidates = async (db: Queries, selection: Selection): Promise<readonly (Row & { text: string })[]> => {
  const rows = await matching(db, selection, { after: undefined, without: [] })
    .select([...ROW, sql<string>`substr(messages.body, 1, ${sql.lit(LONGEST_JUDGED)})`.as("body")])
    .limit(RANKED_HITS)
    .execute();
  return rows.map(({ body, ...row }) => ({
    ...row,
    text: body.length < LONGEST_JUDGED ? searchableText(decodeBody(body)) : body,
  }));
};

interface Rest {
  /** The key of the last hit that was read; undefined = none was. */
  readonly after: number | undefined;
  /** Tags of sessions that are left out. */
  readonly without: readonly string[];
}

/** The filters stand in the statement, so the limit counts only what passes them. */
const matching = (db: Queries, { query, arms, scope }: Selection, { after, without }: Rest) => {
  const { from, to, conversation, sort } = query;
  const { lowest, highest, earlier, tags } = scope;
  const match = ftsExpression(arms, { oneOf: tags.oneOf, none: [...tags.none, ...without] });
  const isOldestFirst = sort === "oldest";
  // CROSS JOIN keeps SQLite to this order: the index first, read from its newest or oldest end until the limit is reached.
  return db
    .selectFrom("message_text")
    .crossJoin("messages")
    .crossJoin("sessions")
    .where("message_text.message_text", "match", match)
    .whereRef("messages.n", "=", "message_text.rowid")
    .whereRef("sessions.n", "=", "messages.session")
    .where("sessions.deleted_at", "is", null)
    .$if(lowest !== undefined, (select) => select.where("message_text.rowid", ">=", integer(lowest)))
    .$if(highest !== undefined, (select) => select.where("message_text.rowid", "<=", integer(highest)))
    .$if(after !== undefined, (select) => select.where("message_text.rowid", isOldestFirst ? ">" : "<", integer(after)))
    .$if(conversation !== undefined, (select) => select.where("conversation", "=", conversation ?? ""))
    .$if(from !== undefined, (select) => select.where("messages.created_at", ">=", from ?? 0))
    .$if(to !== undefined, (select) => select.where("messages.created_at", "<=", to ?? 0))
    .$if(earlier !== undefined, (select) =>
      select.where((eb) =>
        eb.or([
          eb("conversation", "!=", earlier?.conversation ?? ""),
          eb("messages.created_at", "<", earlier?.before ?? 0),
        ]),
      ),
    )
    .orderBy("message_text.rowid", isOldestFirst ? "asc" : "desc");
};

/** Numbers are bound as REAL, and FTS5 begins to read at a bound only if it is an INTEGER; otherwise it reads up to it. */
const integer = (value: number | undefined) => sql<number>`cast(${value ?? 0} as integer)`;
