import type { SessionId } from "../base/ids.ts";
import { toSessionRecord } from "./session-row.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { SessionRecord } from "./store.ts";
import type { SessionTable } from "./tables.ts";

/** The sessions whose parent each is, oldest first; those that were deleted are left out. */
export const readChildren = async (
  db: Queries,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, readonly SessionId[]>> => {
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "parent"])
    // One parameter, however many ids there are.
    .where("parent", "in", (eb) =>
      eb.selectFrom(eb.fn<{ value: string }>("json_each", [eb.val(JSON.stringify(ids))]).as("ids")).select("ids.value"),
    )
    .where("deleted_at", "is", null)
    .orderBy("n")
    .execute();
  const byParent = Map.groupBy(rows, ({ parent }) => parent);
  return new Map(
    ids.flatMap((id) => {
      const children = byParent.get(id)?.map((row) => row.id as SessionId) ?? [];
      return children.length === 0 ? [] : [[id, children]];
    }),
  );
};

/**
 * Back over rotations. A copy (`/undo`, `/branch`) begins with all that its parent held up to the cut: it stands for its parent, and
 * the way goes on from what the parent had rotated from.
 */
export const readLineage = async (db: Queries, id: SessionId): Promise<readonly SessionRecord[]> => {
  const newest = await rowOf(db, id);
  const lineage: SessionTable[] = [];
  for (let at = newest; at !== undefined; at = await sourceOf(db, at)) {
    lineage.unshift(at);
  }
  return lineage.map(toSessionRecord);
};

const rowOf = (db: Queries, id: string): Promise<SessionTable | undefined> =>
  db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();

const sourceOf = async (db: Queries, session: SessionTable): Promise<SessionTable | undefined> => {
  for (let at = session; ;) {
    if (at.rotated_from !== null) return older(await rowOf(db, at.rotated_from), at);
    const original = at.parent !== null && (await isCopy(db, at)) ? older(await rowOf(db, at.parent), at) : undefined;
    if (original === undefined) return undefined;
    at = original;
  }
};

/** A session was always made after what it came from; rows that say otherwise (an import) must not make a circle. */
const older = (row: SessionTable | undefined, than: SessionTable): SessionTable | undefined =>
  row !== undefined && row.n < than.n ? row : undefined;

/** A copy begins with what was said before it was made. */
const isCopy = async (db: Queries, { n, started_at: startedAt }: SessionTable): Promise<boolean> => {
  const first = await db
    .selectFrom("messages")
    .select("created_at")
    .where("session", "=", n)
    .where("seq", "=", 1)
    .executeTakeFirst();
  return first !== undefined && first.created_at < startedAt;
};
