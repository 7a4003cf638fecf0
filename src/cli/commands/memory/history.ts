import type { ExitCode } from "../../../base/app-error.ts";
import { memoryErrors } from "../../../knowledge/memory/errors.ts";
import { lastChange } from "../../../knowledge/memory/last-change.ts";
import { shorten } from "../../../knowledge/memory/memory-format.ts";
import { describeUse } from "../../../knowledge/memory/memory-words.ts";
import type { ArchivedEntry, MemoryChangeRecord } from "../../../store/memory-store.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { made, type MemoryCall, OWNER, printJson, targetFlag, withMemory } from "./context.ts";
import { SOURCES } from "./list.ts";

const widthOf = ({ output }: CommandCall): number =>
  output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY;

/** What `--target` and `--limit` leave of a list. */
const filterOf = (call: CommandCall) => {
  const target = targetFlag(call);
  return { limit: wholeNumber("--limit", call.flags["limit"]), ...(target === undefined ? {} : { target }) };
};

/** `hermes memory history`: newest first; with `--json` an array. */
export const runHistory = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async ({ store, time }) => {
    const changes = await store.changes(filterOf(call));
    if (call.flags.json === true) {
      printJson(call, changes.map(changeJson));
      return 0;
    }
    if (changes.length === 0) {
      call.output.stdout("No changes yet.\n");
      return 0;
    }
    const rows = changes.map((change) => [
      String(change.id),
      time(change.at),
      SOURCES[change.source],
      change.target,
      `${change.kind}${change.undoneBy === null ? "" : `, undone by ${change.undoneBy}`}`,
      describeChange(change),
    ]);
    const headings = ["#", "WHEN", "BY", "FILE", "WHAT", "ENTRIES"].map((heading) => ({ heading }));
    call.output.stdout(renderTable(headings, rows, widthOf(call)));
    return 0;
  });

const describeChange = ({ removed, added }: MemoryChangeRecord): string =>
  [...removed.map(({ text }) => `- ${shorten(text, 60)}`), ...added.map(({ text }) => `+ ${shorten(text, 60)}`)].join(
    "  ",
  );

const changeJson = (change: MemoryChangeRecord): object => ({
  id: change.id,
  at: change.at,
  target: change.target,
  kind: change.kind,
  source: change.source,
  session: change.session,
  removed: change.removed.map(({ text }) => text),
  added: change.added.map(({ text }) => text),
  undoes: change.undoes,
  undone_by: change.undoneBy,
});

/** `hermes memory undo [NUMBER]`: without a number the last change that is no undo and was not made by hand. */
export const runUndo = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const record = await wantedChange(memory, call.args[0]);
    const { target } = record;
    const { change, used, limit } = made(await memory.book.change(target, { action: "undo", record }, OWNER));
    if (call.flags.json === true) printJson(call, { undone: record.id, change, target, used, limit });
    else call.output.stdout(`Undid #${record.id} (${record.kind}). ${describeUse(target, used, limit)}.\n`);
    return 0;
  });

const wantedChange = async ({ store }: MemoryCall, given: CommandCall["args"][number]): Promise<MemoryChangeRecord> => {
  if (typeof given === "string") {
    const id = wholeNumber("The number", given.replace(/^#/u, ""));
    const record = await store.change(id);
    if (record === undefined) throw memoryErrors.noChange({ id });
    return record;
  }
  const record = await lastChange(store);
  if (record === undefined) throw memoryErrors.nothingToUndo({});
  return record;
};

/** `hermes memory archive`: what was taken out, newest first; `--clear` removes it and the history for good. */
export const runArchive = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    if (call.flags["clear"] === true) return await clearArchive(memory);
    const entries = await memory.store.archive(filterOf(call));
    if (call.flags.json === true) printJson(call, entries.map(archivedJson));
    else if (entries.length === 0) call.output.stdout("The archive is empty.\n");
    else {
      const rows = entries.map(({ id, target, archivedAt, reason, change, text }) => [
        String(id),
        memory.time(archivedAt),
        target,
        `${reason.replace("_", " ")} (#${change})`,
        text,
      ]);
      const headings = ["#", "WHEN", "FILE", "WHY", "ENTRY"].map((heading) => ({ heading }));
      call.output.stdout(renderTable(headings, rows, widthOf(call)));
    }
    return 0;
  });

const archivedJson = (entry: ArchivedEntry): object => ({
  id: entry.id,
  target: entry.target,
  text: entry.text,
  added_at: entry.addedAt,
  source: entry.source,
  session: entry.session,
  archived_at: entry.archivedAt,
  reason: entry.reason,
  change: entry.change,
});

const clearArchive = async ({ call, store }: MemoryCall): Promise<ExitCode> => {
  const { flags, output } = call;
  const question = "Remove the archive and the history of memory for good?";
  if (flags["yes"] !== true && !(await confirm(output, question, "Clearing the archive"))) {
    output.stderr("Nothing was removed.\n");
    return 1;
  }
  const removed = await store.clearArchive();
  if (flags.json === true) printJson(call, { removed });
  else output.stdout(`Removed ${removed === 1 ? "1 entry" : `${removed} entries`} and the history.\n`);
  return 0;
};
