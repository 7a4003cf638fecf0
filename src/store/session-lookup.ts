import type { SessionId } from "../base/ids.ts";
import { parseSessionRef } from "./session-ref.ts";
import { BEING_REMOVED, toSessionRecord } from "./session-row.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { SessionLookup } from "./store.ts";
import type { SessionTable } from "./tables.ts";

const MOST_CANDIDATES = 10;
const MOST_NEAREST = 5;
const TITLES_COMPARED = 500;
/** Titles that share fewer letter pairs than this are not what was meant. */
const LIKENESS = 0.4;

/** Finds the session that a person means: by id, then by title, then by an unambiguous beginning of an id (R-SESS). */
export const lookupSession = async (db: Queries, text: string, withDeleted: boolean): Promise<SessionLookup> => {
  const name = parseSessionRef(text);
  if (name === "") return { kind: "none", nearest: [] };
  const scope = { db, withDeleted };
  const byId = await visible(scope).where("id", "=", name).executeTakeFirst();
  if (byId !== undefined) return found(byId, await newestOfLineage(scope, byId));
  return (await byTitle(scope, name)) ?? (await byPrefix(scope, name)) ?? nearest(scope, name);
};

interface Scope {
  readonly db: Queries;
  readonly withDeleted: boolean;
}

const visible = ({ db, withDeleted }: Scope) =>
  db
    .selectFrom("sessions")
    .selectAll()
    .where((eb) =>
      withDeleted
        ? eb.or([eb("deleted_at", "is", null), eb("deleted_at", "!=", BEING_REMOVED)])
        : eb("deleted_at", "is", null),
    );

const found = (asked: SessionTable, newest: SessionTable): SessionLookup => ({
  kind: "found",
  session: toSessionRecord(newest),
  followed: asked.n === newest.n ? null : (asked.id as SessionId),
});

/**
 * Follows compressions: the session that has taken the place of this one, if that still exists. Where the conversation has gone on
 * elsewhere since (a message was taken back), that is meant.
 */
const newestOfLineage = async (scope: Scope, from: SessionTable): Promise<SessionTable> => {
  if (from.end_reason !== "compression") return from;
  return (await currentOf(scope, from)) ?? (await lastRotation(scope, from));
};

/** The session that the conversation of this one is in. */
const currentOf = (scope: Scope, { conversation }: SessionTable): Promise<SessionTable | undefined> =>
  visible(scope)
    .where("n", "=", (eb) => eb.selectFrom("conversations").select("session").where("key", "=", conversation))
    .executeTakeFirst();

const lastRotation = async (scope: Scope, from: SessionTable): Promise<SessionTable> => {
  let newest = from;
  for (;;) {
    if (newest.end_reason !== "compression") return newest;
    // A successor is always younger, so this ends.
    const next = await visible(scope)
      .where("rotated_from", "=", newest.id)
      .where("n", ">", newest.n)
      .orderBy("n", "desc")
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return newest;
    newest = next;
  }
};

/** The title as it is written; failing that, whatever the case of its letters. */
const byTitle = async (scope: Scope, name: string): Promise<SessionLookup | undefined> => {
  // A deleted session may have the same title; the one that is not deleted is meant.
  const exact = await visible(scope)
    .where("title", "=", name)
    .orderBy("deleted_at")
    .orderBy("n", "desc")
    .executeTakeFirst();
  if (exact !== undefined) {
    // A title names a conversation: it is opened where it has gone on, also where a message was taken back.
    const isTakenBack = exact.end_reason === "branched";
    const meant = isTakenBack ? await currentOf(scope, exact) : await newestOfLineage(scope, exact);
    return { kind: "found", session: toSessionRecord(meant ?? exact), followed: null };
  }
  const alike = await visible(scope)
    .where((eb) => eb(eb.fn<string>("lower", ["title"]), "=", eb.fn<string>("lower", [eb.val(name)])))
    .orderBy("active_at", "desc")
    .limit(MOST_CANDIDATES)
    .execute();
  return oneOf(scope, alike);
};

const ID_PREFIX = /^[A-Za-z0-9_.:-]{1,128}$/;

const byPrefix = async (scope: Scope, name: string): Promise<SessionLookup | undefined> => {
  if (!ID_PREFIX.test(name)) return undefined;
  const rows = await visible(scope)
    .where("id", ">=", name)
    .where("id", "<", `${name}\u{10FFFF}`)
    .orderBy("id", "desc")
    .limit(MOST_CANDIDATES)
    .execute();
  const [only] = rows;
  if (only !== undefined && rows.length === 1) return found(only, await newestOfLineage(scope, only));
  return oneOf(scope, rows);
};

/** Several rows may be one lineage; then they are not ambiguous. */
const oneOf = async (scope: Scope, rows: readonly SessionTable[]): Promise<SessionLookup | undefined> => {
  if (rows.length === 0) return undefined;
  const newest = new Map<number, SessionTable>();
  for (const row of rows) {
    const last = await newestOfLineage(scope, row);
    newest.set(last.n, last);
  }
  const candidates = [...newest.values()].map(toSessionRecord);
  const [session] = candidates;
  if (session !== undefined && candidates.length === 1) return { kind: "found", session, followed: null };
  return { kind: "ambiguous", candidates };
};

const nearest = async (scope: Scope, name: string): Promise<SessionLookup> => {
  const rows = await visible(scope)
    .where("title", "is not", null)
    .orderBy("active_at", "desc")
    .limit(TITLES_COMPARED)
    .execute();
  const likenesses = rows.map((row) => ({ row, likeness: likeness(row.title ?? "", name) }));
  const alike = likenesses.filter((item) => item.likeness >= LIKENESS).sort((a, b) => b.likeness - a.likeness);
  return { kind: "none", nearest: alike.slice(0, MOST_NEAREST).map(({ row }) => toSessionRecord(row)) };
};

/** Between 0 and 1: shared pairs of letters; a title that contains the whole name is like it. */
const likeness = (title: string, name: string): number => {
  const [a, b] = [title.toLowerCase(), name.toLowerCase()];
  if (a.includes(b)) return 1;
  const [pairsOfA, pairsOfB] = [pairsOf(a), pairsOf(b)];
  return (2 * [...pairsOfA].filter((pair) => pairsOfB.has(pair)).length) / Math.max(1, pairsOfA.size + pairsOfB.size);
};

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
