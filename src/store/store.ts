import type { ConversationKey, MessageId, ProcessId, SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Message, Usage } from "../llm/message.ts";
import type { SpendBook } from "../llm/spend/spend-book.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { SelfChangeStore } from "./self-change-store.ts";

/**
 * The database as the rest of the program sees it. All SQL stands behind these interfaces.
 * Every method may reject with a `store.*` AppError when the file cannot be used; none blocks the event loop over 50 ms.
 */
export interface Store {
  readonly sessions: SessionStore;
  readonly messages: MessageStore;
  readonly conversations: ConversationStore;
  readonly leases: LeaseStore;
  readonly search: SearchStore;
  readonly imports: ImportStore;
  readonly processes: ProcessStore;
  readonly spend: SpendBook;
  readonly memory: MemoryStore;
  readonly selfChanges: SelfChangeStore;
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

/** Why a session ended; null while it is open. */
export type EndReason = "cli_close" | "new_session" | "branched" | "compression" | "resumed_other" | "delegated";

export interface SessionRecord {
  readonly id: SessionId;
  readonly conversation: ConversationKey;
  /** `cli`, `tui`, `practice-demo`, a platform's id, or the `--source` tag. */
  readonly source: string;
  readonly title: string | null;
  readonly titleFrom: "user" | "auto" | null;
  readonly parent: SessionId | null;
  /** The session whose place this one took in its conversation; null = it was not made by a rotation. */
  readonly rotatedFrom: SessionId | null;
  readonly provider: string;
  readonly model: string;
  readonly cwd: string | null;
  readonly startedAt: number;
  /** Time of the newest message, or `startedAt`. */
  readonly activeAt: number;
  readonly endedAt: number | null;
  readonly endReason: EndReason | null;
  readonly messageCount: number;
  readonly toolCallCount: number;
  readonly modelCallCount: number;
  readonly usage: Usage;
  /** US dollars; null as soon as one call's price was unknown. */
  readonly costUsd: number | null;
  /** What the compression that made this session came to, in tokens of a request; null = it was made otherwise. */
  readonly compression: { readonly before: number; readonly after: number } | null;
  readonly deletedAt: number | null;
}

export interface NewSession {
  /** Made with `newSessionId`; absent = the store makes one. */
  readonly id?: SessionId;
  readonly source: string;
  readonly provider: string;
  readonly model: string;
  readonly cwd: string | null;
  readonly systemPrompt: Redacted<string>;
  /** Absent = a new conversation `cli:<id>`. */
  readonly conversation?: ConversationKey;
  readonly parent?: SessionId;
}

/** How a person names a session (R-SESS-1): the text is unwrapped of one matching pair of brackets or quotes. */
export type SessionLookup =
  /** `followed` = the id that was asked for had been compressed; `session` is the lineage's newest. */
  | { readonly kind: "found"; readonly session: SessionRecord; readonly followed: SessionId | null }
  | { readonly kind: "ambiguous"; readonly candidates: readonly SessionRecord[] }
  | { readonly kind: "none"; readonly nearest: readonly SessionRecord[] };

export interface SessionFilter {
  readonly source?: string;
  /** Leaves out sources that hide from lists (`tool`, `subagent`) and sessions in which nothing was said yet. */
  readonly listed?: boolean;
  readonly deleted?: boolean;
  readonly activeBefore?: number;
  readonly limit?: number;
  readonly offset?: number;
}

export interface SessionStats {
  readonly sessions: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly databaseBytes: number;
  readonly bySource: readonly { readonly source: string; readonly sessions: number; readonly messages: number }[];
}

export interface SessionStore {
  create(session: NewSession): Promise<SessionRecord>;
  get(id: SessionId): Promise<SessionRecord | undefined>;
  /** The stored (masked) system prompt of a session. */
  systemPrompt(id: SessionId): Promise<Redacted<string>>;
  /** By id, title, or unambiguous prefix of an id. Deleted sessions are not found unless `deleted` is set. */
  lookup(text: string, options?: { readonly deleted?: boolean }): Promise<SessionLookup>;
  /** The newest session by activity. */
  newest(filter?: SessionFilter): Promise<SessionRecord | undefined>;
  /** Newest first. Runs beside the writer. */
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>;
  /** How the first message of each session begins, as one line, to tell sessions without a title apart. */
  openings(ids: readonly SessionId[]): Promise<ReadonlyMap<SessionId, string>>;
  /** The sessions that were made of each (compressed, branched, taken back, delegated), in the order of their making. */
  children(ids: readonly SessionId[]): Promise<ReadonlyMap<SessionId, readonly SessionId[]>>;
  /** The sessions over which a conversation has come to this one, oldest first, this one last. Copies stand for what they copied. */
  lineage(id: SessionId): Promise<readonly SessionRecord[]>;
  /** Sets the title; titles are unique: an automatic one gets ` #2`, ` #3` …, never replaces a user's (B29); a user's clash is `taken`. */
  setTitle(
    id: SessionId,
    title: string,
    from: "user" | "auto",
  ): Promise<
    | { readonly kind: "set"; readonly title: string }
    | { readonly kind: "taken"; readonly by: SessionId }
    | { readonly kind: "kept"; readonly title: string }
  >;
  end(id: SessionId, reason: EndReason): Promise<void>;
  /** Opens an ended session again; its conversation is in it from now on. */
  reopen(id: SessionId): Promise<void>;
  /** Hides sessions; they can be restored for 7 days, then they are removed for good by `purge`. */
  delete(ids: readonly SessionId[]): Promise<number>;
  restore(ids: readonly SessionId[]): Promise<number>;
  /** Removes what was deleted before `olderThan` (ms UTC), with its messages and unused blobs. */
  purge(olderThan: number): Promise<number>;
  /** Removes a session in which nothing was said and that nobody holds; true if it did. */
  discardEmpty(id: SessionId): Promise<boolean>;
  stats(): Promise<SessionStats>;
}

export type StoredMessage = Message & { readonly id: MessageId; readonly seq: number; readonly createdAt: number };

/** What a model call added to its session; written in the transaction of the assistant message. */
export interface CallRecord {
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface MessageStore {
  /**
   * Commits one message at the session's end (`synchronous=FULL`) and returns its place.
   * Rejects with `store.lease_lost` when `lease` is no longer the session's.
   */
  append(
    session: SessionId,
    message: Redacted<Message>,
    options: { readonly lease: Lease; readonly call?: CallRecord },
  ): Promise<{ readonly id: MessageId; readonly seq: number; readonly createdAt: number }>;
  /** All messages in order, exactly as stored. */
  load(session: SessionId): Promise<readonly StoredMessage[]>;
  /** In pages, for export and long listings; runs beside the writer. */
  stream(session: SessionId): AsyncIterable<StoredMessage>;
  /** Those from one `seq` to another, both included. */
  range(session: SessionId, from: number, to: number): Promise<readonly StoredMessage[]>;
  /** Copies messages up to and including `throughSeq` into another (empty) session: branch and undo. */
  copy(from: SessionId, to: SessionId, throughSeq: number): Promise<number>;
}

export interface ConversationStore {
  current(key: ConversationKey): Promise<SessionId | undefined>;
  /**
   * Ends a session and puts its child in its place, with the child's messages and the caller's lease: all of it or nothing
   * (decision 12). Rejects with `store.conversation_moved` when the conversation is in another session by now.
   */
  rotate(rotation: Rotation): Promise<SessionRecord>;
}

/** A conversation's step from one session to the next. */
export interface Rotation {
  readonly key: ConversationKey;
  readonly from: SessionId;
  readonly child: NewSession;
  readonly reason: EndReason;
  /** The child's whole transcript, in order, with the times (ms UTC) at which it was said. Absent = it begins empty. */
  readonly messages?: readonly TimedMessage[];
  /** The caller's right to `from`; the same lease is its right to the child afterwards. */
  readonly lease?: Lease;
  /** What a compression came to. */
  readonly compression?: { readonly before: number; readonly after: number };
}

export interface TimedMessage {
  readonly message: Redacted<Message>;
  /** ms UTC. */
  readonly createdAt: number;
}

/** Who works on a session now. */
export interface LeaseHolder {
  readonly pid: number;
  readonly surface: string;
  readonly since: number;
}

/** The right to add to one session. Renewed by the store's owner through `renew`; free when released, expired, or its process is dead. */
export interface Lease {
  readonly session: SessionId;
  readonly token: string;
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LeaseStore {
  acquire(
    session: SessionId,
    surface: string,
  ): Promise<
    { readonly kind: "held"; readonly lease: Lease } | { readonly kind: "busy"; readonly holder: LeaseHolder }
  >;
  holder(session: SessionId): Promise<LeaseHolder | undefined>;
}

export interface SearchQuery {
  /** What the person typed: words, "phrases", AND OR NOT, prefix*; never a syntax error. */
  readonly text: string;
  readonly roles?: readonly Message["role"][];
  readonly session?: SessionId;
  /** Only this conversation, over all of its sessions. */
  readonly conversation?: ConversationKey;
  readonly source?: string;
  /** ms UTC, both included. */
  readonly from?: number;
  readonly to?: number;
  /** Leaves out sources that hide from lists, unless `source` names one. */
  readonly listed?: boolean;
  /** Leaves out what this session holds, wherever else the same messages stand in its conversation. */
  readonly besides?: SessionId;
  /** At most this many hits of one conversation; a message that was copied over sessions counts once. Absent = all, each where it stands. */
  readonly perConversation?: number;
  readonly sort?: "rank" | "newest" | "oldest";
  readonly limit: number;
}

export interface SearchHit {
  readonly messageId: MessageId;
  readonly session: SessionId;
  readonly seq: number;
  readonly role: Message["role"];
  readonly createdAt: number;
  /** Hits stand between `>>>` and `<<<`. */
  readonly snippet: string;
  readonly sessionTitle: string | null;
  readonly sessionStartedAt: number;
  readonly conversation: ConversationKey;
  readonly source: string;
  readonly model: string;
}

export interface SearchStore {
  /** `explanation` says why a query could find nothing (no searchable word in it). */
  query(query: SearchQuery): Promise<{ readonly hits: readonly SearchHit[]; readonly explanation?: string }>;
}

/** A session of another system, as it is to stand here. */
export interface ImportedSession extends Pick<
  SessionRecord,
  | "id"
  | "conversation"
  | "source"
  | "title"
  | "parent"
  | "rotatedFrom"
  | "provider"
  | "model"
  | "cwd"
  | "startedAt"
  | "endedAt"
  | "endReason"
  | "modelCallCount"
  | "usage"
  | "costUsd"
> {
  /** Empty = it is built anew when the session goes on. */
  readonly systemPrompt: Redacted<string>;
}

export type TimedMessages = AsyncIterable<TimedMessage> | Iterable<TimedMessage>;

export type ImportOutcome =
  | { readonly kind: "added"; readonly messages: number; readonly title: string | null }
  /** Nothing was changed: a session of that id is here, with so many messages. */
  | { readonly kind: "exists"; readonly messages: number; readonly isDeleted: boolean };

export interface ImportStore {
  /**
   * Adds a session with its messages, which come in order with times that never go back, under its own id: all of it or nothing. A
   * title that is taken gets a number. Sessions are added oldest first, parents before children.
   */
  add(session: ImportedSession, messages: TimedMessages): Promise<ImportOutcome>;
}

/** A background process as it is kept over restarts. */
export interface ProcessRecord {
  readonly id: ProcessId;
  readonly session: SessionId;
  readonly command: Redacted<string>;
  readonly cwd: string;
  readonly pid: number;
  /** The kernel's start time of the pid, so that a reused pid is not taken for it. */
  readonly pidStartedAt: string;
  readonly startedAt: number;
  readonly outputPath: string;
  readonly state:
    | { readonly kind: "running" }
    | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null; readonly at: number }
    | { readonly kind: "lost"; readonly at: number };
}

export interface ProcessStore {
  put(record: ProcessRecord): Promise<void>;
  setState(id: ProcessId, state: ProcessRecord["state"]): Promise<void>;
  get(id: ProcessId): Promise<ProcessRecord | undefined>;
  list(filter: { readonly session?: SessionId; readonly limit: number }): Promise<readonly ProcessRecord[]>;
}

export interface BlobStore {
  /** Keeps bytes under their SHA-256 (hex); the same bytes are kept once. */
  put(bytes: Uint8Array): Promise<string>;
  get(hash: string): Promise<Uint8Array | undefined>;
}
