import { DatabaseSync } from "node:sqlite";

/** A row of the Python system's `sessions`; what is left out is null. */
export type PythonSession = { readonly id: string } & Readonly<Record<string, string | number | null>>;
/** A row of its `messages`; ids count from 1 in the order of insertion. */
export type PythonMessage = { readonly session_id: string; readonly role: string } & Readonly<
  Record<string, string | number | null | Uint8Array>
>;

/** The database of the Python system (compat 3.5), open as that program has it. */
export interface PythonState extends Disposable {
  readonly database: DatabaseSync;
  readonly session: (row: PythonSession) => void;
  readonly message: (row: PythonMessage) => void;
}

/** Makes `state.db` at `path` with the documented schema 13. It stays in WAL mode, its journal unfolded while it is open. */
export const createPythonState = (path: string): PythonState => {
  const database = new DatabaseSync(path);
  database.exec(SCHEMA);
  const insert = (table: string, row: Readonly<Record<string, string | number | null | Uint8Array>>): void => {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`).run(...Object.values(row));
  };
  return {
    database,
    session: (row) => insert("sessions", { source: "cli", model: "acme-1", started_at: 1_700_000_000.5, ...row }),
    message: (row) => insert("messages", { timestamp: 1_700_000_001.25, ...row }),
    [Symbol.dispose]: () => {
      if (database.isOpen) database.close();
    },
  };
};

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA wal_autocheckpoint = 0;
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  INSERT INTO schema_version VALUES (13);
  CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
    billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL,
    cost_status TEXT, cost_source TEXT, pricing_version TEXT, title TEXT, api_call_count INTEGER DEFAULT 0,
    handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT,
    FOREIGN KEY (parent_session_id) REFERENCES sessions (id)
  );
  CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions (title) WHERE title IS NOT NULL;
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions (id), role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT,
    reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT, codex_message_items TEXT,
    platform_message_id TEXT, observed INTEGER DEFAULT 0
  );
  CREATE INDEX idx_messages_session ON messages (session_id, timestamp);
`;
