import type { Migration } from "./migration.ts";

const COUNTED = [
  "calls",
  "uncounted",
  "unpriced",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "cost_micros",
  "held_tokens",
  "held_micros",
];

const createSums = (table: string, period: "day" | "month"): string => `
    CREATE TABLE ${table} (
      ${period} TEXT NOT NULL,
      source TEXT NOT NULL,
      provider TEXT NOT NULL,
      model TEXT NOT NULL,
      ${COUNTED.map((column) => `${column} INTEGER NOT NULL`).join(", ")},
      PRIMARY KEY (${period}, source, provider, model)
    ) STRICT, WITHOUT ROWID;`;

/** Adds a row of `spend` to the sums of its day and its month (`plus`), or takes it away. */
const changeSums = (row: "NEW" | "OLD", sign: "plus" | "minus"): string => {
  const counts = COUNTED.map((column) => `${sign === "minus" ? "-" : ""}coalesce(${row}.${column}, 0)`).join(", ");
  const added = COUNTED.map((column) => `${column} = ${column} + excluded.${column}`).join(", ");
  const change = (table: string, period: "day" | "month", key: string): string => `
      INSERT INTO ${table} (${period}, source, provider, model, ${COUNTED.join(", ")})
      VALUES (${key}, ${row}.source, ${row}.provider, ${row}.model, ${counts})
      ON CONFLICT (${period}, source, provider, model) DO UPDATE SET ${added};`;
  return change("spend_days", "day", `${row}.day`) + change("spend_months", "month", `substr(${row}.day, 1, 7)`);
};

/**
 * What calls of models cost. `spend` has one row per call; `spend_days` and `spend_months` add them up by the owner's calendar and
 * are kept by triggers, so that nothing can change the one without the others.
 *
 * `held_*` is what caps count: the estimate while a call is on its way (for good, if its process died), then what it really took.
 * Money is in whole micro-dollars. Sessions from before count as one row each, on the day of their last message.
 */
export const spending: Migration = {
  name: "002-spending",
  sql: `
    CREATE TABLE spend (
      n INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      day TEXT NOT NULL,
      provider TEXT NOT NULL,
      model TEXT NOT NULL,
      purpose TEXT NOT NULL,
      source TEXT NOT NULL,
      session TEXT,
      -- The first session of the line that the session continues.
      root TEXT,
      job TEXT,
      -- More than 1 only for what was counted before this table.
      calls INTEGER NOT NULL DEFAULT 1,
      state TEXT NOT NULL CHECK (state IN ('reserved', 'settled')),
      input_tokens INTEGER,
      output_tokens INTEGER,
      cache_read_tokens INTEGER,
      cache_write_tokens INTEGER,
      reasoning_tokens INTEGER,
      -- Null = the price is unknown.
      cost_micros INTEGER,
      held_tokens INTEGER NOT NULL,
      held_micros INTEGER NOT NULL,
      -- On its way, cut off, or not counted by the provider.
      uncounted INTEGER GENERATED ALWAYS AS (
        CASE WHEN state = 'reserved' OR (input_tokens IS NULL AND output_tokens IS NULL) THEN calls ELSE 0 END
      ) VIRTUAL,
      unpriced INTEGER GENERATED ALWAYS AS (
        CASE WHEN state = 'settled' AND cost_micros IS NULL THEN calls ELSE 0 END
      ) VIRTUAL
    ) STRICT;
    CREATE INDEX spend_by_root ON spend (root, held_tokens, held_micros) WHERE root IS NOT NULL;
    CREATE INDEX spend_by_job ON spend (job, held_tokens, held_micros) WHERE job IS NOT NULL;
    ${createSums("spend_days", "day")}
    ${createSums("spend_months", "month")}

    CREATE TRIGGER spend_added AFTER INSERT ON spend BEGIN
      ${changeSums("NEW", "plus")}
    END;
    CREATE TRIGGER spend_changed AFTER UPDATE ON spend BEGIN
      ${changeSums("OLD", "minus")}
      ${changeSums("NEW", "plus")}
    END;
    CREATE TRIGGER spend_removed AFTER DELETE ON spend BEGIN
      ${changeSums("OLD", "minus")}
    END;

    -- What the owner was told already: how far a cap of a period was used, or that a model's price is unknown.
    CREATE TABLE spend_told (
      what TEXT PRIMARY KEY,
      mark INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The first session of the line that each session continues: what it was compressed, branched or taken back from. A person
    -- who began anew left the line.
    CREATE VIEW session_roots AS SELECT id, (
      WITH RECURSIVE line (id, n) AS (
        SELECT own.id, own.n
        UNION
        SELECT older.id, older.n FROM line
        JOIN sessions child ON child.id = line.id
        JOIN sessions older ON older.id = child.parent
        WHERE older.end_reason IS NOT 'new_session'
      )
      SELECT id FROM line ORDER BY n LIMIT 1
    ) AS root FROM sessions AS own;

    INSERT INTO spend (
      at, day, provider, model, purpose, source, session, root, calls, state, input_tokens, output_tokens, cache_read_tokens,
      cache_write_tokens, reasoning_tokens, cost_micros, held_tokens, held_micros
    )
    SELECT
      active_at, date(active_at / 1000.0, 'unixepoch', 'localtime'), provider, model, 'turn', source, id,
      (SELECT root FROM session_roots WHERE session_roots.id = sessions.id), model_call_count, 'settled', input_tokens,
      output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, CAST(round(cost_usd * 1000000) AS INTEGER),
      coalesce(input_tokens, 0) + coalesce(output_tokens, 0), CAST(round(coalesce(cost_usd, 0) * 1000000) AS INTEGER)
    FROM sessions
    WHERE model_call_count > 0 AND provider <> 'practice';
  `,
};
