/** One step of the schema, applied once per database, in one transaction, and known by its name. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}
