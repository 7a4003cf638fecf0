import { Kysely } from "kysely";
import type { Clock } from "../../base/clock.ts";
import { storeErrors } from "../errors.ts";
import type { StoreTables } from "../tables.ts";
import { openConnection } from "./connection.ts";
import type { Queries } from "./queries.ts";
import { createDialect } from "./dialect.ts";
import type { Execute } from "./dialect.ts";
import { isBusy, translateSqliteError } from "./sqlite-error.ts";

/** A read-only connection: each query sees what was committed before it, never a part of a transaction. */
export interface Reader {
  readonly db: Queries;
  close(): void;
}

const LONGEST_WAIT_MS = 10_000;
const RETRY_MS = 20;

/** Opens a read-only connection. */
export const openReader = (path: string, clock: Clock): Reader => {
  const connection = openConnection(path, { readOnly: true });

  // Readers never wait for writers in WAL mode; busy comes only while a crash is being recovered from.
  const execute: Execute = async (sql, parameters) => {
    const end = clock.monotonic() + LONGEST_WAIT_MS;
    for (;;) {
      if (!connection.database.isOpen) throw storeErrors.closed({});
      try {
        return connection.run(sql, parameters);
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() >= end) throw translateSqliteError(error, path);
      }
      await clock.sleep(RETRY_MS);
    }
  };

  return { db: new Kysely<StoreTables>({ dialect: createDialect(execute) }), close: () => connection.close() };
};
