import type { Migration } from "./migration.ts";

/** What the compression that made a session came to, in tokens, so that every process knows whether it was worth it. */
export const compression: Migration = {
  name: "004-compression",
  sql: `
    ALTER TABLE sessions ADD COLUMN compressed_from INTEGER;
    ALTER TABLE sessions ADD COLUMN compressed_to INTEGER;
  `,
};
