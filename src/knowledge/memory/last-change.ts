import type { MemoryChangeRecord, MemoryStore } from "../../store/memory-store.ts";

/** More changes than anybody undoes one after another. */
const MOST_LOOKED_AT = 1_000;

/** The change that "undo" without a number means: the newest that is no undo, was not undone, and was not made in the file by hand. */
export const lastChange = async (store: MemoryStore): Promise<MemoryChangeRecord | undefined> =>
  (await store.changes({ limit: MOST_LOOKED_AT })).find(
    ({ kind, undoneBy }) => kind !== "found" && kind !== "undo" && undoneBy === null,
  );
