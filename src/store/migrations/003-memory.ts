import type { Migration } from "./migration.ts";

/**
 * What stands beside MEMORY.md and USER.md: where each entry came from, what was taken out of them, and every change; and what the
 * agent wants to write for its future self while the owner has not agreed yet. All texts are masked.
 */
export const memory: Migration = {
  name: "003-memory",
  sql: `
    -- The entries of the files as they were seen last.
    CREATE TABLE memory_entries (
      target TEXT NOT NULL CHECK (target IN ('memory', 'user')),
      -- SHA-256 of the entry as it stands in the file.
      hash TEXT NOT NULL,
      text TEXT NOT NULL,
      added_at INTEGER NOT NULL,
      source TEXT NOT NULL CHECK (source IN ('tool', 'command', 'file', 'model')),
      session TEXT,
      pinned INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (target, hash)
    ) STRICT;

    CREATE TABLE memory_archive (
      n INTEGER PRIMARY KEY AUTOINCREMENT,
      target TEXT NOT NULL CHECK (target IN ('memory', 'user')),
      hash TEXT NOT NULL,
      text TEXT NOT NULL,
      added_at INTEGER NOT NULL,
      source TEXT NOT NULL,
      session TEXT,
      archived_at INTEGER NOT NULL,
      reason TEXT NOT NULL CHECK (reason IN ('overflow', 'removed', 'replaced', 'merged', 'by_hand')),
      change INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX memory_archive_by_hash ON memory_archive (target, hash);

    CREATE TABLE memory_changes (
      n INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      target TEXT NOT NULL CHECK (target IN ('memory', 'user')),
      kind TEXT NOT NULL CHECK (kind IN ('add', 'replace', 'remove', 'reset', 'edit', 'found', 'merge', 'undo')),
      source TEXT NOT NULL,
      session TEXT,
      -- JSON lists of {hash, text, place}.
      removed TEXT NOT NULL,
      added TEXT NOT NULL,
      -- The change that this one takes back, and the one that took this one back.
      undoes INTEGER,
      undone_by INTEGER
    ) STRICT;

    CREATE TABLE self_changes (
      n INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      -- Who can carry it out: 'memory', 'skill', …
      kind TEXT NOT NULL,
      session TEXT,
      summary TEXT NOT NULL,
      payload TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected')),
      decided_at INTEGER
    ) STRICT;
    CREATE INDEX self_changes_by_state ON self_changes (state, n);
  `,
};
