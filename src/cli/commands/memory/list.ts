import type { ExitCode } from "../../../base/app-error.ts";
import { loadMemoryBlock } from "../../../knowledge/memory/memory-block.ts";
import type { MemoryEntry, MemoryListing } from "../../../knowledge/memory/memory-book.ts";
import { MEMORY_TARGETS } from "../../../knowledge/memory/memory-format.ts";
import { describeUse } from "../../../knowledge/memory/memory-words.ts";
import type { CommandCall } from "../../command-call.ts";
import { plural } from "../../format.ts";
import { renderTable } from "../../table.ts";
import { type MemoryCall, printJson, targetFlag, withMemory } from "./context.ts";

/** `hermes memory list`: entries in the files' order; with `--json` an array. */
export const runList = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const target = targetFlag(call);
    const listings = await Promise.all(
      (target === undefined ? MEMORY_TARGETS : [target]).map((each) => memory.book.list(each)),
    );
    if (call.flags.json === true) {
      printJson(
        call,
        listings.flatMap(({ entries }) => entries.map(entryJson)),
      );
      return 0;
    }
    for (const listing of listings) printListing(memory, listing);
    return 0;
  });

const entryJson = ({ target, number, text, known }: MemoryEntry): object => ({
  target,
  number,
  text,
  added_at: known?.addedAt ?? null,
  source: known?.source ?? "file",
  session: known?.session ?? null,
  pinned: known?.pinned ?? false,
});

const printListing = ({ call: { output }, time }: MemoryCall, listing: MemoryListing): void => {
  const { entries, target, used, limit, drift } = listing;
  output.stdout(`${describeUse(target, used, limit)}\n`);
  if (drift !== undefined) output.stderr(`! ${drift}; mend it with \`hermes memory edit ${target}\`\n`);
  if (entries.length === 0) return output.stdout("  nothing yet\n");
  const rows = entries.map(({ number, text, known }) => [
    String(number),
    known === undefined ? "" : time(known.addedAt),
    `${SOURCES[known?.source ?? "file"]}${known?.pinned === true ? ", pinned" : ""}`,
    text,
  ]);
  const headings = ["#", "SINCE", "FROM", "ENTRY"].map((heading) => ({ heading }));
  output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
};

/** Who an entry or a change came from, in a word. */
export const SOURCES = { tool: "the agent", command: "you", file: "by hand", model: "merged" } as const;

/** `hermes memory show`: the text of the prompt, as a session that begins now would have it. */
export const runShow = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async ({ book }) => {
    const { memory, user, problems } = await loadMemoryBlock(book.settings);
    if (call.flags.json === true) {
      printJson(call, { memory: memory ?? null, user: user ?? null, problems });
      return 0;
    }
    const texts = [memory, user].filter((text) => text !== undefined);
    call.output.stdout(texts.length === 0 ? "Nothing: memory is empty or off.\n" : `${texts.join("\n\n")}\n`);
    for (const problem of problems) call.output.stderr(`! ${problem}\n`);
    return 0;
  });

const MOST_COUNTED = 1_000;

/** `hermes memory status`: files, their use, what waits. */
export const runStatus = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async ({ book, selfChanges, app }) => {
    const listings = await Promise.all(MEMORY_TARGETS.map((each) => book.list(each)));
    const pending = await selfChanges.list({ kind: "memory", state: "pending", limit: MOST_COUNTED });
    const rows = listings.map(({ target, path, entries, used, limit, drift }) => ({
      target,
      enabled: book.settings.enabled[target],
      path,
      entries: entries.length,
      used,
      limit,
      problem: drift ?? null,
    }));
    const selfChange = app.config.section("approvals").self_changes;
    if (call.flags.json === true) {
      printJson(call, { files: rows, pending: pending.length, self_changes: selfChange });
      return 0;
    }
    for (const { target, enabled, entries, used, limit, problem, path } of rows) {
      const off = enabled ? "" : " (off)";
      call.output.stdout(
        `${describeUse(target, used, limit)}, ${entries} ${entries === 1 ? "entry" : "entries"}${off}\n  ${path}\n`,
      );
      if (problem !== null) call.output.stdout(`  ! ${problem}; mend it with \`hermes memory edit ${target}\`\n`);
    }
    if (pending.length > 0)
      call.output.stdout(`${plural(pending.length, "change")} waiting: \`hermes memory pending\`\n`);
    return 0;
  });
