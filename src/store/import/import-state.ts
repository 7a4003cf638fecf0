import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { ConversationKey } from "../../base/ids.ts";
import type { Redacted } from "../../base/redact/redacted.ts";
import type { Message } from "../../llm/message.ts";
import { storeErrors } from "../errors.ts";
import type { ImportedSession, Store, TimedMessage } from "../store.ts";
import { convertMessage, messageRow } from "./convert-message.ts";
import type { ConversionContext } from "./convert-message.ts";
import { convertSession, parentsFirst, sessionRow, toMs } from "./convert-session.ts";
import type { SessionRow } from "./convert-session.ts";
import { openStateCopy } from "./open-state-copy.ts";
import { orderMessages } from "./order-messages.ts";
import type { Repairs, Timed } from "./order-messages.ts";

/** What an import works with. */
export interface ImportStateRequest {
  readonly store: Pick<Store, "imports" | "sessions" | "blobs">;
  readonly clock: Clock;
  /** `state.db` of the Python system (schema 13; older ones too). */
  readonly path: string;
  readonly scratchDirectory: string;
  readonly isDryRun: boolean;
  readonly maskText: (text: string) => Redacted<string>;
  readonly maskMessage: (message: Message) => Redacted<Message>;
}

/** What became of one session. */
export type ImportEntry =
  | {
      readonly kind: "done";
      readonly id: string;
      readonly title: string | null;
      readonly messages: number;
      /** What of it was left out or put right, in words. */
      readonly notes: readonly string[];
    }
  | { readonly kind: "skipped" | "failed"; readonly id: string; readonly why: string };

/**
 * Copies every session of the other system that is not here yet, oldest first. Yields what became of each; one that fails does not keep
 * the others. Throws `store.import_missing` and `store.import_unreadable` before the first.
 */
export async function* importState(request: ImportStateRequest): AsyncIterable<ImportEntry> {
  await using state = await openStateCopy(request);
  const { rows, broken } = readSessions(state.database, request.path);
  yield* broken;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const conversations = new Map<string, ConversationKey>();
  for (const row of parentsFirst(rows)) {
    const parent = row.parent_session_id === null ? undefined : byId.get(row.parent_session_id);
    const title = row.title === null || row.title.trim() === "" ? null : request.maskText(row.title);
    const session = convertSession(row, { parent, title, conversationOf: (id) => conversations.get(id) });
    if (session === undefined) {
      yield { kind: "failed", id: row.id, why: "its id has characters that ids here cannot have" };
      continue;
    }
    conversations.set(session.id, session.conversation);
    yield await importOne(request, { database: state.database, row, session }).catch((error: unknown) => ({
      kind: "failed" as const,
      id: row.id,
      why: messageOf(error),
    }));
  }
}

interface SessionRows {
  readonly rows: readonly SessionRow[];
  readonly broken: readonly ImportEntry[];
}

const readSessions = (database: DatabaseSync, path: string): SessionRows => {
  const rows: SessionRow[] = [];
  const broken: ImportEntry[] = [];
  try {
    const select = selectOf(database, "sessions", Object.keys(sessionRow.shape));
    for (const each of database.prepare(select).iterate()) {
      const parsed = sessionRow.safeParse(each);
      if (parsed.success) rows.push(parsed.data);
      else broken.push({ kind: "failed", id: String(each["id"]), why: "its row cannot be read" });
    }
  } catch (error) {
    // A file can be damaged behind the pages that opening it reads.
    throw storeErrors.importUnreadable({ path, why: messageOf(error) }, error);
  }
  return { rows, broken };
};

/** All columns that are wanted; one that this version of the table lacks is null. */
const selectOf = (database: DatabaseSync, table: "sessions" | "messages", wanted: readonly string[]): string => {
  const there = new Set(
    database
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map((row) => String(row["name"])),
  );
  const columns = wanted.map((name) => (there.has(name) ? name : `NULL AS ${name}`));
  return `SELECT ${columns.join(", ")} FROM ${table}`;
};

interface OneSession {
  readonly database: DatabaseSync;
  readonly row: SessionRow;
  readonly session: ImportedSession;
}

const importOne = async (request: ImportStateRequest, { database, row, session }: OneSession): Promise<ImportEntry> => {
  const { store, isDryRun } = request;
  const notes: LeftOut = { repairs: { strayResults: 0, missingResults: 0, joined: 0 }, reasons: new Map() };
  const messages = masked(
    orderMessages(readMessages(request, { database, row, session }, notes), notes.repairs),
    request,
  );
  if (isDryRun) return await tryOne(request, { session, messages, notes });
  const outcome = await store.imports.add(session, messages);
  if (outcome.kind === "exists") return skipped(session.id, outcome);
  return { kind: "done", id: session.id, title: outcome.title, messages: outcome.messages, notes: wordsOf(notes) };
};

const skipped = (id: string, { isDeleted }: { readonly isDeleted: boolean }): ImportEntry => ({
  kind: "skipped",
  id,
  why: isDeleted ? "it was deleted here" : "it is here already",
});

const tryOne = async (
  { store }: ImportStateRequest,
  {
    session,
    messages,
    notes,
  }: { readonly session: ImportedSession; readonly messages: AsyncIterable<TimedMessage>; readonly notes: LeftOut },
): Promise<ImportEntry> => {
  const existing = await store.sessions.get(session.id);
  if (existing !== undefined) return skipped(session.id, { isDeleted: existing.deletedAt !== null });
  let count = 0;
  for await (const _ of messages) count += 1;
  return { kind: "done", id: session.id, title: session.title, messages: count, notes: wordsOf(notes) };
};

/** What of a session does not come over as it was. */
interface LeftOut {
  readonly repairs: Repairs;
  /** How often each reason came up. */
  readonly reasons: Map<string, number>;
}

const wordsOf = ({ repairs, reasons }: LeftOut): readonly string[] => [
  ...[...reasons].map(([why, times]) => `${times} left out: ${why}`),
  ...(repairs.strayResults > 0 ? [`${repairs.strayResults} left out: results of no call`] : []),
  ...(repairs.joined > 0 ? [`${repairs.joined} joined to the message before`] : []),
  ...(repairs.missingResults > 0 ? [`${repairs.missingResults} calls without a result were closed`] : []),
];

async function* readMessages(
  { store, isDryRun }: ImportStateRequest,
  { database, row, session }: OneSession,
  { reasons }: LeftOut,
): AsyncIterable<Timed> {
  const context: ConversionContext = {
    source: session.source,
    provider: session.provider,
    model: session.model,
    putBlob: (bytes) => (isDryRun ? Promise.resolve("0".repeat(64)) : store.blobs.put(bytes)),
  };
  const leaveOut = (why: string): void => void reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const select = `${selectOf(database, "messages", Object.keys(messageRow.shape))} WHERE session_id = ? ORDER BY id`;
  for (const each of database.prepare(select).iterate(row.id)) {
    const parsed = messageRow.safeParse(each);
    if (!parsed.success) {
      leaveOut("the row cannot be read");
      continue;
    }
    const converted = await convertMessage(parsed.data, context);
    if (converted.kind === "left_out") leaveOut(converted.why);
    else yield { message: converted.message, createdAt: toMs(parsed.data.timestamp ?? session.startedAt / 1_000) };
  }
}

async function* masked(all: AsyncIterable<Timed>, { maskMessage }: ImportStateRequest): AsyncIterable<TimedMessage> {
  for await (const { message, createdAt } of all) yield { message: maskMessage(message), createdAt };
}
