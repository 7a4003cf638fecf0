import type { Command } from "commander";
import { addNotBuilt, type Finish, group, runner } from "../../command-tree.ts";
import type { Output } from "../../output.ts";

const TARGET = "--target <file>";

/** `hermes memory …`: what is kept over sessions. */
export const addMemoryCommands = (program: Command, output: Output, finish: Finish): void => {
  const memory = group(program, "memory", "what the agent remembers: read, change, undo");
  addReading(memory, output, finish);
  addChanging(memory, output, finish);
  addHistory(memory, output, finish);
  addHeld(memory, output, finish);
  // Other stores of memory come with plugins.
  for (const name of ["setup", "off"]) addNotBuilt(memory, name);
};

const addReading = (memory: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  memory
    .command("list")
    .option(TARGET, "only memory or user")
    .description("every entry, since when and from whom")
    .action(run(async () => (await import("./list.ts")).runList));
  memory
    .command("show")
    .description("what the prompt of a new session says of it")
    .action(run(async () => (await import("./list.ts")).runShow));
  memory
    .command("status")
    .description("how full the files are, and what waits")
    .action(run(async () => (await import("./list.ts")).runStatus));
  memory
    .command("search")
    .argument("<words...>")
    .option(TARGET, "only memory or user")
    .option("--limit <n>", "how many", "20")
    .description("entries, also archived ones, that hold the words")
    .action(run(async () => (await import("./search.ts")).runSearch));
};

const addChanging = (memory: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  memory
    .command("add")
    .argument("<text...>", "`-` reads it from standard input")
    .option(TARGET, "memory (notes) or user (who you are)", "memory")
    .description("remember something")
    .action(run(async () => (await import("./change.ts")).runAdd));
  memory
    .command("replace")
    .argument("<old>", "a part that only this entry has")
    .argument("<text...>", "the entry's new text")
    .option(TARGET, "in memory or user; absent = wherever it is")
    .description("change an entry")
    .action(run(async () => (await import("./change.ts")).runReplace));
  memory
    .command("remove")
    .argument("<text...>", "a part that only this entry has")
    .option(TARGET, "from memory or user; absent = wherever it is")
    .description("take an entry out; it goes to the archive")
    .action(run(async () => (await import("./change.ts")).runRemove));
  memory
    .command("edit")
    .argument("[file]", "memory or user", "memory")
    .description("open a file in $EDITOR; what came to it meanwhile stays")
    .action(run(async () => (await import("./edit.ts")).runEdit));
  memory
    .command("reset")
    .option(TARGET, "all, memory or user", "all")
    .option("-y, --yes", "do not ask")
    .description("take every entry out; `memory undo` brings them back")
    .action(run(async () => (await import("./change.ts")).runReset));
  memory
    .command("pin")
    .argument("<text...>", "a part that only this entry has")
    .option(TARGET, "in memory or user; absent = wherever it is")
    .description("never move an entry out to make room")
    .action(run(async () => (await import("./change.ts")).runPin));
  memory
    .command("unpin")
    .argument("<text...>", "a part that only this entry has")
    .option(TARGET, "in memory or user; absent = wherever it is")
    .description("take that back")
    .action(run(async () => (await import("./change.ts")).runUnpin));
};

const addHistory = (memory: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  memory
    .command("history")
    .option(TARGET, "only memory or user")
    .option("--limit <n>", "how many", "20")
    .description("what was changed, newest first")
    .action(run(async () => (await import("./history.ts")).runHistory));
  memory
    .command("undo")
    .argument("[number]", "as `history` numbers it; without it the last change")
    .description("take a change back")
    .action(run(async () => (await import("./history.ts")).runUndo));
  memory
    .command("archive")
    .option(TARGET, "only memory or user")
    .option("--limit <n>", "how many", "20")
    .option("--clear", "remove archive and history for good")
    .option("-y, --yes", "do not ask")
    .description("entries that were taken out, newest first")
    .action(run(async () => (await import("./history.ts")).runArchive));
};

const addHeld = (memory: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  memory
    .command("pending")
    .description("what the agent wants to remember and you have not decided (approvals.self_changes: hold)")
    .action(run(async () => (await import("./pending.ts")).runPending));
  memory
    .command("approve")
    .argument("<number...>", "as `pending` numbers them")
    .description("let it be remembered")
    .action(run(async () => (await import("./pending.ts")).runApprove));
  memory
    .command("reject")
    .argument("<number...>", "as `pending` numbers them")
    .description("forget it")
    .action(run(async () => (await import("./pending.ts")).runReject));
};
