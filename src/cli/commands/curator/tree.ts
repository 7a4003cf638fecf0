import type { Command } from "commander";
import { group, runner, type Finish } from "../../command-tree.ts";
import type { Output } from "../../output.ts";

/** `hermes curator …`. */
export const addCuratorCommands = (program: Command, output: Output, finish: Finish): void => {
  const curator = group(program, "curator", "keep the skills that the agent made in order");
  const run = runner(output, finish);
  curator
    .command("status")
    .description("when it runs, what it did last, and what it would do")
    .action(run(async () => (await import("./status.ts")).runStatus));
  curator
    .command("run")
    .option("--dry-run", "only say what would be done")
    .description("look after the skills now, whether it is due or not")
    .action(run(async () => (await import("./run.ts")).runNow));
  curator
    .command("prune")
    .option("--days <n>", "not used for this many days", "90")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only say what would be archived")
    .description("archive skills that the agent made and that nobody uses")
    .action(run(async () => (await import("./run.ts")).runPrune));
  curator
    .command("pause")
    .description("no runs until `curator resume`")
    .action(run(async () => (await import("./status.ts")).runPause));
  curator
    .command("resume")
    .description("runs again")
    .action(run(async () => (await import("./status.ts")).runResume));
  curator
    .command("pin")
    .argument("<skill>")
    .description("never mark or archive this skill")
    .action(run(async () => (await import("./pin.ts")).runPin));
  curator
    .command("unpin")
    .argument("<skill>")
    .description("treat it like the others again")
    .action(run(async () => (await import("./pin.ts")).runUnpin));
  addArchiveCommands(curator, run);
  addBackupCommands(curator, run);
};

const addArchiveCommands = (curator: Command, run: ReturnType<typeof runner>): void => {
  curator
    .command("archive")
    .argument("<skill>")
    .description("take a skill of this home out of use")
    .action(run(async () => (await import("../skills/remove.ts")).runArchive));
  curator
    .command("restore")
    .argument("<skill>", "its name (its newest), or an entry of the archive")
    .description("bring a skill back from the archive")
    .action(run(async () => (await import("../skills/remove.ts")).runRestore));
  curator
    .command("list-archived")
    .description("what is in the archive")
    .action(run(async () => (await import("../skills/remove.ts")).runListArchived));
};

const addBackupCommands = (curator: Command, run: ReturnType<typeof runner>): void => {
  curator
    .command("backup")
    .option("--reason <text>", "what it is for")
    .description("back the skills folder up")
    .action(run(async () => (await import("./backup.ts")).runBackup));
  curator
    .command("rollback")
    .option("--list", "the backups there are")
    .option("--id <backup>", "this backup; without it the newest")
    .option("-y, --yes", "do not ask")
    .description("bring the skills folder back to a backup; how it is now is backed up first")
    .action(run(async () => (await import("./backup.ts")).runRollback));
};
