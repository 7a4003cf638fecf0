import { sql } from "kysely";
import { readPage } from "../messages.ts";
import { runSearch } from "../search/run-search.ts";
import { usageOf } from "../session-row.ts";
import { listSessions } from "../sessions.ts";
import type { Queries } from "../sqlite/queries.ts";
import type { SessionStats } from "../store.ts";
import type { WorkerQueries } from "./protocol.ts";

/** Messages that go over to the main thread at once. */
const PAGE = 250;

/** The long queries over one connection. */
export const createWorkerQueries = (db: Queries): WorkerQueries => ({
  search: (query) => runSearch(db, query),
  list: (filter) => listSessions(db, filter),
  stats: () => readStats(db),
  messagePage: async ({ session, after }) => {
    const row = await db.selectFrom("sessions").select("n").where("id", "=", session).executeTakeFirst();
    return row === undefined ? [] : readPage(db, { session: row.n, after, limit: PAGE });
  },
  removable: async (olderThan) => {
    const rows = await db.selectFrom("sessions").select("n").where("deleted_at", "<", olderThan).orderBy("n").execute();
    return rows.map((row) => row.n);
  },
  unusedBlobs: async (hashes) => {
    const rows = await db.selectFrom("message_blobs").select("hash").distinct().where("hash", "in", hashes).execute();
    const used = new Set(rows.map((row) => row.hash));
    return hashes.filter((hash) => !used.has(hash));
  },
});

const readStats = async (db: Queries): Promise<SessionStats> => {
  const counted = db.selectFrom("sessions").where("deleted_at", "is", null);
  const totals = await counted
    .select((eb) => [
      eb.fn.countAll<number>().as("sessions"),
      eb.fn.coalesce(eb.fn.sum<number>("message_count"), eb.lit(0)).as("messages"),
      eb.fn.coalesce(eb.fn.sum<number>("tool_call_count"), eb.lit(0)).as("tool_calls"),
      eb.fn.sum<number | null>("input_tokens").as("input_tokens"),
      eb.fn.sum<number | null>("output_tokens").as("output_tokens"),
      eb.fn.sum<number | null>("cache_read_tokens").as("cache_read_tokens"),
      eb.fn.sum<number | null>("cache_write_tokens").as("cache_write_tokens"),
      eb.fn.sum<number | null>("reasoning_tokens").as("reasoning_tokens"),
      eb.fn.coalesce(eb.fn.sum<number>("cost_usd"), eb.lit(0)).as("known_cost"),
      sql<number>`count(*) - count(cost_usd)`.as("unknown_costs"),
    ])
    .executeTakeFirstOrThrow();
  const bySource = await counted
    .select((eb) => [
      "source",
      eb.fn.countAll<number>().as("sessions"),
      eb.fn.sum<number>("message_count").as("messages"),
    ])
    .groupBy("source")
    .orderBy("sessions", "desc")
    .orderBy("source")
    .execute();
  return {
    sessions: totals.sessions,
    messages: totals.messages,
    toolCalls: totals.tool_calls,
    usage: usageOf(totals),
    costUsd: totals.unknown_costs > 0 ? null : totals.known_cost,
    databaseBytes: await databaseBytes(db),
    bySource,
  };
};

const databaseBytes = async (db: Queries): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`
    SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()
  `.execute(db);
  return rows[0]?.bytes ?? 0;
};
