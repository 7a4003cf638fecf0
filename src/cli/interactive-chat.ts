import type { ExitCode } from "../base/app-error.ts";
import type { App } from "../app/app.ts";
import type { SessionRequest } from "../app/session-request.ts";
import { suspendProcess } from "./chat/suspend-process.ts";
import type { ChatFlags } from "./flags.ts";
import { runInApp } from "./interactive/run-in-app.ts";
import { listenForEnd } from "./interrupts.ts";
import { openApp } from "./open-app.ts";

/** `hermes` on a terminal: the interactive chat. Both standard streams must be terminals. */
export const runInteractiveChat = async (request: SessionRequest, flags: ChatFlags): Promise<ExitCode> => {
  await using app = openApp(flags, { "checkpoints.enabled": flags.checkpoints });
  using end = listenForEnd();
  const code = await runInApp(app, {
    request,
    stdin: process.stdin,
    stdout: process.stdout,
    signal: end.signal,
    ...(process.platform === "win32" ? {} : { suspendProcess }),
  });
  if (!end.signal.aborted) await lookAfterSkills(app);
  return code;
};

/** When nobody waits for an answer any more. */
const lookAfterSkills = async (app: App): Promise<void> => {
  const { curateAfterChat } = await import("../app/curator.ts");
  const said = await curateAfterChat(app);
  if (said !== undefined) process.stdout.write(`${said}\n`);
};
