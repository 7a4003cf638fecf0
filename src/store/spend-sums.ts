import { sql, type RawBuilder } from "kysely";
import { toDollars } from "../llm/spend/amounts.ts";
import type { Insights, InsightsRange, SpendScope, SpendSum } from "../llm/spend/spend-book.ts";
import type { Queries } from "./sqlite/queries.ts";

const COUNTS = [
  "calls",
  "uncounted",
  "unpriced",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "cost_micros",
  "held_tokens",
  "held_micros",
] as const;

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

const ZERO = Object.fromEntries(COUNTS.map((column) => [column, 0])) as Counts;

const SUMS = COUNTS.map((column) => sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as(column));

/** The rows that a scope adds up. A session is named by the first of its line (`rootOf`). */
const rowsIn = ({ period, key }: SpendScope): RawBuilder<unknown> => {
  switch (period) {
    case "day":
      return sql`spend_days WHERE day = ${key}`;
    case "month":
      return sql`spend_months WHERE month = ${key}`;
    case "session":
      return sql`spend WHERE root = ${key}`;
    case "job":
      return sql`spend WHERE job = ${key}`;
  }
};

/** What caps count in a scope. */
export const heldIn = async (
  db: Queries,
  scope: SpendScope,
): Promise<{ readonly tokens: number; readonly micros: number }> => {
  const { rows } = await sql<{ tokens: number; micros: number }>`
    SELECT coalesce(sum(held_tokens), 0) AS tokens, coalesce(sum(held_micros), 0) AS micros FROM ${rowsIn(scope)}
  `.execute(db);
  return rows[0] ?? { tokens: 0, micros: 0 };
};

/** All that was spent in a scope. */
export const sumOf = async (db: Queries, scope: SpendScope): Promise<SpendSum> => {
  const { rows } = await sql<Counts>`SELECT ${sql.join(SUMS)} FROM ${rowsIn(scope)}`.execute(db);
  return toSum(rows[0] ?? ZERO);
};

/** The first session of the line that a session continues. One that is not in the store (any more) is its own line. */
export const rootOf = async (db: Queries, session: string): Promise<string> => {
  const row = await db.selectFrom("session_roots").select("root").where("id", "=", session).executeTakeFirst();
  return row?.root ?? session;
};

/** What was spent on some days, from the sums of days and months. */
export const readInsights = async (db: Queries, range: InsightsRange): Promise<Insights> => {
  const from = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
    range.source === undefined ? rows : sql`${rows} AND source = ${range.source}`;
  const columns = sql.join(COUNTS.map((column) => sql.ref(column)));
  const parts = partsOf(range).map((rows) => sql`SELECT source, provider, model, ${columns} FROM ${from(rows)}`);
  const { rows: groups } = await sql<Counts & { source: string; provider: string; model: string }>`
    SELECT source, provider, model, ${sql.join(SUMS)} FROM (${sql.join(parts, sql` UNION ALL `)})
    GROUP BY source, provider, model HAVING sum(calls) > 0
  `.execute(db);
  const { rows: days } = await sql<Counts & { day: string }>`
    SELECT day, ${sql.join(SUMS)} FROM ${from(daysBetween(range.from, range.to))} GROUP BY day HAVING sum(calls) > 0 ORDER BY day
  `.execute(db);
  return {
    total: toSum(addUp(groups)),
    byModel: sorted(grouped(groups, ({ provider, model }) => ({ provider, model }))),
    bySource: sorted(grouped(groups, ({ source }) => ({ source }))),
    byDay: days.map((row) => ({ day: row.day, ...toSum(row) })),
  };
};

const daysBetween = (from: string, to: string): RawBuilder<unknown> =>
  sql`spend_days WHERE day BETWEEN ${from} AND ${to}`;

/** Whole months are read from their sums: a year by the day would be a hundred thousand numbers to sort. */
const partsOf = ({ from, to }: InsightsRange): readonly RawBuilder<unknown>[] => {
  const [first, last] = [from.slice(0, 7), to.slice(0, 7)];
  if (first >= last) return [daysBetween(from, to)];
  return [
    daysBetween(from, `${first}-31`),
    sql`spend_months WHERE month > ${first} AND month < ${last}`,
    daysBetween(`${last}-01`, to),
  ];
};

const addUp = (rows: readonly Counts[]): Counts =>
  rows.reduce<Counts>(
    (sum, row) => Object.fromEntries(COUNTS.map((column) => [column, sum[column] + row[column]])) as Counts,
    ZERO,
  );

const grouped = <Row extends Counts, Key extends Readonly<Record<string, string>>>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): readonly (SpendSum & Key)[] =>
  [...Map.groupBy(rows, (row) => JSON.stringify(keyOf(row))).values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ ...toSum(addUp(group)), ...keyOf(first) })),
  );

/** The most expensive first, then by tokens: where no price is known, these tell. */
const sorted = <Sum extends SpendSum>(sums: readonly Sum[]): readonly Sum[] =>
  sums.toSorted((a, b) => b.costUsd - a.costUsd || b.heldTokens - a.heldTokens);

const toSum = (row: Counts): SpendSum => ({
  calls: row.calls,
  uncounted: row.uncounted,
  unpriced: row.unpriced,
  usage: {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
  },
  costUsd: toDollars(row.cost_micros),
  heldTokens: row.held_tokens,
  heldUsd: toDollars(row.held_micros),
});
