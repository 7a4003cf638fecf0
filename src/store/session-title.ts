import { sliceCharacters } from "../base/slice-characters.ts";
import { storeErrors } from "./errors.ts";
import type { Queries } from "./sqlite/queries.ts";

/** Most UTF-16 units of a title. */
const LONGEST_TITLE = 100;

// Control characters, and the format characters (zero-width, direction marks) that make two titles look alike; unpaired
// surrogates, which the database cannot hold.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u115F\u1160\u3164\uFFA0]+/gu;

/** A title as it is kept: visible characters on one line, at most 100. Throws `store.empty_title`. */
export const cleanTitle = (text: string): string => {
  const oneLine = text.replace(/\s+/g, " ").replace(INVISIBLE, "").replace(/ {2,}/g, " ").trim();
  if (oneLine === "") throw storeErrors.emptyTitle({});
  return cut(oneLine, LONGEST_TITLE);
};

const cut = (text: string, length: number): string => sliceCharacters(text, 0, length).trim();

/** The session, other than `except`, that has this title now. */
export const titleOwner = (
  db: Queries,
  title: string,
  except: number,
): Promise<{ readonly n: number; readonly id: string } | undefined> =>
  db
    .selectFrom("sessions")
    .select(["n", "id"])
    .where("title", "=", title)
    .where("deleted_at", "is", null)
    .where("n", "!=", except)
    .executeTakeFirst();

/** `title`, or with the first free number behind it: `Tide tables #2`. `except` may keep its own. */
export const freeTitle = async (db: Queries, title: string, except: number): Promise<string> => {
  if ((await titleOwner(db, title, except)) === undefined) return title;
  for (let number = 2; ; number += 1) {
    const suffix = ` #${number}`;
    const numbered = cut(title, LONGEST_TITLE - suffix.length) + suffix;
    if ((await titleOwner(db, numbered, except)) === undefined) return numbered;
  }
};

/** A title without the number that `freeTitle` gave it. */
export const baseTitle = (title: string): string => title.replace(/ #\d+$/, "");
