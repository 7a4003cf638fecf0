import type { App } from "../../../app/app.ts";
import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionId } from "../../../base/ids.ts";
import { tryProcessLock } from "../../../base/process-lock.ts";
import type { SessionRecord } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { plural } from "../../format.ts";
import type { Output } from "../../output.ts";
import { openApp } from "../../open-app.ts";
import { findSession } from "../../../app/find-start.ts";
import { importLock } from "./import-lock.ts";

/** A deleted session can be brought back for this long. */
const RESTORABLE_MS = 7 * 24 * 60 * 60 * 1000;

/** `hermes sessions delete SESSION…`: asks, and can be undone. */
export const runDelete = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const store = await app.store();
  const sessions = new Map<SessionId, SessionRecord>();
  for (const name of [args[0]].flat().map(String)) {
    const { session } = await findSession(store, name);
    sessions.set(session.id, session);
  }
  return await deleteSessions({ app, sessions: [...sessions.values()], now: app.clock.now(), flags, output });
};

/** What `delete` and `prune` share: show, ask, delete, say how to undo. What was deleted over 7 days ago goes for good, unless this is a dry run. */
export const deleteSessions = async (job: {
  readonly app: App;
  readonly sessions: readonly SessionRecord[];
  /** ms UTC. */
  readonly now: number;
  readonly flags: CommandCall["flags"];
  readonly output: Output;
}): Promise<ExitCode> => {
  const { app, sessions, flags, output } = job;
  const store = await app.store();
  const ids = sessions.map(({ id }) => id);
  const messages = sessions.reduce((sum, session) => sum + session.messageCount, 0);
  const what = `${plural(sessions.length, "session")} with ${plural(messages, "message")}`;
  const isDryRun = flags["dryRun"] === true;
  if (!isDryRun) await purge(app, job.now - RESTORABLE_MS);
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

/** Removes for good what was deleted before `olderThan`; while an import runs, the next deletion does it. */
const purge = async (app: App, olderThan: number): Promise<void> => {
  using lock = tryProcessLock(importLock(app));
  if (lock !== undefined) await (await app.store()).sessions.purge(olderThan);
};
