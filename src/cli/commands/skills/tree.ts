import type { Command } from "commander";
import { addNotBuilt, group, runner, type Finish } from "../../command-tree.ts";
import type { Output } from "../../output.ts";

/** `hermes skills …`. */
export const addSkillCommands = (program: Command, output: Output, finish: Finish): void => {
  const skills = group(program, "skills", "list, install, update and switch skills");
  addHubCommands(skills, output, finish);
  addOwnCommands(skills, output, finish);
  for (const name of ["publish", "snapshot", "tap", "reset"]) addNotBuilt(skills, name);
};

const addHubCommands = (skills: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  skills
    .command("install")
    .argument("<source>", "a git address, OWNER/REPO/FOLDER, a folder, an archive, or the address of a SKILL.md")
    .option("--name <name>", "another name than its own")
    .option("--ref <ref>", "a branch, tag or commit of the repository")
    .option("--category <name>", "the folder in skills/ that it goes to")
    .option("-y, --yes", "do not ask (never for what looks dangerous)")
    .option("--force", "replace a skill of that name; allow what looks dangerous after its name was typed")
    .description("fetch a skill, review it, and install it after a yes")
    .action(run(async () => (await import("./install.ts")).runInstall));
  skills
    .command("inspect")
    .argument("<source>")
    .option("--ref <ref>", "a branch, tag or commit of the repository")
    .description("fetch and review a skill without installing it")
    .action(run(async () => (await import("./install.ts")).runInspect));
  skills
    .command("update")
    .argument("[name]")
    .option("--all", "every skill that was installed")
    .option("-y, --yes", "do not ask (never for what looks dangerous, or was changed here)")
    .option("--force", "also where it was changed here; that goes to the archive")
    .description("fetch an installed skill anew and show what is different")
    .action(run(async () => (await import("./update.ts")).runUpdate));
  skills
    .command("uninstall")
    .argument("<name>")
    .option("-y, --yes", "do not ask")
    .description("take an installed skill out; `skills restore` brings it back")
    .action(run(async () => (await import("./remove.ts")).runUninstall));
  skills
    .command("verify")
    .argument("[name]")
    .description("whether installed skills are as they were installed")
    .action(run(async () => (await import("./verify.ts")).runVerify));
  skills
    .command("audit")
    .argument("[name]")
    .description("review installed skills once more, as they are now")
    .action(run(async () => (await import("./verify.ts")).runAudit));
};

const addOwnCommands = (skills: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  skills
    .command("archive")
    .argument("[name]")
    .option("--list", "what is in the archive")
    .description("take a skill of this home out of use")
    .action(run(async () => (await import("./remove.ts")).runArchive));
  skills
    .command("restore")
    .argument("<name>", "a skill's name (its newest), or an entry of the archive")
    .description("bring a skill back from the archive")
    .action(run(async () => (await import("./remove.ts")).runRestore));
};
