import type { ProcessId, SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Reader } from "./sqlite/reader.ts";
import type { Writer } from "./sqlite/writer.ts";
import type { ProcessRecord, ProcessStore } from "./store.ts";
import type { StoreTables } from "./tables.ts";

type ProcessRow = StoreTables["processes"];
type StateColumns = Pick<ProcessRow, "state" | "exit_code" | "exit_signal" | "state_at">;

/** Background processes as they are kept over restarts. */
export const createProcessStore = (deps: { readonly writer: Writer; readonly reader: Reader }): ProcessStore => ({
  put: async (record) => {
    const row = toRow(record);
    await deps.writer.write((db) =>
      db
        .insertInto("processes")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute(),
    );
  },
  setState: async (id, state) => {
    await deps.writer.write((db) =>
      db.updateTable("processes").set(stateColumns(state)).where("id", "=", id).execute(),
    );
  },
  get: async (id) => {
    const row = await deps.reader.db.selectFrom("processes").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? undefined : toRecord(row);
  },
  list: async ({ session, limit }) => {
    const rows = await deps.reader.db
      .selectFrom("processes")
      .selectAll()
      .$if(session !== undefined, (select) => select.where("session", "=", session ?? ""))
      .orderBy("started_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  },
});

const toRow = (record: ProcessRecord): ProcessRow => ({
  id: record.id,
  session: record.session,
  command: record.command,
  cwd: record.cwd,
  pid: record.pid,
  pid_started_at: record.pidStartedAt,
  started_at: record.startedAt,
  output_path: record.outputPath,
  ...stateColumns(record.state),
});

const stateColumns = (state: ProcessRecord["state"]): StateColumns => {
  switch (state.kind) {
    case "running":
      return { state: "running", exit_code: null, exit_signal: null, state_at: null };
    case "exited":
      return { state: "exited", exit_code: state.code, exit_signal: state.signal, state_at: state.at };
    case "lost":
      return { state: "lost", exit_code: null, exit_signal: null, state_at: state.at };
  }
};

const toState = (row: StateColumns): ProcessRecord["state"] => {
  switch (row.state) {
    case "running":
      return { kind: "running" };
    case "exited":
      return { kind: "exited", code: row.exit_code, signal: row.exit_signal, at: row.state_at ?? 0 };
    case "lost":
      return { kind: "lost", at: row.state_at ?? 0 };
  }
};

const toRecord = (row: ProcessRow): ProcessRecord => ({
  id: row.id as ProcessId,
  session: row.session as SessionId,
  // `put` takes only masked commands.
  command: row.command as Redacted<string>,
  cwd: row.cwd,
  pid: row.pid,
  pidStartedAt: row.pid_started_at,
  startedAt: row.started_at,
  outputPath: row.output_path,
  state: toState(row),
});
