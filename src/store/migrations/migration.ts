import type { SQLInputValue, SQLOutputValue } from "node:sqlite";

/** One step of the schema, applied once per database, in one transaction, and known by its name. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SQL functions that `sql` calls beside SQLite's own; pure. */
  readonly functions?: Readonly<Record<string, (...values: readonly SQLOutputValue[]) => SQLInputValue>>;
}
