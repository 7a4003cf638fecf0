import { sql } from "kysely";
import { CAP_MARKS } from "../llm/spend/spend-ledger.ts";
import type {
  BookAnswer,
  BoundUse,
  SpendBook,
  SpendBound,
  SpendCount,
  SpendEntry,
  SpendScope,
} from "../llm/spend/spend-book.ts";
import { heldIn, readInsights, rootOf, sumOf } from "./spend-sums.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";

// An estimate that a power failure takes back costs nobody an answer, and waiting for the disk would delay every call.
const NOT_WAITED_FOR = { sync: "later" } as const;

/** The table of calls (decision 11). Its sums by day are kept by triggers. */
export const createSpendBook = ({
  writer,
  reader,
}: {
  readonly writer: Writer;
  readonly reader: Reader;
}): SpendBook => ({
  reserve: (entry, bounds) => writer.write((db) => reserve(db, entry, bounds), NOT_WAITED_FOR),
  settle: (id, count) => writer.write((db) => settle(db, id, count), NOT_WAITED_FOR),
  cancel: (id) =>
    writer.write(async (db) => {
      await db.deleteFrom("spend").where("n", "=", id).where("state", "=", "reserved").execute();
    }, NOT_WAITED_FOR),
  sum: async (scope) =>
    sumOf(reader.db, scope.period === "session" ? { ...scope, key: await rootOf(reader.db, scope.key) } : scope),
  insights: (range) => readInsights(reader.db, range),
});

const reserve = async (db: Queries, entry: SpendEntry, bounds: readonly SpendBound[]): Promise<BookAnswer> => {
  const root = entry.session === undefined ? null : await rootOf(db, entry.session);
  const uses: BoundUse[] = [];
  for (const [scope, own] of Map.groupBy(bounds, (bound) => bound.scope)) {
    const held = await heldIn(db, resolved(scope, root));
    uses.push(...own.map((bound) => ({ bound, used: held[bound.unit] })));
  }
  const passed = uses.find(({ bound, used }) => passes(bound, used, entry));
  if (passed !== undefined) return { kind: "refused", at: passed };
  const id = await insertEntry(db, entry, root);
  return {
    kind: "reserved",
    id,
    near: await nearMarks(db, uses, root),
    unpriced: await isNewsUnpriced(db, entry, bounds),
  };
};

/** A dollar cap cannot hold what has no price. */
const passes = ({ unit, cap }: SpendBound, used: number, { tokens, micros }: SpendEntry): boolean => {
  const adds = unit === "micros" ? micros : tokens;
  return adds !== null && used + adds > cap;
};

/** A session's caps hold over the whole line that it continues: neither compression nor `/undo` makes anything unspent. */
const resolved = (scope: SpendScope, root: string | null): SpendScope =>
  scope.period === "session" ? { ...scope, key: root ?? scope.key } : scope;

const insertEntry = async (db: Queries, entry: SpendEntry, root: string | null): Promise<number> => {
  const { n } = await db
    .insertInto("spend")
    .values({
      at: entry.at,
      day: entry.day,
      provider: entry.provider,
      model: entry.model,
      purpose: entry.purpose,
      source: entry.source,
      session: entry.session ?? null,
      root,
      job: entry.job ?? null,
      state: "reserved",
      held_tokens: entry.tokens,
      held_micros: entry.micros ?? 0,
    })
    .returning("n")
    .executeTakeFirstOrThrow();
  return n;
};

/** What was estimated stays held where nothing was counted. */
const settle = async (db: Queries, id: number, { provider, model, usage, micros }: SpendCount): Promise<void> => {
  const { inputTokens, outputTokens } = usage;
  const counted = (inputTokens ?? 0) + (outputTokens ?? 0);
  const isWhole = inputTokens !== undefined && outputTokens !== undefined;
  await db
    .updateTable("spend")
    .set({
      provider,
      model,
      state: "settled",
      input_tokens: inputTokens ?? null,
      output_tokens: outputTokens ?? null,
      cache_read_tokens: usage.cacheReadTokens ?? null,
      cache_write_tokens: usage.cacheWriteTokens ?? null,
      reasoning_tokens: usage.reasoningTokens ?? null,
      cost_micros: micros,
      held_tokens: isWhole ? counted : sql<number>`max(held_tokens, ${counted})`,
      ...(micros === null ? {} : { held_micros: micros }),
    })
    .where("n", "=", id)
    .where("state", "=", "reserved")
    .execute();
};

type Near = Extract<BookAnswer, { kind: "reserved" }>["near"];

/** The highest mark that each bound has passed and nobody was told of; a cap that was changed has marks of its own. */
const nearMarks = async (db: Queries, uses: readonly BoundUse[], root: string | null): Promise<Near> => {
  const near: Near[number][] = [];
  for (const use of uses) {
    const { unit, cap } = use.bound;
    const { period, key } = resolved(use.bound.scope, root);
    const percent = CAP_MARKS.findLast((mark) => use.used * 100 >= cap * mark);
    if (percent === undefined || cap <= 0) continue;
    if (await tell(db, `${period} ${key} ${unit} ${cap}`, percent)) near.push({ ...use, percent });
  }
  return near;
};

const isNewsUnpriced = async (db: Queries, entry: SpendEntry, bounds: readonly SpendBound[]): Promise<boolean> => {
  // A task beside a conversation has nobody who listens: the notice is kept for a turn.
  if (entry.purpose !== "turn" || entry.micros !== null || !bounds.some(({ unit }) => unit === "micros")) return false;
  return await tell(db, `unpriced ${entry.provider} ${entry.model}`, 1);
};

/** Notes that the owner is told; false if that was done already. */
const tell = async (db: Queries, what: string, mark: number): Promise<boolean> => {
  const told = await db.selectFrom("spend_told").select("mark").where("what", "=", what).executeTakeFirst();
  if (told !== undefined && told.mark >= mark) return false;
  await db
    .insertInto("spend_told")
    .values({ what, mark })
    .onConflict((conflict) => conflict.column("what").doUpdateSet({ mark }))
    .execute();
  return true;
};
