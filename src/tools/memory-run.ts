import type { ToolContext, ToolResult } from "../agent/tool.ts";
import type { MemoryBook } from "../knowledge/memory/memory-book.ts";
import type { HeldMemoryChange, MemoryOutcome } from "../knowledge/memory/memory-change.ts";
import { shorten } from "../knowledge/memory/memory-format.ts";
import { describeRefusal, describeUse } from "../knowledge/memory/memory-words.ts";
import { type MemoryHit, searchMemory } from "../knowledge/memory/search-memory.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import type { MemoryArgs } from "./memory.ts";
import { answer, fault } from "./tool-answer.ts";

/** What a call works with. */
export interface MemoryRunDeps {
  readonly book: MemoryBook;
  readonly store: MemoryStore;
  /** Keeps a change for the owner's word, where `approvals.self_changes` is `hold`; its number. */
  readonly hold: ((change: HeldMemoryChange, context: ToolContext) => Promise<number>) | undefined;
  /** ms UTC as a day for the model. */
  readonly formatDay: (ms: number) => string;
}

const MOST_HITS = 20;

/** Does what one call of `memory` asks for. */
export const runMemory = async (deps: MemoryRunDeps, args: MemoryArgs, context: ToolContext): Promise<ToolResult> => {
  if (args.action === "search") return await search(deps, args);
  const { book } = deps;
  const { target } = args;
  const change = changeOf(args);
  if (typeof change === "string") return fault(change);
  if (target === undefined) return fault(`${change.action} needs target: memory or user.`);
  if (deps.hold !== undefined) {
    const refusal = await book.check(target, change);
    if (refusal !== undefined) return fault(describeRefusal(refusal));
    const id = await deps.hold({ target, change }, context);
    return answer(`Not done yet: it waits for the owner as #${id} (\`hermes memory approve ${id}\`).`);
  }
  const by = { source: "tool", session: context.session, signal: context.signal } as const;
  return describeOutcome(await book.change(target, change, by), DONE[change.action]);
};

const DONE = { add: "Added.", replace: "Replaced.", remove: "Removed." } as const;

/** The change that the arguments name, or what they lack. */
const changeOf = ({ action, content, old_text: oldText }: MemoryArgs): HeldMemoryChange["change"] | string => {
  switch (action) {
    case "add":
      return content === undefined ? "add needs content." : { action, content };
    case "replace":
      return content === undefined || oldText === undefined
        ? "replace needs old_text and content."
        : { action, oldText, content };
    case "remove":
      return oldText === undefined ? "remove needs old_text." : { action, oldText };
    case "search":
      return "search changes nothing.";
  }
};

const describeOutcome = (outcome: MemoryOutcome, done: string): ToolResult => {
  if (outcome.kind === "refused") return fault(describeRefusal(outcome.refusal));
  const { moved, target, used, limit } = outcome;
  const room =
    moved.length === 0
      ? ""
      : `\nMoved to the archive to make room:\n${moved.map((entry) => `- ${shorten(entry)}`).join("\n")}`;
  return answer(`${done} ${describeUse(target, used, limit)}.${room}`);
};

const search = async (deps: MemoryRunDeps, { target, content }: MemoryArgs): Promise<ToolResult> => {
  if (content === undefined || content.trim() === "") return fault("search needs content: the words to look for.");
  const hits = await searchMemory(deps, {
    text: content,
    limit: MOST_HITS,
    ...(target === undefined ? {} : { target }),
  });
  if (hits.length === 0) return answer("No entry, in the file or the archive, has any of these words.");
  return answer(hits.map((hit) => describeHit(hit, deps.formatDay)).join("\n"));
};

const describeHit = ({ text, addedAt, archived }: MemoryHit, formatDay: (ms: number) => string): string => {
  const since = addedAt === undefined ? "by hand" : formatDay(addedAt);
  const place = archived === undefined ? since : `${since}, archived ${formatDay(archived.at)}: ${archived.reason}`;
  return `- ${text} [${place}]`;
};
