import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { systemClock, type Clock } from "../base/clock.ts";
import { createRedactor } from "../base/redact/redact-text.ts";
import type { MemorySettings } from "../knowledge/memory/memory-block.ts";
import { createMemoryBook, type MemoryBook } from "../knowledge/memory/memory-book.ts";
import type { MemoryChange, MemoryOutcome } from "../knowledge/memory/memory-change.ts";
import { type MemoryTarget, SEPARATOR } from "../knowledge/memory/memory-format.ts";
import type { Store } from "../store/store.ts";
import { createTempStore, type TempStore } from "./temp-store.ts";

/** Memory in a home of its own; disposing removes everything. */
export interface MemoryRig extends AsyncDisposable {
  readonly book: MemoryBook;
  readonly store: Store;
  readonly home: string;
  /** Of MEMORY.md, or of another file of the folder. */
  pathOf(name?: string): string;
  /** Another process's view of the same home. */
  again(): Promise<MemoryBook>;
  add(content: string, target?: MemoryTarget): Promise<MemoryOutcome>;
  do(change: MemoryChange, target?: MemoryTarget): Promise<MemoryOutcome>;
  /** What stands in MEMORY.md, by separators. */
  entries(): Promise<readonly string[]>;
  write(text: string | Buffer, name?: string): Promise<void>;
}

export interface MemoryRigOptions {
  readonly clock?: Clock;
  readonly limit?: number;
}

/** Opens memory over a real store. */
export const createMemoryRig = async ({
  clock = systemClock,
  limit = 2_200,
}: MemoryRigOptions = {}): Promise<MemoryRig> => {
  const temp = await createTempStore({ clock });
  const directory = join(temp.home, "memories");
  mkdirSync(directory);
  const book = bookOn({ temp, store: temp.store, clock, limit });
  const pathOf = (name = "MEMORY.md"): string => join(directory, name);
  const act: MemoryRig["do"] = (change, target = "memory") =>
    book.change(target, change, { source: "tool", session: null });
  return {
    book,
    store: temp.store,
    home: temp.home,
    pathOf,
    again: async () => bookOn({ temp, store: await temp.open(), clock, limit }),
    add: (content, target) => act({ action: "add", content }, target),
    do: act,
    entries: async () => (await readFile(pathOf(), "utf8")).split(SEPARATOR),
    write: (text, name) => writeFile(pathOf(name), text),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

const bookOn = (parts: {
  readonly temp: TempStore;
  readonly store: Store;
  readonly clock: Clock;
  readonly limit: number;
}): MemoryBook => {
  const settings: MemorySettings = {
    directory: join(parts.temp.home, "memories"),
    enabled: { memory: true, user: true },
    limits: { memory: parts.limit, user: 1_375 },
  };
  return createMemoryBook({
    settings,
    locksDirectory: join(parts.temp.home, "locks"),
    clock: parts.clock,
    redactor: createRedactor({ enabled: true }),
    store: parts.store.memory,
  });
};
