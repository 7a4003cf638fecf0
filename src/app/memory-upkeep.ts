import type { SessionRecord } from "../store/store.ts";
import { judgeMerges } from "../knowledge/memory/judge-merge.ts";
import { MEMORY_TARGETS, type MemoryTarget } from "../knowledge/memory/memory-format.ts";
import { proposeMerges } from "../knowledge/memory/propose-merges.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { App } from "./app.ts";
import { openMemory } from "./memory.ts";
import type { Models } from "./open-model.ts";

/** From here on a file is worth a call. */
const FULL_SHARE = 0.8;

/** What an upkeep is done with: the conversation's session and its model. */
export interface MemoryUpkeep {
  readonly record: SessionRecord;
  readonly models: Pick<Models, "auxiliary">;
  readonly model: ModelClient;
  readonly signal: AbortSignal;
}

/**
 * Merges entries of the files that are nearly full, after a turn that wrote to memory (`memory.consolidate`). A model proposes, rules judge; what is done
 * is one change of each file, which can be undone. Nothing is done to a file that changed meanwhile. Never throws.
 */
export const tidyMemory = async (app: App, upkeep: MemoryUpkeep): Promise<void> => {
  try {
    for (const target of MEMORY_TARGETS) await tidyOne(app, upkeep, target);
  } catch (error) {
    app.log.warn("memory was not tidied", { session: upkeep.record.id, error: String(error) });
  }
};

const tidyOne = async (app: App, upkeep: MemoryUpkeep, target: MemoryTarget): Promise<void> => {
  const { record, models, model, signal } = upkeep;
  const { book } = await openMemory(app);
  const { entries: listed, used, limit, drift } = await book.list(target);
  if (!book.settings.enabled[target] || drift !== undefined || used < limit * FULL_SHARE) return;
  const entries = listed.map(({ text }) => text);
  const pinned = new Set(listed.filter(({ known }) => known?.pinned === true).map(({ text }) => text));
  const isFixed = (entry: string): boolean => pinned.has(entry) || app.redactor.text(entry) !== entry;
  const shown = entries.map((entry) => app.redactor.text(entry));
  const charge = { purpose: "memory", source: record.source, session: record.id } as const;
  const proposed = await proposeMerges(models.auxiliary("memory", model), shown, { signal, charge });
  const judged = judgeMerges(proposed, { entries, isFixed });
  if (judged === undefined || signal.aborted) return;
  const change = { action: "merge", seen: entries, ...judged } as const;
  const outcome = await book.change(target, change, { source: "model", session: record.id, signal });
  if (outcome.kind === "changed") app.log.info("memory was tidied", { session: record.id, change: outcome.change });
  else app.log.info("memory was not tidied", { session: record.id, refused: outcome.refusal.kind });
};
