import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionRecord, Store } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
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
  const file = target === "-" ? undefined : createWriteStream(target, { mode: 0o600 });
  if (file !== undefined) await once(file, "open");
  const write = async (text: string): Promise<void> => {
    if (file === undefined) output.stdout(text);
    else if (!file.write(text)) await once(file, "drain");
  };
  let count = 0;
  for await (const session of chosen(store, flags)) {
    const messages = [];
    for await (const message of store.messages.stream(session.id)) messages.push(messageJson(message));
    await write(`${JSON.stringify({ ...sessionJson(session), transcript: messages })}\n`);
    count += 1;
  }
  if (file !== undefined) {
    file.end();
    await finished(file);
    output.stderr(`${plural(count, "session")} written to ${target}\n`);
  }
  return 0;
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
