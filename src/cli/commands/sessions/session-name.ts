import type { SessionId } from "../../../base/ids.ts";
import type { SessionRecord } from "../../../store/store.ts";

/** What a session is known by in a list: its title, else how its first message begins, in quotation marks. */
export const sessionName = (
  { id, title }: Pick<SessionRecord, "id" | "title">,
  openings: ReadonlyMap<SessionId, string>,
): string => {
  const opening = openings.get(id);
  return title ?? (opening === undefined ? "" : `“${opening}”`);
};
