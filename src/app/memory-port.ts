import { describeNotPending } from "../knowledge/memory/describe-not-pending.ts";
import type { MemoryDecision, MemoryPort } from "../commands/ports.ts";
import type { MemoryOutcome } from "../knowledge/memory/memory-change.ts";
import { MEMORY_FILES, MEMORY_TARGETS } from "../knowledge/memory/memory-format.ts";
import type { App } from "./app.ts";
import { openMemory } from "./memory.ts";
import { once } from "./once.ts";

const MOST_PENDING = 1_000;
const MOST_HITS = 30;

/** Memory for slash commands; opened at the first of them. */
export const createMemoryPort = (app: App): MemoryPort => {
  const open = once(async () => {
    const [memory, words, search, held, undo] = await Promise.all([
      openMemory(app),
      import("../knowledge/memory/memory-words.ts"),
      import("../knowledge/memory/search-memory.ts"),
      import("../knowledge/memory/held-change.ts"),
      import("../knowledge/memory/last-change.ts"),
    ]);
    return { ...memory, ...words, ...search, ...held, ...undo };
  });
  const tell = async (outcome: MemoryOutcome, done: string): Promise<MemoryDecision> => {
    const { describeRefusal, describeUse } = await open();
    if (outcome.kind === "refused") return { kind: "refused", text: describeRefusal(outcome.refusal) };
    return { kind: "done", text: `${done} ${describeUse(outcome.target, outcome.used, outcome.limit)}.` };
  };
  return {
    overview: async () => {
      const { book, selfChanges, describeUse } = await open();
      const listings = await Promise.all(MEMORY_TARGETS.map((target) => book.list(target)));
      const waiting = await selfChanges.list({ kind: "memory", state: "pending", limit: MOST_PENDING });
      return {
        use: listings.map(({ target, used, limit, drift }) =>
          [describeUse(target, used, limit), ...(drift === undefined ? [] : [drift])].join("; "),
        ),
        entries: listings.flatMap(({ entries }) =>
          entries.map(({ target, text, known }) => ({ file: MEMORY_FILES[target], text, at: known?.addedAt })),
        ),
        pending: waiting.length,
      };
    },
    search: async (words) => {
      const memory = await open();
      const hits = await memory.searchMemory(memory, { text: words, limit: MOST_HITS });
      return hits.map(({ target, text, addedAt, archived }) => ({
        file: archived === undefined ? MEMORY_FILES[target] : "archive",
        text,
        at: addedAt,
      }));
    },
    undo: async () => {
      const { book, store, lastChange } = await open();
      const record = await lastChange(store);
      if (record === undefined) return { kind: "refused", text: "There is no change to undo." };
      const by = { source: "command", session: null } as const;
      return await tell(
        await book.change(record.target, { action: "undo", record }, by),
        `Undid #${record.id} (${record.kind}).`,
      );
    },
    pending: async () => {
      const { selfChanges } = await open();
      const held = await selfChanges.list({ kind: "memory", state: "pending", limit: MOST_PENDING });
      return held.map(({ id, at, summary }) => ({ id, at, summary }));
    },
    decide: async (id, decision) => {
      const memory = await open();
      if (decision === "approve") {
        const approval = await memory.approveHeld(memory, id);
        if (approval.kind === "done") return await tell(approval.outcome, `Done: #${id}.`);
        return { kind: "refused", text: describeNotPending(id, approval.state) };
      }
      const refused = await memory.rejectHeld(memory.selfChanges, id);
      return refused === undefined
        ? { kind: "done", text: `Rejected: #${id}.` }
        : { kind: "refused", text: describeNotPending(id, refused.state) };
    },
  };
};
