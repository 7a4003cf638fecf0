import type { Clock } from "../base/clock.ts";
import { isAlive } from "../base/process-tree.ts";
import { createBlobFiles } from "./blobs.ts";
import { createConversationStore } from "./conversations.ts";
import { addSession } from "./import/add-session.ts";
import { createLeaseStore } from "./leases.ts";
import { createMemoryStore } from "./memory.ts";
import { createMessageStore } from "./messages.ts";
import { migrate, userVersionOf } from "./migrate.ts";
import { ALL_MIGRATIONS } from "./migrations/all-migrations.ts";
import type { Migration } from "./migrations/migration.ts";
import { createProcessStore } from "./processes.ts";
import { createSessionStore } from "./sessions.ts";
import { refuseEmptied } from "./refuse-emptied.ts";
import { createSelfChangeStore } from "./self-changes.ts";
import { createSpendBook } from "./spend.ts";
import { openConnection } from "./sqlite/connection.ts";
import type { Reader } from "./sqlite/reader.ts";
import { openReader } from "./sqlite/reader.ts";
import { translateSqliteError } from "./sqlite/sqlite-error.ts";
import { createWriter } from "./sqlite/writer.ts";
import type { Store } from "./store.ts";
import { createQueryWorker } from "./worker/query-worker.ts";

/** Where the store lives and who opens it. */
export interface OpenStoreOptions {
  /** `hermes.db` in the home; made (0600) when missing. Copies before migrations go to `backups/` beside it. */
  readonly path: string;
  readonly blobsDirectory: string;
  readonly locksDirectory: string;
  readonly clock: Clock;
  readonly owner: { readonly pid: number; readonly surface: string };
  /** The module of the worker thread. Default: the source beside this file, or `store-worker.js` beside its bundle. */
  readonly workerEntry?: URL;
  /** Default: all of this version. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the database, migrating it first where needed. Throws `store.newer`, `store.no_locks`, `store.unusable`,
 * `store.damaged`, `store.emptied`. Close it when done: that gives back leases and ends the worker thread.
 */
export const openStore = async (options: OpenStoreOptions): Promise<Store> => {
  const { path, clock, owner, migrations = ALL_MIGRATIONS } = options;
  await refuseEmptied(options);
  await migrate({ path, clock, migrations, locksDirectory: options.locksDirectory });
  const { connection, reader } = openBoth(path, clock);
  const writer = createWriter({
    connection,
    clock,
    userVersion: userVersionOf(migrations),
    describeHolder: () => describeOthers(reader, owner.pid),
  });
  const worker = createQueryWorker({ path, entry: options.workerEntry ?? defaultWorkerEntry() });
  const blobs = createBlobFiles(options.blobsDirectory, clock);
  const leases = createLeaseStore({ writer, reader, clock, pid: owner.pid });
  return {
    sessions: createSessionStore({ writer, reader, worker, blobs, clock }),
    messages: createMessageStore({ writer, reader, worker, clock }),
    conversations: createConversationStore({ writer, reader, clock }),
    leases,
    search: { query: (query) => worker.search(query) },
    imports: { add: (session, messages) => addSession(writer, session, messages) },
    processes: createProcessStore({ writer, reader }),
    spend: createSpendBook({ writer, reader }),
    memory: createMemoryStore({ writer, reader, clock }),
    selfChanges: createSelfChangeStore({ writer, reader, clock }),
    blobs,
    close: async () => {
      await worker.close();
      await leases.close();
      // The writer last: the connection that closes last folds the journal into the database, which a reader may not.
      reader.close();
      await writer.close();
    },
  };
};

const openBoth = (path: string, clock: Clock): { connection: ReturnType<typeof openConnection>; reader: Reader } => {
  try {
    // The writer first: it makes the files of the journal, which a read-only connection may not.
    return { connection: openConnection(path, { readOnly: false }), reader: openReader(path, clock) };
  } catch (error) {
    throw translateSqliteError(error, path);
  }
};

const defaultWorkerEntry = (): URL =>
  import.meta.url.endsWith(".ts")
    ? new URL("worker/main.ts", import.meta.url)
    : new URL("store-worker.js", import.meta.url);

/** The other processes that work with this database now, as far as they hold sessions; for the message of `store.busy`. */
const describeOthers = async (reader: Reader, ownPid: number): Promise<string> => {
  const rows = await reader.db.selectFrom("leases").selectAll().where("pid", "!=", ownPid).execute();
  const living = await Promise.all(
    rows.map(async (row) => ((await isAlive(row.pid, row.pid_started_at)) ? [row] : [])),
  );
  const names = living.flat().map((row) => `process ${row.pid} (${row.surface})`);
  return names.length === 0 ? "another process" : [...new Set(names)].join(", ");
};
