import { Kysely } from "kysely";
import type { Clock } from "../../base/clock.ts";
import { storeErrors } from "../errors.ts";
import type { StoreTables } from "../tables.ts";
import type { Connection } from "./connection.ts";
import { createDialect } from "./dialect.ts";
import { afterThisTurn, nextTurn } from "../../base/event-loop-turn.ts";
import type { Queries } from "./queries.ts";
import { isBusy, translateSqliteError } from "./sqlite-error.ts";

/** The one connection of this process that writes. */
export interface Writer {
  /**
   * Runs `work` in one `BEGIN IMMEDIATE` transaction, in the order of the calls; commits when it resolves, rolls back when
   * it rejects. `work` may await its own queries and nothing else: a transaction that is still open when the event loop
   * goes on is rolled back and the call rejects with `store.transaction_left_open`.
   *
   * What it commits is on the disk when the call resolves. With `sync: "later"` it is not waited for: the end of this process
   * loses nothing, a power failure may, until the next transaction of the other kind.
   */
  write<T>(work: (db: Queries) => Promise<T>, options?: { readonly sync: "later" }): Promise<T>;
  /** Waits for the running transaction, then closes. Later calls reject with `store.closed`. */
  close(): Promise<void>;
}

/** What the writer is made of. */
export interface WriterDeps {
  readonly connection: Connection;
  readonly clock: Clock;
  /** The schema this program knows; a database that says otherwise is not written to (`store.outdated`). */
  readonly userVersion: number;
  /** Who may be keeping the database locked, in words. */
  readonly describeHolder: () => Promise<string>;
}

const LONGEST_WAIT_MS = 15_000;
const FIRST_RETRY_MS = 2;
const LONGEST_RETRY_MS = 200;

/** Makes the writer over an open connection, which it then owns. */
export const createWriter = (deps: WriterDeps): Writer => {
  const { connection } = deps;
  const gate = { isOpen: false };
  const db = new Kysely<StoreTables>({
    dialect: createDialect(async (sql, parameters) => {
      if (!gate.isOpen) throw storeErrors.transactionOver({});
      return runTranslated(connection, sql, parameters);
    }),
  });
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const inOrder = <T>(step: () => Promise<T>): Promise<T> => {
    const result = last.then(step);
    // A failure is its caller's to hear; the queue goes on. A turn between transactions, because a row of them would
    // otherwise keep the event loop from everything else.
    last = result.catch(() => undefined).then(nextTurn);
    return result;
  };

  return {
    write: (work, options) => {
      if (isClosed) return Promise.reject(storeErrors.closed({}));
      return inOrder(async () => {
        using _ = options?.sync === "later" ? withoutSync(connection) : undefined;
        await beginImmediate(deps);
        return await runOpen({ connection, gate, userVersion: deps.userVersion }, () => work(db));
      });
    },
    close: async () => {
      isClosed = true;
      await last;
      connection.close();
    },
  };
};

/** Until it is disposed, commits are left to the operating system to write. It can't be changed within a transaction. */
const withoutSync = (connection: Connection): Disposable => {
  connection.run("PRAGMA synchronous = NORMAL");
  return { [Symbol.dispose]: () => void connection.run("PRAGMA synchronous = FULL") };
};

const runTranslated = (
  connection: Connection,
  sql: string,
  parameters: readonly unknown[] = [],
): ReturnType<Connection["run"]> => {
  try {
    return connection.run(sql, parameters);
  } catch (error) {
    throw translateSqliteError(error, connection.path);
  }
};

/** Takes the write lock, waiting for other processes without blocking the event loop for longer than SQLite's own short wait. */
const beginImmediate = async ({ connection, clock, describeHolder }: WriterDeps): Promise<void> => {
  const end = clock.monotonic() + LONGEST_WAIT_MS;
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
    try {
      connection.run("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw translateSqliteError(error, connection.path);
      if (clock.monotonic() >= end) {
        const holder = await describeHolder();
        throw storeErrors.busy({ path: connection.path, holder, seconds: LONGEST_WAIT_MS / 1_000 }, error);
      }
    }
    await clock.sleep(retryMs);
  }
};

interface OpenTransaction {
  readonly connection: Connection;
  /** Lets queries through only while the transaction runs. */
  readonly gate: { isOpen: boolean };
  readonly userVersion: number;
}

const runOpen = async <T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> => {
  const { connection, gate, userVersion } = transaction;
  let wasLeftOpen = false;
  gate.isOpen = true;
  const rollBack = (): void => {
    gate.isOpen = false;
    if (connection.database.isTransaction) connection.run("ROLLBACK");
  };
  // The lock goes at once, not when the work comes back: other processes wait for it.
  using _ = afterThisTurn(() => {
    wasLeftOpen = true;
    rollBack();
  });
  try {
    const [stamp] = connection.run("PRAGMA user_version").rows;
    if (stamp?.["user_version"] !== userVersion) throw storeErrors.outdated({});
    const result = await work();
    if (wasLeftOpen) throw storeErrors.transactionLeftOpen({});
    gate.isOpen = false;
    runTranslated(connection, "COMMIT");
    return result;
  } catch (error) {
    rollBack();
    throw wasLeftOpen ? storeErrors.transactionLeftOpen({}, error) : error;
  }
};
