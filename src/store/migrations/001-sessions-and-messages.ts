import type { Migration } from "./migration.ts";

/** The first schema: sessions, messages with their search index, conversations, leases, processes. */
export const sessionsAndMessages: Migration = {
  name: "001-sessions-and-messages",
  sql: `
    CREATE TABLE sessions (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      conversation TEXT NOT NULL,
      source TEXT NOT NULL,
      title TEXT,
      title_from TEXT CHECK (title_from IN ('user', 'auto')),
      parent TEXT,
      rotated_from TEXT,
      provider TEXT NOT NULL,
      model TEXT NOT NULL,
      cwd TEXT,
      started_at INTEGER NOT NULL,
      active_at INTEGER NOT NULL,
      ended_at INTEGER,
      end_reason TEXT,
      message_count INTEGER NOT NULL,
      tool_call_count INTEGER NOT NULL,
      model_call_count INTEGER NOT NULL,
      input_tokens INTEGER,
      output_tokens INTEGER,
      cache_read_tokens INTEGER,
      cache_write_tokens INTEGER,
      reasoning_tokens INTEGER,
      cost_usd REAL,
      deleted_at INTEGER
    ) STRICT;
    CREATE INDEX sessions_by_activity ON sessions (active_at);
    CREATE UNIQUE INDEX sessions_by_title ON sessions (title) WHERE title IS NOT NULL AND deleted_at IS NULL;
    CREATE INDEX sessions_by_rotation ON sessions (rotated_from) WHERE rotated_from IS NOT NULL;

    CREATE TABLE session_prompts (
      session INTEGER PRIMARY KEY REFERENCES sessions (n),
      text TEXT NOT NULL
    ) STRICT;

    -- No foreign key: a copy that is not complete stands under the session's negative number.
    CREATE TABLE messages (
      n INTEGER PRIMARY KEY,
      session INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
      created_at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX messages_by_place ON messages (session, seq);

    -- The prefix index is for the shortest prefixes that are searched: they would read a large part of the index.
    CREATE VIRTUAL TABLE message_text USING fts5 (
      words, cjk, content = '', contentless_delete = 1, prefix = '2', tokenize = 'unicode61 remove_diacritics 2'
    );

    CREATE TABLE message_blobs (
      message INTEGER NOT NULL REFERENCES messages (n),
      hash TEXT NOT NULL,
      PRIMARY KEY (message, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX message_blobs_by_hash ON message_blobs (hash);

    CREATE TABLE conversations (
      key TEXT PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (n)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX conversations_by_session ON conversations (session);

    CREATE TABLE leases (
      session INTEGER PRIMARY KEY REFERENCES sessions (n),
      token TEXT NOT NULL,
      pid INTEGER NOT NULL,
      pid_started_at TEXT NOT NULL,
      surface TEXT NOT NULL,
      since INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE processes (
      id TEXT PRIMARY KEY,
      session TEXT NOT NULL,
      command TEXT NOT NULL,
      cwd TEXT NOT NULL,
      pid INTEGER NOT NULL,
      pid_started_at TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      output_path TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'exited', 'lost')),
      exit_code INTEGER,
      exit_signal TEXT,
      state_at INTEGER
    ) STRICT;
    CREATE INDEX processes_by_session ON processes (session, started_at);
    CREATE INDEX processes_by_start ON processes (started_at);
  `,
};
