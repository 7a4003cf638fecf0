import type { ExitCode } from "../../../base/app-error.ts";
import { cliErrors } from "../../errors.ts";
import type { CommandCall } from "../../command-call.ts";
import { openApp } from "../../open-app.ts";
import { findSession } from "../../../app/find-start.ts";

/** `hermes sessions rename SESSION TITLE…`. */
export const runRename = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  const title = [args[1]].flat().join(" ");
  await using app = openApp(flags);
  const store = await app.store();
  const { session } = await findSession(store, String(args[0]));
  const outcome = await store.sessions.setTitle(session.id, title, "user");
  if (outcome.kind === "taken") throw cliErrors.titleTaken({ title, by: outcome.by });
  if (flags.json === true) output.stdout(`${JSON.stringify({ id: session.id, title: outcome.title })}\n`);
  else output.stdout(`${session.id} is now "${outcome.title}"\n`);
  return 0;
};
