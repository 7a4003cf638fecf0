import { SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { CompiledQuery, DatabaseConnection, Dialect, DialectAdapter, QueryResult } from "kysely";
import type { StatementResult } from "./connection.ts";

/** Runs one compiled statement. */
export type Execute = (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>;

/**
 * Kysely's way into node:sqlite. Transactions are not Kysely's: the writer opens and ends them (see `writer.ts`), so that
 * none is open while something else is awaited.
 */
export const createDialect = (execute: Execute): Dialect => {
  const connection = createConnection(execute);
  return {
    createAdapter: () => ADAPTER,
    createDriver: () => ({
      init: nothing,
      acquireConnection: () => Promise.resolve(connection),
      releaseConnection: nothing,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      destroy: nothing,
    }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
};

const createConnection = (execute: Execute): DatabaseConnection => ({
  executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    const { rows, changes } = await execute(query.sql, query.parameters);
    // The row type is what the query builder computed from the schema.
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  },
  streamQuery: () => {
    throw new Error("long results are read in pages");
  },
});

const ADAPTER: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsReturning: true,
  supportsTransactionalDdl: false,
  // Every query may use the connection at once: a query is synchronous, and the writer orders transactions itself.
  supportsMultipleConnections: true,
  acquireMigrationLock: () => refuse(),
  releaseMigrationLock: () => refuse(),
};

const nothing = (): Promise<void> => Promise.resolve();

const refuse = (): Promise<never> => Promise.reject(new Error("transactions and migrations do not go through Kysely"));
