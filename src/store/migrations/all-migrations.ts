import { sessionsAndMessages } from "./001-sessions-and-messages.ts";
import { spending } from "./002-spending.ts";
import { memory } from "./003-memory.ts";
import { compression } from "./004-compression.ts";
import { searchFilters } from "./005-search-filters.ts";
import type { Migration } from "./migration.ts";

/** Every migration in the order of application. Released ones are never changed, only followed. */
export const ALL_MIGRATIONS: readonly Migration[] = [sessionsAndMessages, spending, memory, compression, searchFilters];
