import { llmErrors } from "../errors.ts";
import type { ProviderRow } from "./provider-row.ts";
import { PROVIDER_ROWS } from "./rows.ts";

/** Every provider that can be named: the built-in ones, then those that plugins add. */
export type ProviderTable = readonly ProviderRow[];

/** The table with added rows at its end. Throws `llm.provider_taken` for an id that is there already: no plugin stands in for a built-in provider. */
export const createProviderTable = (added: readonly ProviderRow[] = []): ProviderTable => {
  const table = [...PROVIDER_ROWS];
  for (const row of added) {
    if (table.some(({ id }) => id === row.id.toLowerCase())) throw llmErrors.providerTaken({ id: row.id });
    table.push({ ...row, id: row.id.toLowerCase() });
  }
  return table;
};
