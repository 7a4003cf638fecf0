import { sql } from "kysely";
import type { SessionId } from "../base/ids.ts";
import { sliceCharacters } from "../base/slice-characters.ts";
import type { Queries } from "./sqlite/queries.ts";

const LONGEST_OPENING = 80;
/** What is read of a first message: white space may fill much of its beginning. */
const READ_CHARACTERS = 400;

/** The beginning of the first message of each session as one line; a session that begins with no text is left out. */
export const readOpenings = async (db: Queries, ids: readonly SessionId[]): Promise<ReadonlyMap<SessionId, string>> => {
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("messages", "messages.session", "sessions.n")
    .select([
      "sessions.id",
      sql<string | null>`substr(json_extract(messages.body, '$.parts[0].text'), 1, ${READ_CHARACTERS})`.as("text"),
    ])
    // One parameter, however many ids there are.
    .where("sessions.id", "in", sql<string>`(select value from json_each(${JSON.stringify(ids)}))`)
    .where("messages.seq", "=", 1)
    .execute();
  const texts = new Map(rows.map(({ id, text }) => [id, text]));
  return new Map(
    ids.flatMap((id) => {
      const line = (texts.get(id) ?? "").replace(/\s+/g, " ").trim();
      return line === "" ? [] : [[id, sliceCharacters(line, 0, LONGEST_OPENING).trim()]];
    }),
  );
};
