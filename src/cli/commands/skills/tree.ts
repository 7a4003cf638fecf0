import type { Command } from "commander";
import { addNotBuilt, group, runner, type Finish } from "../../command-tree.ts";
import type { Output } from "../../output.ts";

/** `hermes skills …`. */
export const addSkillCommands = (program: Command, output: Output, finish: Finish): void => {
  const skills = group(program, "skills", "list, install, update and switch skills");
  addListCommands(skills, output, finish);
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

const addListCommands = (skills: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  skills
    .command("list")
    .option("--source <source>", "only hub, builtin, local or external ones", "all")
    .option("--enabled-only", "only those that are on")
    .description("every skill, where it comes from and what it is for")
    .action(run(async () => (await import("./list.ts")).runList));
  skills
    .command("search")
    .argument("<words...>")
    .option("--source <source>", "only `all`: there is no index elsewhere", "all")
    .option("--limit <n>", "how many", "10")
    .description("among the skills that are here")
    .action(run(async () => (await import("./list.ts")).runSearch));
  skills
    .command("browse")
    .option("--page <n>", "which page", "1")
    .option("--size <n>", "how many on a page", "20")
    .option("--source <source>", "only `all`: there is no index elsewhere", "all")
    .description("page by page")
    .action(run(async () => (await import("./list.ts")).runBrowse));
  skills
    .command("view")
    .argument("<name>")
    .argument("[file]", "a file of the skill")
    .description("a skill's text")
    .action(run(async () => (await import("./view.ts")).runView));
  skills
    .command("check")
    .description("all that is wrong with skills, with file and line")
    .action(run(async () => (await import("./check.ts")).runCheck));
  skills
    .command("usage")
    .description("how often skills were used")
    .action(run(async () => (await import("./usage.ts")).runUsage));
};

const addOwnCommands = (skills: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  skills
    .command("enable")
    .argument("<name...>")
    .description("switch skills on")
    .action(run(async () => (await import("./switch.ts")).runEnable));
  skills
    .command("disable")
    .argument("<name...>")
    .description("switch skills off: the model is not told of them")
    .action(run(async () => (await import("./switch.ts")).runDisable));
  skills
    .command("config")
    .description("switch skills on and off in a list")
    .action(run(async () => (await import("./switch.ts")).runConfig));
  skills
    .command("pin")
    .argument("<name>")
    .description("nothing archives it by itself")
    .action(run(async () => (await import("../curator/pin.ts")).runPin));
  skills
    .command("unpin")
    .argument("<name>")
    .description("treat it like the others again")
    .action(run(async () => (await import("../curator/pin.ts")).runUnpin));
  addChangeCommands(skills, run);
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

/** What the agent changes, or wants to. */
const addChangeCommands = (skills: Command, run: ReturnType<typeof runner>): void => {
  skills
    .command("pending")
    .description("changes by the agent that wait for your yes")
    .action(run(async () => (await import("./pending.ts")).runPending));
  skills
    .command("approve")
    .argument("<id>")
    .description("make such a change")
    .action(run(async () => (await import("./pending.ts")).runApprove));
  skills
    .command("reject")
    .argument("<id>")
    .description("throw such a change away")
    .action(run(async () => (await import("./pending.ts")).runReject));
  skills
    .command("history")
    .description("what the agent changed")
    .action(run(async () => (await import("./history.ts")).runHistory));
  skills
    .command("undo")
    .argument("<id>", "of `skills history`")
    .description("take back a change by the agent")
    .action(run(async () => (await import("./history.ts")).runUndo));
};
