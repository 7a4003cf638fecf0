import type { Kysely } from "kysely";
import type { StoreTables } from "../tables.ts";

/** What may be done with the tables: queries, and nothing that opens transactions or connections. */
export type Queries = Pick<
  Kysely<StoreTables>,
  "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "getExecutor"
>;
