import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { SelfChange, SelfChangeStore } from "./self-change-store.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { SelfChangeTable } from "./tables.ts";

/** `self_changes` behind its interface. */
export const createSelfChangeStore = (deps: {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly clock: Clock;
}): SelfChangeStore => ({
  hold: async (change) => {
    const row = { ...change, at: deps.clock.now(), state: "pending" as const, decided_at: null };
    const { n } = await deps.writer.write((db) =>
      db.insertInto("self_changes").values(row).returning("n").executeTakeFirstOrThrow(),
    );
    return n;
  },
  get: async (id) => {
    const row = await deps.reader.db.selectFrom("self_changes").selectAll().where("n", "=", id).executeTakeFirst();
    return row === undefined ? undefined : toSelfChange(row);
  },
  list: async ({ kind, state, limit }) => {
    const rows = await deps.reader.db
      .selectFrom("self_changes")
      .selectAll()
      .$if(kind !== undefined, (select) => select.where("kind", "=", kind ?? ""))
      .$if(state !== undefined, (select) => select.where("state", "=", state ?? "pending"))
      .orderBy("n")
      .limit(limit)
      .execute();
    return rows.map(toSelfChange);
  },
  decide: async (id, state) => {
    const result = await deps.writer.write((db) =>
      db
        .updateTable("self_changes")
        .set({ state, decided_at: deps.clock.now() })
        .where("n", "=", id)
        .where("state", "=", "pending")
        .executeTakeFirst(),
    );
    return result.numUpdatedRows > 0n;
  },
});

// `hold` takes only masked texts and parsed ids.
const toSelfChange = ({ n, decided_at: decidedAt, ...row }: SelfChangeTable): SelfChange => ({
  ...row,
  id: n,
  decidedAt,
  session: row.session as SessionId | null,
  summary: row.summary as Redacted<string>,
  payload: row.payload as Redacted<string>,
});
