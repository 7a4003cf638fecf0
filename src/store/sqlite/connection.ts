import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { bindable } from "./bindable.ts";

/** A row as node:sqlite gives it. */
type Row = Record<string, unknown>;

/** What a statement did. `changes` is 0 for one that only reads. */
export interface StatementResult {
  readonly rows: Row[];
  readonly changes: number;
}

/** One SQLite connection. Statements are prepared once and kept; parameters are checked. Errors are SQLite's own. */
export interface Connection {
  readonly path: string;
  readonly database: DatabaseSync;
  run(sql: string, parameters?: readonly unknown[]): StatementResult;
  close(): void;
}

/**
 * How long SQLite itself waits for another connection's lock, blocking this thread. Short, because the event loop stands
 * still meanwhile; whoever needs longer waits asynchronously between tries.
 */
const BUSY_TIMEOUT_MS = 20;
const MOST_STATEMENTS = 200;
/** Pages kept in memory, KiB: what searches and loads look at again; one that writes looks at little. */
const CACHE_KIB = { reading: 16_000, writing: 4_000 };

/** Opens a connection to an existing database file. */
export const openConnection = (path: string, options: { readonly readOnly: boolean }): Connection => {
  const database = new DatabaseSync(path, { readOnly: options.readOnly, timeout: BUSY_TIMEOUT_MS });
  const cache = options.readOnly ? CACHE_KIB.reading : CACHE_KIB.writing;
  database.exec(`PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-${cache}`);
  const statements = new Map<string, StatementSync>();

  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql);
    const statement = known ?? database.prepare(sql);
    // Taken out and put in again: the map's first entry is the one that was not used for longest.
    statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > MOST_STATEMENTS && oldest !== undefined) statements.delete(oldest);
    return statement;
  };

  return {
    path,
    database,
    run: (sql, parameters = []) => {
      const values = bindable(parameters);
      const statement = prepared(sql);
      if (statement.columns().length > 0) return { rows: statement.all(...values), changes: 0 };
      return { rows: [], changes: Number(statement.run(...values).changes) };
    },
    close: () => {
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
};
