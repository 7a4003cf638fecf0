import { open } from "node:fs/promises";
import { AppError, messageOf, type ExitCode } from "../../../base/app-error.ts";
import { systemErrorCode } from "../../../base/system-error.ts";
import type { SessionRecord, Store } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
import { cliErrors } from "../../errors.ts";
import { plural } from "../../format.ts";
import { openApp } from "../../open-app.ts";
import { findSession } from "../../../app/find-start.ts";
import { messageJson } from "./message-json.ts";
import { sessionJson } from "./session-json.ts";

/** Sessions are read in pages of this many. */
const PAGE = 200;

/** `hermes sessions export OUTPUT`: one session a line, with its messages, as stored (masked). */
export const runExport = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  const target = String(args[0]);
  await using app = openApp(flags);
  const store = await app.store();
  const exported = lines(store, chosen(store, flags));
  if (target === "-") {
    for await (const line of exported) output.stdout(line);
    return 0;
  }
  const count = await writeLines(target, exported);
  output.stderr(`${plural(count, "session")} written to ${target}\n`);
  return 0;
};

async function* lines(store: Store, sessions: AsyncIterable<SessionRecord>): AsyncIterable<string> {
  for await (const session of sessions) {
    const messages = [];
    for await (const message of store.messages.stream(session.id)) messages.push(messageJson(message));
    yield `${JSON.stringify({ ...sessionJson(session), transcript: messages })}\n`;
  }
}

/** Writes the lines into a file of the owner's alone; returns how many. Throws `cli.cannot_write`. */
const writeLines = async (path: string, all: AsyncIterable<string>): Promise<number> => {
  let count = 0;
  try {
    await using file = await open(path, "w", 0o600);
    for await (const line of all) {
      await file.appendFile(line);
      count += 1;
    }
  } catch (thrown) {
    if (systemErrorCode(thrown) === undefined || thrown instanceof AppError) throw thrown;
    throw cliErrors.cannotWrite({ path, why: messageOf(thrown) }, thrown);
  }
  return count;
};

async function* chosen(store: Store, flags: CommandCall["flags"]): AsyncIterable<SessionRecord> {
  const one = flags["sessionId"];
  if (typeof one === "string") {
    yield (await findSession(store, one)).session;
    return;
  }
  const source = typeof flags["source"] === "string" ? { source: flags["source"] } : {};
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.sessions.list({ ...source, limit: PAGE, offset });
    yield* page;
    if (page.length < PAGE) return;
  }
}
