import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Store } from "../../../store/store.ts";
import { cliErrors } from "../../errors.ts";
import type { CommandCall } from "../../command-call.ts";
import { plural } from "../../format.ts";
import { openApp } from "../../open-app.ts";
import { findSession } from "../../../app/find-start.ts";

const MOST = 100_000;

/** `hermes sessions restore SESSION…|--all`: brings back what was deleted in the last 7 days. */
export const runRestore = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const store = await app.store();
  const names = [args[0]].flat().filter((name) => name !== undefined);
  if ((names.length === 0) === (flags["all"] !== true))
    throw cliErrors.usage({ message: "Name the sessions to restore, or give --all." });
  const ids = names.length === 0 ? await allDeleted(store) : await named(store, names);
  const restored = await store.sessions.restore(ids);
  if (flags.json === true) output.stdout(`${JSON.stringify({ restored: ids })}\n`);
  else output.stdout(`Restored ${plural(restored, "session")}.\n`);
  return 0;
};

const allDeleted = async (store: Store): Promise<readonly SessionId[]> =>
  (await store.sessions.list({ deleted: true, limit: MOST })).map(({ id }) => id);

const named = async (store: Store, names: readonly string[]): Promise<readonly SessionId[]> => {
  const ids: SessionId[] = [];
  for (const name of names) ids.push((await findSession(store, name, { deleted: true })).session.id);
  return ids;
};
