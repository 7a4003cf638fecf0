import type { SessionId } from "../base/ids.ts";
import type { SessionLookup, SessionRecord, Store } from "../store/store.ts";
import { sessionErrors } from "./errors.ts";
import type { SessionStart } from "./session-request.ts";

/** Where a surface's wish leads. */
export type FoundStart =
  | { readonly kind: "new" }
  | { readonly kind: "resumed"; readonly session: SessionRecord; readonly followed: SessionId | null };

/** Finds the session that `--resume` or `--continue` means. Throws `session.not_found`, `session.ambiguous`, `session.none`. */
export const findStart = async (store: Store, start: SessionStart): Promise<FoundStart> => {
  switch (start.kind) {
    case "new":
      return { kind: "new" };
    case "named":
      return { kind: "resumed", ...(await findSession(store, start.name)) };
    case "newest": {
      if (start.title !== undefined) return { kind: "resumed", ...(await findSession(store, start.title)) };
      const session = await store.sessions.newest({ listed: true });
      if (session === undefined) throw sessionErrors.none({});
      return { kind: "resumed", session, followed: null };
    }
  }
};

/** The session that a person named. Throws `session.not_found` and `session.ambiguous`. */
export const findSession = async (
  store: Store,
  name: string,
  options: { readonly deleted?: boolean } = {},
): Promise<Omit<Extract<SessionLookup, { kind: "found" }>, "kind">> => {
  const found = await store.sessions.lookup(name, options);
  switch (found.kind) {
    case "found":
      return { session: found.session, followed: found.followed };
    case "ambiguous":
      throw sessionErrors.ambiguous({ name, candidates: found.candidates.map(({ id }) => id) });
    case "none":
      throw sessionErrors.notFound({ name, nearest: found.nearest.map(({ id, title }) => title ?? id) });
  }
};
