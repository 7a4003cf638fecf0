import { Command } from "commander";
import type { ExitCode } from "../base/app-error.ts";
import { cliErrors } from "./errors.ts";
import type { GlobalFlags } from "./flags.ts";
import type { Output } from "./output.ts";

type Finish = (code: ExitCode) => void;

/** `hermes config …`. */
export const addConfigCommands = (program: Command, output: Output, finish: Finish): void => {
  const config = group(program, "config", "show and change settings");
  const act =
    (name: keyof typeof import("./commands/config.ts")) =>
    async (...args: unknown[]) => {
      const module = await import("./commands/config.ts");
      finish(await module[name]({ ...parse(args), output }));
    };
  config
    .command("show")
    .argument("[section]")
    .description("all settings, or those of one section")
    .action(act("runShow"));
  config
    .command("get")
    .argument("<key>")
    .option("--source", "say where the value comes from")
    .description("one setting")
    .action(act("runGet"));
  config
    .command("set")
    .argument("<key>")
    .argument("<value>")
    .description("change one setting; keys and tokens go to .env")
    .action(act("runSet"));
  config.command("unset").argument("<key>").description("back to the default").action(act("runUnset"));
  config.command("path").description("where config.yaml is").action(act("runPath"));
  config.command("env-path").description("where .env is").action(act("runEnvPath"));
  config
    .command("edit")
    .description("open config.yaml in $EDITOR; only a file that parses replaces it")
    .action(act("runEdit"));
  config.command("check").description("everything that is wrong with the settings").action(act("runCheck"));
  notBuilt(config, "migrate");
};

/** `hermes sessions …`. */
export const addSessionCommands = (program: Command, output: Output, finish: Finish): void => {
  const sessions = group(program, "sessions", "list, read and manage sessions");
  const act =
    (name: keyof typeof import("./commands/sessions/index.ts")) =>
    async (...args: unknown[]) => {
      const module = await import("./commands/sessions/index.ts");
      finish(await module[name]({ ...parse(args), output }));
    };
  sessions
    .command("list")
    .option("--source <tag>", "only sessions of this source")
    .option("--limit <n>", "how many", "20")
    .option("--deleted", "those that can still be restored")
    .description("newest first")
    .action(act("runList"));
  sessions
    .command("show")
    .argument("<session>")
    .option("--limit <n>", "only the last n messages")
    .description("a session's messages")
    .action(act("runShow"));
  sessions
    .command("export")
    .argument("<output>", "a file, or - for standard output")
    .option("--source <tag>", "only sessions of this source")
    .option("--session-id <session>", "only this session")
    .description("sessions as JSON lines")
    .action(act("runExport"));
  sessions
    .command("rename")
    .argument("<session>")
    .argument("<title...>")
    .description("give a session a title")
    .action(act("runRename"));
  sessions
    .command("delete")
    .argument("<session...>")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only say what would be deleted")
    .description("delete sessions; `sessions restore` brings them back for 7 days")
    .action(act("runDelete"));
  sessions
    .command("prune")
    .option("--older-than <days>", "not active for this many days (default: sessions.retention_days)")
    .option("--source <tag>", "only sessions of this source")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only say what would be deleted")
    .description("delete old sessions; `sessions restore` brings them back for 7 days")
    .action(act("runPrune"));
  sessions
    .command("restore")
    .argument("[session...]")
    .option("--all", "everything that can be restored")
    .description("bring deleted sessions back")
    .action(act("runRestore"));
  sessions.command("stats").description("how many, how large, how much").action(act("runStats"));
  sessions
    .command("browse")
    .option("--source <tag>", "only sessions of this source")
    .option("--limit <n>", "how many to choose from", "500")
    .description("choose a session and go on with it")
    .action(act("runBrowse"));
};

/** Commands that look after the installation. */
export const addUpkeepCommands = (program: Command, output: Output, finish: Finish): void => {
  program
    .command("demo")
    .description("a short, real turn with the built-in practice model; on a terminal the chat follows")
    .action(async (...args: unknown[]) => {
      const { runDemo } = await import("./commands/demo.ts");
      finish(await runDemo({ ...parse(args), output }));
    });
  program
    .command("context")
    .argument("[session]", "a session; without it, what a new one would send")
    .description("what each request carries, in tokens, part by part")
    .action(async (...args: unknown[]) => {
      const { runContext } = await import("./commands/context.ts");
      finish(await runContext({ ...parse(args), output }));
    });
  program
    .command("doctor")
    .description("check the installation and say what to mend")
    .action(async (...args: unknown[]) => {
      const { runDoctor } = await import("./commands/doctor.ts");
      finish(await runDoctor({ ...parse(args), output }));
    });
  program
    .command("logs")
    .argument("[log]", "agent, errors, or list", "agent")
    .option("-n, --lines <n>", "how many lines", "50")
    .option("-f, --follow", "go on as lines come")
    .option("--level <level>", "this level and above")
    .option("--session <id>", "only lines of this session")
    .option("--since <time>", "30m, 2h, 1d, or a date")
    .option("--component <name>", "only lines of this component")
    .description("read the logs")
    .action(async (...args: unknown[]) => {
      const { runLogs } = await import("./commands/logs.ts");
      finish(await runLogs({ ...parse(args), output }));
    });
  program
    .command("version")
    .description("print the version")
    .action(async (...args: unknown[]) => {
      const { runVersion } = await import("./commands/version.ts");
      finish(await runVersion({ ...parse(args), output }));
    });
};

/** What commander hands to an action, as one value: positional arguments and all flags, global ones included. */
export interface Invocation {
  readonly args: readonly (string | readonly string[] | undefined)[];
  readonly flags: GlobalFlags & Readonly<Record<string, string | boolean | undefined>>;
}

/** The call of a command's code. */
export interface CommandCall extends Invocation {
  readonly output: Output;
}

const parse = (args: readonly unknown[]): Invocation => {
  const command = args.at(-1);
  if (!(command instanceof Command)) throw new TypeError("commander calls actions with the command last");
  return { args: command.processedArgs, flags: command.optsWithGlobals() };
};

const group = (program: Command, name: string, description: string): Command => {
  const command = program.command(name).description(description);
  command.action(() => {
    const names = command.commands.map((sub) => sub.name()).join(", ");
    throw cliErrors.usage({ message: `\`hermes ${name}\` needs one of: ${names}.` });
  });
  return command;
};

const notBuilt = (parent: Command, name: string): void => {
  parent
    .command(name, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw cliErrors.notBuilt({ what: `\`hermes ${parent.name()} ${name}\`` });
    });
};
