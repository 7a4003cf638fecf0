import { firstMessageKey, lastMessageKey } from "../message-key.ts";
import { HIDDEN_SOURCES } from "../session-row.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { SearchQuery } from "../store.ts";
import type { TagFilter } from "./fts-expression.ts";
import { roleTag, sessionTag, sourceTag } from "./index-tags.ts";

/** Among which messages a query looks. */
export interface SearchScope {
  readonly tags: TagFilter;
  /** Keys (`messages.n`) outside of these need not be read; undefined = no bound. */
  readonly lowest: number | undefined;
  readonly highest: number | undefined;
  /** Of this conversation only what was said before (ms UTC). */
  readonly earlier: { readonly conversation: string; readonly before: number } | undefined;
}

/** More sessions than this are not named to the index: the rows themselves are asked. */
export const MOST_SESSION_TAGS = 100;

/** What the filters of a query come to; undefined = no message can pass them. */
export const readScope = async (db: Queries, query: SearchQuery): Promise<SearchScope | undefined> => {
  const { roles, session, conversation, source, from, to, listed, besides } = query;
  const asked = session === undefined ? undefined : await sessionOf(db, session);
  const sessions = conversation === undefined ? undefined : await sessionsOf(db, [conversation]);
  const own = besides === undefined ? undefined : await sessionOf(db, besides);
  if (roles?.length === 0 || sessions?.length === 0 || (session !== undefined && asked === undefined)) return undefined;
  const hidden = listed === true && source === undefined ? HIDDEN_SOURCES : [];
  const oneOf = [
    roles?.map(roleTag),
    source === undefined ? undefined : [sourceTag(source)],
    asked === undefined ? undefined : [sessionTag(asked.n)],
    sessions === undefined || sessions.length > MOST_SESSION_TAGS ? undefined : sessions.map(sessionTag),
  ];
  return {
    tags: {
      oneOf: oneOf.filter((tags) => tags !== undefined),
      none: [...hidden.map(sourceTag), ...(own === undefined ? [] : [sessionTag(own.n)])],
    },
    lowest: from === undefined ? undefined : firstMessageKey(from),
    highest: to === undefined ? undefined : lastMessageKey(to),
    earlier: own === undefined ? undefined : { conversation: own.conversation, before: await beginningOf(db, own.n) },
  };
};

const sessionOf = (
  db: Queries,
  id: string,
): Promise<{ readonly n: number; readonly conversation: string } | undefined> =>
  db.selectFrom("sessions").select(["n", "conversation"]).where("id", "=", id).executeTakeFirst();

/** The numbers of the sessions of conversations. */
export const sessionsOf = async (db: Queries, conversations: readonly string[]): Promise<readonly number[]> => {
  const rows = await db.selectFrom("sessions").select("n").where("conversation", "in", conversations).execute();
  return rows.map(({ n }) => n);
};

/** A session that goes on from others begins with a summary, then with messages that keep their times. */
const COPIES_BEGIN_WITHIN = 5;

/** The time of the oldest message that a session holds. */
const beginningOf = async (db: Queries, session: number): Promise<number> => {
  const rows = await db
    .selectFrom("messages")
    .select("created_at")
    .where("session", "=", session)
    .where("seq", "<=", COPIES_BEGIN_WITHIN)
    .execute();
  return Math.min(...rows.map((row) => row.created_at), Number.MAX_SAFE_INTEGER);
};
