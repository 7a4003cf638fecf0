import { Command, CommanderError, Option } from "commander";
import type { ExitCode } from "../base/app-error.ts";
import { cliErrors } from "./errors.ts";
import {
  addAuthCommands,
  addCheckpointCommands,
  addConfigCommands,
  addModelCommands,
  addMoneyCommands,
  addNotBuilt,
  addSessionCommands,
  addUpkeepCommands,
  type Finish,
} from "./command-tree.ts";
import { addMemoryCommands } from "./commands/memory/memory-tree.ts";
import { addCuratorCommands } from "./commands/curator/tree.ts";
import { addSkillCommands } from "./commands/skills/tree.ts";
import { NOT_BUILT_COMMANDS, NOT_BUILT_OPTIONS } from "./not-built.ts";
import type { Output } from "./output.ts";
import type { ChatFlags } from "./flags.ts";
import { unknownIn, visibleCommands } from "./unknown-command.ts";
import { VERSION } from "./version.ts";
import { wholeNumber } from "./whole-number.ts";

/** Parses the command line and runs what it names. Each command's code is loaded only when it runs. */
export const runProgram = async (argv: readonly string[], output: Output): Promise<ExitCode> => {
  let exitCode: ExitCode = 0;
  const program = createProgram(output, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    // Help and version end by "throwing" exit code 0; everything else commander throws is a usage error.
    if (thrown.exitCode === 0) return 0;
    throw cliErrors.usage({ message: thrown.message.replace(/^error: /, "") });
  }
  return exitCode;
};

const createProgram = (output: Output, finish: Finish): Command => {
  const program = new Command("hermes")
    .description("A personal AI agent on your own machine. Without a command: the interactive chat.")
    .version(`hermes ${VERSION}`, "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: output.stdout, writeErr: () => undefined })
    .showSuggestionAfterError(true)
    .enablePositionalOptions(false);

  addChatOptions(program);
  program
    .option("-z, --oneshot <prompt>", "answer one prompt: only the answer on stdout")
    .option("-p, --profile <name>", "use that profile's home")
    .option("--ignore-user-config", "run with the defaults instead of config.yaml")
    .option("--ignore-rules", "without SOUL.md, project files (AGENTS.md and the like) and memory")
    .option("--json", "machine-readable output: events, lists and errors as JSON")
    .option("--debug", "show stack traces");
  program.action(async (_: unknown, command: Command) => {
    const flags = command.optsWithGlobals<ChatFlags>();
    refuseUnknownCommand(program, command.args);
    refuseNotBuilt(command);
    const { runBare } = await import("./commands/chat.ts");
    finish(await runBare(flags, output));
  });

  addChatCommand(program, output, finish);
  addConfigCommands(program, output, finish);
  addSessionCommands(program, output, finish);
  addModelCommands(program, output, finish);
  addAuthCommands(program, output, finish);
  addMoneyCommands(program, output, finish);
  addCheckpointCommands(program, output, finish);
  addMemoryCommands(program, output, finish);
  addSkillCommands(program, output, finish);
  addCuratorCommands(program, output, finish);
  addUpkeepCommands(program, output, finish);
  for (const name of NOT_BUILT_COMMANDS) addNotBuilt(program, name);
  addHelpCommand(program);
  // Where a command's name is expected, an unknown one is answered with the known ones instead of "too many arguments".
  for (const command of [program, ...program.commands]) if (command.commands.length > 0) command.allowExcessArguments();
  program.hook("preAction", (_, action) => {
    refuseMissingDirectory();
    refuseChatOptions(program, action);
  });
  return program;
};

/** The program itself takes no arguments, so what stands there was meant as a command. */
const refuseUnknownCommand = (program: Command, args: readonly string[]): void => {
  const [name] = args;
  if (name !== undefined) throw unknownIn(program, name);
};

/** In a folder that was deleted no path can be resolved and no worker started: better one clear sentence before anything begins. */
const refuseMissingDirectory = (): void => {
  try {
    process.cwd();
  } catch (error) {
    throw cliErrors.noDirectory({}, error);
  }
};

/** `hermes help [command…]`: the same as `--help` at the end. */
const addHelpCommand = (program: Command): void => {
  program
    .command("help")
    .argument("[command...]")
    .description("what a command does and takes")
    .action((path: readonly string[]) => {
      let shown = program;
      for (const name of path) {
        const next = visibleCommands(shown).find((command) => command.name() === name);
        if (next === undefined) throw unknownIn(shown, name);
        shown = next;
      }
      shown.outputHelp();
    });
};

const GLOBAL_OPTIONS: ReadonlySet<string> = new Set(["version", "profile", "ignoreUserConfig", "json", "debug"]);

/** commander takes the program's options after any command; those of the chat mean nothing to the others and are refused there. */
const refuseChatOptions = (program: Command, action: Command): void => {
  if (action === program || action.name() === "chat") return;
  const own = new Set(action.options.map((option) => option.attributeName()));
  for (const option of program.options) {
    const name = option.attributeName();
    if (own.has(name) || GLOBAL_OPTIONS.has(name) || program.getOptionValueSource(name) !== "cli") continue;
    throw cliErrors.usage({
      message: `${option.long ?? name} is an option of the chat, not of \`hermes ${action.name()}\`.`,
    });
  }
};

/** The options that `hermes` and `hermes chat` share. */
const addChatOptions = (command: Command): Command => {
  command
    .option("-m, --model <model>", "use this model for the run")
    .option("--provider <id>", "use this provider for the run; `practice` is the built-in practice model")
    .option("-t, --toolsets <names>", "comma-separated toolsets or tools; `lean` is the small set")
    .option("-s, --skills <names>", "give the model these skills with the first message", skillNames)
    .option("-r, --resume <session>", "go on with a session: id, title, or the beginning of an id")
    .option("-c, --continue [title]", "go on with the newest session, or the newest of that title")
    .option("--max-turns <n>", "most model calls in one turn", (text) => wholeNumber("--max-turns", text))
    .option("--checkpoints", "keep a folder's files before the first change of each turn (/rollback)")
    .option("--yolo", "run dangerous commands without asking (what is always blocked stays blocked)");
  for (const flags of NOT_BUILT_OPTIONS) command.addOption(new Option(flags).hideHelp());
  return command;
};

/** May be given several times, each time with several names. */
const skillNames = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
];

const addChatCommand = (program: Command, output: Output, finish: Finish): void => {
  const chat = program.command("chat").description("chat, or ask once with -q");
  addChatOptions(chat)
    .option("-q, --query <prompt>", "ask once and exit")
    .option("-Q, --quiet", "print the answer only")
    .option("-v, --verbose", "print what the tools return")
    .option("--source <tag>", "what started the session; `tool` hides it from lists", "cli")
    .action(async (_: unknown, command: Command) => {
      refuseNotBuilt(command);
      const { runChatCommand } = await import("./commands/chat.ts");
      finish(await runChatCommand(command.optsWithGlobals<ChatFlags>(), output));
    });
};

const refuseNotBuilt = (command: Command): void => {
  const given = command.optsWithGlobals<Record<string, unknown>>();
  for (const flags of NOT_BUILT_OPTIONS) {
    const option = new Option(flags);
    if (given[option.attributeName()] !== undefined) throw cliErrors.notBuilt({ what: option.long ?? flags });
  }
};
