import { localTime } from "../base/local-time.ts";
import type { Tool, ToolContext } from "../agent/tool.ts";
import type { MemorySettings } from "../knowledge/memory/memory-block.ts";
import type { MemoryBook } from "../knowledge/memory/memory-book.ts";
import type { HeldMemoryChange } from "../knowledge/memory/memory-change.ts";
import type { Store } from "../store/store.ts";
import { createMemoryTool } from "../tools/memory.ts";
import type { App } from "./app.ts";
import { once } from "./once.ts";

/** Memory of one home, opened. */
export interface OpenMemory {
  readonly book: MemoryBook;
  readonly store: Store["memory"];
  readonly selfChanges: Store["selfChanges"];
}

/** What the settings say of memory; reads nothing. */
export const memorySettings = (app: App): MemorySettings => {
  const section = app.config.section("memory");
  return {
    directory: app.paths.memories,
    enabled: { memory: section.memory_enabled, user: section.user_profile_enabled },
    limits: { memory: section.memory_char_limit, user: section.user_char_limit },
  };
};

/** Opens memory; its code and the database are loaded now. */
export const openMemory = async (app: App): Promise<OpenMemory> => {
  const [{ createMemoryBook }, store] = await Promise.all([import("../knowledge/memory/memory-book.ts"), app.store()]);
  const book = createMemoryBook({
    settings: memorySettings(app),
    locksDirectory: app.paths.locks,
    clock: app.clock,
    redactor: app.redactor,
    store: store.memory,
  });
  return { book, store: store.memory, selfChanges: store.selfChanges };
};

/** The `memory` tool of a session; none where both files are switched off. */
export const createMemoryTools = (app: App): readonly Tool[] => {
  const { enabled } = memorySettings(app);
  if (!enabled.memory && !enabled.user) return [];
  const open = once(async () => {
    const [{ runMemory }, memory] = await Promise.all([import("../tools/memory-run.ts"), openMemory(app)]);
    return { runMemory, memory };
  });
  const isHeld = app.config.section("approvals").self_changes === "hold";
  const zone = app.config.section("timezone");
  return [
    createMemoryTool({
      run: async (args, context) => {
        const { runMemory, memory } = await open();
        const hold = isHeld
          ? (change: HeldMemoryChange, { session }: ToolContext) => holdMemoryChange(app, memory, { change, session })
          : undefined;
        const deps = { ...memory, hold, formatDay: (ms: number) => localTime(ms, zone).day };
        return await runMemory(deps, args, context);
      },
    }),
  ];
};

const holdMemoryChange = async (
  app: App,
  memory: OpenMemory,
  { change, session }: { readonly change: HeldMemoryChange; readonly session: ToolContext["session"] },
): Promise<number> => {
  const { summariseHeld, writeHeld } = await import("../knowledge/memory/held-change.ts");
  return await memory.selfChanges.hold({
    kind: "memory",
    session,
    summary: app.redactor.text(summariseHeld(change)),
    payload: app.redactor.text(writeHeld(change)),
  });
};
