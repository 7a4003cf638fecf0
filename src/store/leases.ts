import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import { isAlive, processStartTime } from "../base/process-tree.ts";
import { storeErrors } from "./errors.ts";
import type { Queries } from "./sqlite/queries.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { Lease, LeaseHolder, LeaseStore } from "./store.ts";
import type { StoreTables } from "./tables.ts";

/** What the lease store is made of. */
export interface LeaseDeps {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly pid: number;
}

/** The lease store with its lifetime. */
export interface OwnedLeases extends LeaseStore {
  /** Stops renewing and gives back what is still held. Call it before the writer closes. */
  close(): Promise<void>;
}

const LEASE_MS = 60_000;
const RENEWAL_MS = 15_000;

type LeaseRow = StoreTables["leases"];

/** Who may add to which session (decision 10). What is held is renewed every 15 s until it is released. */
export const createLeaseStore = (deps: LeaseDeps): OwnedLeases => {
  const { clock } = deps;
  const held = new Map<string, Lease>();
  const renewal = createRenewal(clock, held);

  const createLease = (session: SessionId, token: string): Lease => {
    const lease: Lease = {
      session,
      token,
      renew: async () => {
        const isOurs = await renewRow(deps, token);
        if (!isOurs) held.delete(token);
        return isOurs;
      },
      release: async () => {
        held.delete(token);
        await deps.writer.write((db) => db.deleteFrom("leases").where("token", "=", token).execute());
      },
    };
    held.set(token, lease);
    renewal.start();
    return lease;
  };

  return {
    acquire: async (session, surface) => {
      const token = randomUUID();
      const busy = await takeRow(deps, { session, surface, token });
      if (busy !== undefined) return { kind: "busy", holder: toHolder(busy) };
      return { kind: "held", lease: createLease(session, token) };
    },
    holder: async (session) => {
      const row = await rowOf(deps.reader.db, session);
      return row === undefined || !(await isHeld(row, clock)) ? undefined : toHolder(row);
    },
    close: async () => {
      renewal.stop();
      // What cannot be given back is free anyway as soon as this process has ended.
      await Promise.allSettled([...held.values()].map((lease) => lease.release()));
    },
  };
};

/** Renews all held leases now and then; runs only while there are any, and does not keep the process alive. */
const createRenewal = (clock: Clock, held: ReadonlyMap<string, Lease>): { start(): void; stop(): void } => {
  let next: Disposable | undefined;
  let isStopped = false;
  const start = (): void => {
    if (isStopped || next !== undefined) return;
    const deadline = clock.deadline(RENEWAL_MS);
    next = deadline;
    deadline.signal.addEventListener("abort", () => void renewAll());
  };
  const renewAll = async (): Promise<void> => {
    // One that fails (busy, disk full) leaves time for three more tries; whoever lost a lease is told by `append`.
    await Promise.allSettled([...held.values()].map((lease) => lease.renew()));
    next = undefined;
    if (held.size > 0) start();
  };
  const stop = (): void => {
    isStopped = true;
    next?.[Symbol.dispose]();
  };
  return { start, stop };
};

const renewRow = async ({ writer, clock }: LeaseDeps, token: string): Promise<boolean> =>
  writer.write(async (db) => {
    const result = await db
      .updateTable("leases")
      .set({ expires_at: clock.now() + LEASE_MS })
      .where("token", "=", token)
      .executeTakeFirstOrThrow();
    return result.numUpdatedRows > 0n;
  });

const rowOf = (db: Queries, session: SessionId): Promise<LeaseRow | undefined> =>
  db
    .selectFrom("leases")
    .innerJoin("sessions", "sessions.n", "leases.session")
    .selectAll("leases")
    .where("sessions.id", "=", session)
    .executeTakeFirst();

const isHeld = async (row: LeaseRow, clock: Clock): Promise<boolean> =>
  row.expires_at > clock.now() && (await isAlive(row.pid, row.pid_started_at));

interface TakeRequest {
  readonly session: SessionId;
  readonly surface: string;
  readonly token: string;
}

/**
 * Takes the row, or returns the one that is in the way. Whether its owner lives is asked outside of the transaction; inside,
 * only the very row that was found dead is replaced.
 */
const takeRow = async (deps: LeaseDeps, request: TakeRequest): Promise<LeaseRow | undefined> => {
  const pidStartedAt = (await processStartTime(deps.pid)) ?? "";
  for (;;) {
    const current = await rowOf(deps.reader.db, request.session);
    if (current !== undefined && (await isHeld(current, deps.clock))) return current;
    const wasTaken = await deps.writer.write((db) =>
      replaceRow(db, { ...request, deps, pidStartedAt, deadToken: current?.token }),
    );
    if (wasTaken) return undefined;
  }
};

const replaceRow = async (
  db: Queries,
  request: TakeRequest & {
    readonly deps: LeaseDeps;
    readonly pidStartedAt: string;
    readonly deadToken: string | undefined;
  },
): Promise<boolean> => {
  const current = await rowOf(db, request.session);
  if (current?.token !== request.deadToken) return false;
  const session = await db.selectFrom("sessions").select("n").where("id", "=", request.session).executeTakeFirst();
  if (session === undefined) throw storeErrors.noSession({ session: request.session });
  const now = request.deps.clock.now();
  await db.deleteFrom("leases").where("session", "=", session.n).execute();
  await db
    .insertInto("leases")
    .values({
      session: session.n,
      token: request.token,
      pid: request.deps.pid,
      pid_started_at: request.pidStartedAt,
      surface: request.surface,
      since: now,
      expires_at: now + LEASE_MS,
    })
    .execute();
  return true;
};

const toHolder = (row: LeaseRow): LeaseHolder => ({ pid: row.pid, surface: row.surface, since: row.since });
