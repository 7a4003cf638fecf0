import type { Queries } from "./sqlite/queries.ts";

/** How many messages of one second keep their order among other seconds; more run over into the seconds after. */
const KEYS_PER_SECOND = 64;
/** A clock that went back by less than this keeps the order of arrival. */
const TOLERATED_JUMP = 24 * 3_600 * KEYS_PER_SECOND;

/** The smallest key that a message of this time (ms UTC) can have. */
export const firstMessageKey = (createdAt: number): number => Math.floor(createdAt / 1_000) * KEYS_PER_SECOND;

/** A key that no message of this time or before it goes beyond: `nextMessageKey` goes no further from its time than this. */
export const lastMessageKey = (createdAt: number): number => firstMessageKey(createdAt) + 2 * TOLERATED_JUMP;

/**
 * A free `messages.n` for a message of the time `createdAt`. Keys grow with time, not with arrival, so that reading the index
 * backwards gives the newest messages first also after older ones were copied or imported. `after` = the key of the message
 * before it in the same copy. Call it in the transaction that inserts.
 */
export const nextMessageKey = async (
  db: Queries,
  place: { readonly createdAt: number; readonly after?: number | undefined },
): Promise<number> => {
  const first = Math.max(firstMessageKey(place.createdAt), (place.after ?? -1) + 1);
  const newest = await db.selectFrom("messages").select("n").orderBy("n", "desc").limit(1).executeTakeFirst();
  if (newest === undefined || newest.n < first) return first;
  if (newest.n - first <= TOLERATED_JUMP) return newest.n + 1;
  return firstFree(db, first);
};

const firstFree = async (db: Queries, first: number): Promise<number> => {
  const taken = await db.selectFrom("messages").select("n").where("n", "=", first).executeTakeFirst();
  if (taken === undefined) return first;
  const lastOfRun = await db
    .selectFrom("messages as m")
    .select("m.n")
    .where("m.n", ">=", first)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages as next")
            .select("next.n")
            .whereRef("next.n", "=", (eb) => eb("m.n", "+", 1)),
        ),
      ),
    )
    .orderBy("m.n")
    .limit(1)
    .executeTakeFirstOrThrow();
  return lastOfRun.n + 1;
};
