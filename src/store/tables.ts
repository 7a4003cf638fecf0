import type { ColumnType, Generated } from "kysely";
import type { ArchiveReason, MemoryChangeKind, MemorySource } from "./memory-store.ts";
import type { EndReason } from "./store.ts";

/** A session; see `migrations/` for the constraints. */
export interface SessionTable {
  /** Order of creation; what other tables refer to. */
  n: number;
  id: string;
  conversation: string;
  source: string;
  title: string | null;
  title_from: "user" | "auto" | null;
  parent: string | null;
  /** The session whose place this one took in its conversation (compression); null = it was not made by a rotation. */
  rotated_from: string | null;
  provider: string;
  model: string;
  cwd: string | null;
  started_at: number;
  active_at: number;
  ended_at: number | null;
  end_reason: EndReason | null;
  /** Also the `seq` of the newest message: they are contiguous from 1. */
  message_count: number;
  tool_call_count: number;
  model_call_count: number;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  cost_usd: number | null;
  /** Tokens of a request before and after the compression that made it; null = it was made otherwise. */
  compressed_from: number | null;
  compressed_to: number | null;
  /** ms UTC; 0 = its removal for good has begun. */
  deleted_at: number | null;
}

/** A message; `body` is the whole message as JSON. */
export interface MessageTable {
  /** Grows with the time of the message (see `message-key.ts`), so that newest first is the index's own order. */
  n: number;
  /** `sessions.n`; negative while a copy into that session is not complete. */
  session: number;
  seq: number;
  id: string;
  role: "user" | "assistant" | "tool";
  created_at: number;
  body: string;
}

/** One call of a model, or one session from before; `held_*` is what caps count, money is in micro-dollars. */
export interface SpendTable {
  n: Generated<number>;
  /** ms UTC. */
  at: number;
  /** The owner's local day, `2026-12-01`. */
  day: string;
  provider: string;
  model: string;
  purpose: string;
  source: string;
  session: string | null;
  root: string | null;
  job: string | null;
  calls: Generated<number>;
  state: "reserved" | "settled";
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  cost_micros: number | null;
  held_tokens: number;
  held_micros: number;
  uncounted: Computed;
  unpriced: Computed;
}

/** A column that the database computes. */
type Computed = ColumnType<number, never, never>;

/** Sums of `spend`; columns as there. */
type SpendSums = {
  [
    Column in
      | "calls"
      | "uncounted"
      | "unpriced"
      | "input_tokens"
      | "output_tokens"
      | "cache_read_tokens"
      | "cache_write_tokens"
      | "reasoning_tokens"
      | "cost_micros"
      | "held_tokens"
      | "held_micros"
  ]: Computed;
};

/** An entry of MEMORY.md (`memory`) or USER.md (`user`) as it was seen last. */
export interface MemoryEntryTable {
  target: "memory" | "user";
  hash: string;
  text: string;
  added_at: number;
  source: MemorySource;
  session: string | null;
  pinned: number;
}

/** An entry that is in its file no more. */
export interface MemoryArchiveTable extends Omit<MemoryEntryTable, "pinned"> {
  n: number;
  archived_at: number;
  reason: ArchiveReason;
  change: number;
}

/** One change of one file; `removed` and `added` are JSON. */
export interface MemoryChangeTable {
  n: number;
  at: number;
  target: "memory" | "user";
  kind: MemoryChangeKind;
  source: MemorySource;
  session: string | null;
  removed: string;
  added: string;
  undoes: number | null;
  undone_by: number | null;
}

/** What the agent wants to write for its future self. */
export interface SelfChangeTable {
  n: number;
  at: number;
  kind: string;
  session: string | null;
  summary: string;
  payload: string;
  state: "pending" | "approved" | "rejected";
  decided_at: number | null;
}

/** A table whose number the database gives. */
type Numbered<Table extends { n: number }> = Omit<Table, "n"> & { n: Generated<number> };

/** The tables of `hermes.db`. */
export interface StoreTables {
  sessions: Omit<SessionTable, "n"> & { n: Generated<number> };
  /** Apart from `sessions`, so that listing those does not read them. */
  session_prompts: { session: number; text: string };
  messages: MessageTable;
  /** FTS5 without content: `rowid` is `messages.n`. `message_text` is the pseudo-column that MATCH takes. */
  message_text: {
    rowid: number;
    words: string;
    cjk: string;
    tags: string;
    message_text: ColumnType<string, never, never>;
  };
  /** Which blobs a message shows. */
  message_blobs: { message: number; hash: string };
  conversations: { key: string; session: number };
  leases: {
    session: number;
    token: string;
    pid: number;
    pid_started_at: string;
    surface: string;
    since: number;
    expires_at: number;
  };
  processes: {
    id: string;
    session: string;
    command: string;
    cwd: string;
    pid: number;
    pid_started_at: string;
    started_at: number;
    output_path: string;
    state: "running" | "exited" | "lost";
    exit_code: number | null;
    exit_signal: string | null;
    state_at: number | null;
  };
  spend: SpendTable;
  /** `spend` by the day and by the month, kept by triggers. */
  spend_days: SpendSums & { day: string; source: string; provider: string; model: string };
  spend_months: SpendSums & { month: string; source: string; provider: string; model: string };
  /** What the owner was told already, and how far. */
  spend_told: { what: string; mark: number };
  /** A view: the first session of the line that a session continues. */
  session_roots: { id: string; root: string };
  memory_entries: MemoryEntryTable;
  memory_archive: Numbered<MemoryArchiveTable>;
  memory_changes: Numbered<MemoryChangeTable>;
  self_changes: Numbered<SelfChangeTable>;
  migrations: { name: string; applied_at: number };
}
