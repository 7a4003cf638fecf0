import * as z from "zod";
import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type {
  ArchivedEntry,
  ChangedEntry,
  MemoryChangeRecord,
  MemoryEntryRecord,
  MemoryStore,
  NewMemoryChange,
} from "./memory-store.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { MemoryArchiveTable, MemoryChangeTable, MemoryEntryTable } from "./tables.ts";

/** The tables of memory behind their interface. */
export const createMemoryStore = (deps: {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly clock: Clock;
}): MemoryStore => {
  const { writer, reader } = deps;
  return {
    entries: async (target) => {
      const rows = await reader.db.selectFrom("memory_entries").selectAll().where("target", "=", target).execute();
      return rows.map(toEntry);
    },
    record: (changes) => {
      const now = deps.clock.now();
      return writer.write(async (db) => {
        const ids: number[] = [];
        for (const change of changes) ids.push(await recordOne(db, change, now));
        return ids;
      });
    },
    pin: async (target, hash, pinned) => {
      const result = await writer.write((db) =>
        db
          .updateTable("memory_entries")
          .set({ pinned: pinned ? 1 : 0 })
          .where("target", "=", target)
          .where("hash", "=", hash)
          .executeTakeFirst(),
      );
      return result.numUpdatedRows > 0n;
    },
    change: async (id) => {
      const row = await reader.db.selectFrom("memory_changes").selectAll().where("n", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toChange(row);
    },
    changes: async ({ limit, target }) => {
      const rows = await reader.db
        .selectFrom("memory_changes")
        .selectAll()
        .$if(target !== undefined, (select) => select.where("target", "=", target ?? "memory"))
        .orderBy("n", "desc")
        .limit(limit)
        .execute();
      return rows.map(toChange);
    },
    archive: async ({ limit, target }) => {
      const rows = await reader.db
        .selectFrom("memory_archive")
        .selectAll()
        .$if(target !== undefined, (select) => select.where("target", "=", target ?? "memory"))
        .orderBy("n", "desc")
        .limit(limit)
        .execute();
      return rows.map(toArchived);
    },
    clearArchive: () =>
      writer.write(async (db) => {
        const { numDeletedRows } = await db.deleteFrom("memory_archive").executeTakeFirst();
        await db.deleteFrom("memory_changes").execute();
        return Number(numDeletedRows);
      }),
  };
};

const recordOne = async (db: Queries, change: NewMemoryChange, now: number): Promise<number> => {
  const { target, kind, source, session, undoes } = change;
  const { n } = await db
    .insertInto("memory_changes")
    .values({
      at: now,
      target,
      kind,
      source,
      session,
      removed: JSON.stringify(change.removed),
      added: JSON.stringify(change.added),
      undoes: undoes ?? null,
      undone_by: null,
    })
    .returning("n")
    .executeTakeFirstOrThrow();
  if (undoes !== undefined) {
    await db.updateTable("memory_changes").set({ undone_by: n }).where("n", "=", undoes).execute();
  }
  for (const entry of change.removed) await moveOut(db, change, { entry, n, now });
  for (const entry of change.added) await putIn(db, change, { entry, n, now });
  return n;
};

interface Step {
  readonly entry: ChangedEntry;
  /** The change's number. */
  readonly n: number;
  readonly now: number;
}

/** An entry that was not known yet was in the file and is gone: its time is the change's. */
const moveOut = async (db: Queries, change: NewMemoryChange, { entry, n, now }: Step): Promise<void> => {
  const { target } = change;
  const known = await db
    .deleteFrom("memory_entries")
    .where("target", "=", target)
    .where("hash", "=", entry.hash)
    .returningAll()
    .executeTakeFirst();
  await db
    .insertInto("memory_archive")
    .values({
      target,
      hash: entry.hash,
      text: entry.text,
      added_at: known?.added_at ?? now,
      source: known?.source ?? "file",
      session: known?.session ?? null,
      archived_at: now,
      reason: change.reasons.get(entry.hash) ?? "removed",
      change: n,
    })
    .execute();
};

const putIn = async (db: Queries, change: NewMemoryChange, { entry, now }: Step): Promise<void> => {
  const { target } = change;
  const { hash } = entry;
  const [old] = await db
    .deleteFrom("memory_archive")
    .where("target", "=", target)
    .where("hash", "=", hash)
    .returningAll()
    .execute();
  const origin =
    change.undoes !== undefined && old !== undefined
      ? { added_at: old.added_at, source: old.source, session: old.session }
      : { added_at: now, source: change.source, session: change.session };
  await db
    .insertInto("memory_entries")
    .values({ target, hash, text: entry.text, pinned: 0, ...origin })
    .onConflict((conflict) => conflict.columns(["target", "hash"]).doNothing())
    .execute();
};

// `record` takes only masked texts and parsed ids.
const toEntry = ({ added_at: addedAt, pinned, ...row }: MemoryEntryTable): MemoryEntryRecord => ({
  ...row,
  text: row.text as Redacted<string>,
  session: row.session as SessionId | null,
  addedAt,
  pinned: pinned !== 0,
});

const toArchived = ({
  n,
  added_at: addedAt,
  archived_at: archivedAt,
  ...row
}: Omit<MemoryArchiveTable, "n"> & { readonly n: number }): ArchivedEntry => ({
  ...row,
  id: n,
  text: row.text as Redacted<string>,
  session: row.session as SessionId | null,
  addedAt,
  archivedAt,
});

const changedEntries = z.array(
  z.object({ hash: z.string(), text: z.string().transform((text) => text as Redacted<string>), place: z.number() }),
);

const toChange = ({
  n,
  undone_by: undoneBy,
  ...row
}: Omit<MemoryChangeTable, "n"> & { readonly n: number }): MemoryChangeRecord => ({
  ...row,
  id: n,
  session: row.session as SessionId | null,
  removed: changedEntries.parse(JSON.parse(row.removed)),
  added: changedEntries.parse(JSON.parse(row.added)),
  undoneBy,
});
