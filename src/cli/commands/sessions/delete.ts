import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionRecord, Store } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { plural } from "../../format.ts";
import type { Output } from "../../output.ts";
import { openApp } from "../../open-app.ts";
import { findSession } from "../../../app/find-start.ts";

/** A deleted session can be brought back for this long. */
export const RESTORABLE_MS = 7 * 24 * 60 * 60 * 1000;

/** `hermes sessions delete SESSION…`: asks, and can be undone. */
export const runDelete = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const store = await app.store();
  const names = [args[0]].flat().map(String);
  const sessions: SessionRecord[] = [];
  for (const name of names) sessions.push((await findSession(store, name)).session);
  await store.sessions.purge(app.clock.now() - RESTORABLE_MS);
  return await deleteSessions({ store, sessions, flags, output });
};

/** What `delete` and `prune` share: show, ask, delete, say how to undo. */
export const deleteSessions = async (job: {
  readonly store: Store;
  readonly sessions: readonly SessionRecord[];
  readonly flags: CommandCall["flags"];
  readonly output: Output;
}): Promise<ExitCode> => {
  const { store, sessions, flags, output } = job;
  const ids = sessions.map(({ id }) => id);
  const messages = sessions.reduce((sum, session) => sum + session.messageCount, 0);
  const what = `${plural(sessions.length, "session")} with ${plural(messages, "message")}`;
  const isDryRun = flags["dryRun"] === true;
  if (isDryRun || sessions.length === 0) {
    if (flags.json === true)
      output.stdout(
        `${JSON.stringify({ dry_run: isDryRun, deleted: isDryRun ? [] : ids, would_delete: ids, messages })}\n`,
      );
    else
      output.stdout(
        sessions.length === 0
          ? "Nothing to delete.\n"
          : `Would delete ${what}:\n${ids.map((id) => `  ${id}\n`).join("")}`,
      );
    return 0;
  }
  if (flags["yes"] !== true && !(await confirm(output, `Delete ${what}?`, "Deleting sessions"))) {
    output.stderr("Nothing was deleted.\n");
    return 1;
  }
  const deleted = await store.sessions.delete(ids);
  if (flags.json === true)
    output.stdout(`${JSON.stringify({ dry_run: false, deleted: ids, would_delete: ids, messages })}\n`);
  else
    output.stdout(
      `Deleted ${plural(deleted, "session")}. For 7 days \`hermes sessions restore ${ids.length === 1 ? ids[0] : "--all"}\` brings ${ids.length === 1 ? "it" : "them"} back.\n`,
    );
  return 0;
};
