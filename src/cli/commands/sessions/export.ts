import { open } from "node:fs/promises";
import { AppError, messageOf, type ExitCode } from "../../../base/app-error.ts";
import { systemErrorCode } from "../../../base/system-error.ts";
import { findSession } from "../../../app/find-start.ts";
import {
  EXPORT_FORMATS,
  exportSessions,
  formatOf,
  type ExportFormat,
} from "../../../app/session-export/export-sessions.ts";
import { wholeConversation } from "../../../app/session-export/whole-conversation.ts";
import type { SessionRecord, Store, StoredMessage } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { cliErrors } from "../../errors.ts";
import { plural } from "../../format.ts";
import { openApp } from "../../open-app.ts";

/** Sessions are read in pages of this many. */
const PAGE = 200;

/**
 * `hermes sessions export [SESSION] [--all] [-o FILE]`, and `hermes sessions export FILE` as in the existing system: as stored (masked),
 * piece by piece.
 */
export const runExport = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  const { named, target } = readWish(args[0] === undefined ? undefined : String(args[0]), flags);
  const format = readFormat(flags["format"], target);
  await using app = openApp(flags);
  const store = await app.store();
  // Before the file is opened, which empties it.
  const one = named === undefined ? undefined : (await findSession(store, named)).session;
  let count = 0;
  // A conversation that was compressed is exported whole: as lines its sessions one after another, else as one text.
  const lineage = one === undefined ? [] : await store.sessions.lineage(one.id);
  const isText = one !== undefined && format !== "jsonl";
  const parts = one === undefined ? undefined : lineage;
  const wanted = isText ? [one] : parts;
  const sessions = counted(chosen(store, wanted, flags), () => (count += 1));
  const messagesOf = (session: SessionRecord): AsyncIterable<StoredMessage> =>
    isText ? wholeConversation(store, lineage) : store.messages.stream(session.id);
  const exported = exportSessions(format, { store, sessions, messagesOf, timeZone: displayZone(app, output) });
  if (target === undefined) {
    for await (const piece of exported) output.stdout(piece);
    return 0;
  }
  await writePieces(target, exported);
  output.stderr(`${plural(count, "session")} written to ${target}\n`);
  return 0;
};

interface Wish {
  /** Undefined = all sessions. */
  readonly named: string | undefined;
  /** Undefined = standard output. */
  readonly target: string | undefined;
}

/** A word that looks like a place for a file is one; any other names a session. */
const readWish = (word: string | undefined, flags: CommandCall["flags"]): Wish => {
  const given = typeof flags["output"] === "string" ? flags["output"] : undefined;
  const only = typeof flags["sessionId"] === "string" ? flags["sessionId"] : undefined;
  const isFile =
    word !== undefined && given === undefined && (word === "-" || /[/\\]/.test(word) || formatOf(word) !== undefined);
  const named = isFile ? only : (word ?? only);
  if (named !== undefined && (flags["all"] === true || (only !== undefined && named !== only)))
    throw cliErrors.usage({ message: "Name one session, or all with --all." });
  const isAll = flags["all"] === true || isFile || (given !== undefined && typeof flags["source"] === "string");
  if (named === undefined && !isAll) throw cliErrors.usage({ message: "Name a session, or export all with --all." });
  const target = given ?? (isFile ? word : undefined);
  return { named, target: target === "-" ? undefined : target };
};

const readFormat = (text: string | boolean | undefined, target: string | undefined): ExportFormat => {
  if (text === undefined) return (target === undefined ? undefined : formatOf(target)) ?? "jsonl";
  const wanted = text === "md" ? "markdown" : text;
  if (wanted === "jsonl" || wanted === "markdown" || wanted === "html") return wanted;
  throw cliErrors.usage({
    message: `--format takes ${Object.keys(EXPORT_FORMATS).join(", ")}, not "${String(text)}".`,
  });
};

async function* counted<T>(all: AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const item of all) {
    count();
    yield item;
  }
}

/** Writes into a file of the owner's alone. Throws `cli.cannot_write`. */
const writePieces = async (path: string, all: AsyncIterable<string>): Promise<void> => {
  try {
    await using file = await open(path, "w", 0o600);
    for await (const piece of all) await file.appendFile(piece);
  } catch (thrown) {
    if (systemErrorCode(thrown) === undefined || thrown instanceof AppError) throw thrown;
    throw cliErrors.cannotWrite({ path, why: messageOf(thrown) }, thrown);
  }
};

async function* chosen(
  store: Store,
  wanted: readonly SessionRecord[] | undefined,
  flags: CommandCall["flags"],
): AsyncIterable<SessionRecord> {
  if (wanted !== undefined) {
    yield* wanted;
    return;
  }
  const source = typeof flags["source"] === "string" ? { source: flags["source"] } : {};
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.sessions.list({ ...source, limit: PAGE, offset });
    yield* page;
    if (page.length < PAGE) return;
  }
}
