import type { SessionRecord, Store } from "../../../store/store.ts";
import { cliErrors } from "../../errors.ts";

/** The session that a person named; throws what `--resume` would say when there is none or more than one. */
export const findSession = async (
  store: Store,
  text: string,
  options: { readonly deleted?: boolean } = {},
): Promise<SessionRecord> => {
  const found = await store.sessions.lookup(text, options);
  switch (found.kind) {
    case "found":
      return found.session;
    case "ambiguous":
      throw cliErrors.sessionAmbiguous({ name: text, candidates: found.candidates.map(({ id }) => id) });
    case "none":
      throw cliErrors.sessionNotFound({ name: text, nearest: found.nearest.map(({ id, title }) => title ?? id) });
  }
};
