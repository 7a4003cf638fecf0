import type { ExitCode } from "../../../base/app-error.ts";
import { memoryErrors } from "../../../knowledge/memory/errors.ts";
import { findEntry } from "../../../knowledge/memory/find-entry.ts";
import type { MemoryChange } from "../../../knowledge/memory/memory-change.ts";
import { MEMORY_TARGETS, type MemoryTarget, shorten } from "../../../knowledge/memory/memory-format.ts";
import { describeRefusal, describeUse } from "../../../knowledge/memory/memory-words.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { plural } from "../../format.ts";
import { readAll } from "../../read-all.ts";
import { made, type MemoryCall, OWNER, printJson, readTarget, targetFlag, withMemory } from "./context.ts";

/** Far more than an entry may have. */
const MOST_PIPED_BYTES = 1_000_000;

/** `hermes memory add TEXT…`. */
export const runAdd = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const given = textOf(call.args[0]);
    const content = given === "-" ? await readAll(process.stdin, MOST_PIPED_BYTES) : given;
    if (content === undefined) throw memoryErrors.refused({ why: "Standard input holds too much for one entry." });
    return await change(memory, targetFlag(call) ?? "memory", { action: "add", content });
  });

/** `hermes memory replace OLD TEXT…`. */
export const runReplace = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const oldText = textOf(call.args[0]);
    const { target } = await locate(memory, oldText);
    return await change(memory, target, { action: "replace", oldText, content: textOf(call.args[1]) });
  });

/** `hermes memory remove TEXT…`. */
export const runRemove = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const { target, entry } = await locate(memory, textOf(call.args[0]));
    return await change(memory, target, { action: "remove", oldText: entry });
  });

/** `hermes memory reset [--target all|memory|user] [-y]`. */
export const runReset = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const { flags, output } = call;
    const given = String(flags["target"]);
    const targets = given === "all" ? MEMORY_TARGETS : [readTarget(given)];
    const listings = await Promise.all(targets.map((each) => memory.book.list(each)));
    const count = listings.reduce((sum, { entries }) => sum + entries.length, 0);
    const what = count === 1 ? "1 entry" : `${count} entries`;
    if (count > 0 && flags["yes"] !== true && !(await confirm(output, `Take ${what} out of memory?`, "A reset"))) {
      output.stderr("Nothing was changed.\n");
      return 1;
    }
    const changes: number[] = [];
    for (const { target, entries } of listings) {
      if (entries.length > 0) changes.push(made(await memory.book.change(target, { action: "reset" }, OWNER)).change);
    }
    if (flags.json === true) printJson(call, { removed: count, changes });
    else if (count === 0) output.stdout("Memory is empty already.\n");
    else
      output.stdout(
        `Took ${what} out. ${changes.map((id) => `\`hermes memory undo ${id}\``).join(" and ")} brings them back.\n`,
      );
    return 0;
  });

/** `hermes memory pin TEXT…`. */
export const runPin = (call: CommandCall): Promise<ExitCode> => pin(call, true);

/** `hermes memory unpin TEXT…`. */
export const runUnpin = (call: CommandCall): Promise<ExitCode> => pin(call, false);

const pin = (call: CommandCall, pinned: boolean): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const { target, entry } = await locate(memory, textOf(call.args[0]));
    if (!(await memory.book.pin(target, entry, pinned))) {
      throw memoryErrors.refused({ why: "The entry went away meanwhile." });
    }
    if (call.flags.json === true) printJson(call, { target, text: entry, pinned });
    else call.output.stdout(`${pinned ? "Pinned" : "No longer pinned"}: ${shorten(entry)}\n`);
    return 0;
  });

const textOf = (argument: CommandCall["args"][number]): string =>
  typeof argument === "string" ? argument : (argument ?? []).join(" ");

interface Located {
  readonly target: MemoryTarget;
  readonly entry: string;
}

/** The entry that a text means, in the file that was named or in whichever it is. Throws `memory.refused`. */
const locate = async ({ book, call }: MemoryCall, text: string): Promise<Located> => {
  const named = targetFlag(call);
  const listings = await Promise.all((named === undefined ? MEMORY_TARGETS : [named]).map((each) => book.list(each)));
  const matches = listings.map(({ target, entries }) => {
    const texts = entries.map((entry) => entry.text);
    return { target, texts, match: findEntry(texts, text) };
  });
  const found = matches.flatMap(({ target, texts, match }) =>
    match.kind === "found" ? [{ target, entry: texts[match.place] ?? "" }] : [],
  );
  const [first, second] = found;
  const ambiguous = matches.find(({ match }) => match.kind === "ambiguous")?.match;
  if (first !== undefined && second === undefined && ambiguous === undefined) return first;
  const candidates = matches.flatMap(({ texts, match }) => {
    if (match.kind === "ambiguous") return match.candidates;
    return match.kind === "found" ? [texts[match.place] ?? ""] : [];
  });
  const refusal =
    candidates.length > 0
      ? ({ kind: "ambiguous", oldText: text, candidates } as const)
      : ({ kind: "not_found", oldText: text, entries: matches.flatMap(({ texts }) => texts) } as const);
  throw memoryErrors.refused({ why: describeRefusal(refusal) });
};

const change = async (memory: MemoryCall, target: MemoryTarget, wanted: MemoryChange): Promise<ExitCode> => {
  const { call } = memory;
  const outcome = made(await memory.book.change(target, wanted, OWNER));
  const { change: id, moved, used, limit } = outcome;
  if (call.flags.json === true) {
    printJson(call, { change: id, target, moved, used, limit });
    return 0;
  }
  call.output.stdout(`Done. ${describeUse(target, used, limit)}. \`hermes memory undo ${id}\` takes it back.\n`);
  if (moved.length > 0) {
    const entries = moved.map((entry) => `  ${shorten(entry)}\n`).join("");
    call.output.stdout(`Moved to the archive to make room: ${plural(moved.length, "text")}\n${entries}`);
  }
  return 0;
};
