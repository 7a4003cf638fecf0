import { Command } from "commander";
import type { ExitCode } from "../base/app-error.ts";
import { cliErrors } from "./errors.ts";
import type { CommandCall, Invocation } from "./command-call.ts";
import type { Output } from "./output.ts";
import { unknownIn, visibleCommands } from "./unknown-command.ts";

/** Takes the exit code of the command that ran. */
export type Finish = (code: ExitCode) => void;

/** `hermes config …`. */
export const addConfigCommands = (program: Command, output: Output, finish: Finish): void => {
  const config = group(program, "config", "show and change settings");
  const run = runner(output, finish);
  config
    .command("show")
    .description("every setting and where it comes from")
    .action(run(async () => (await import("./commands/config.ts")).runShow));
  config
    .command("get")
    .argument("<key>")
    .option("--source", "say where the value comes from")
    .description("one setting")
    .action(run(async () => (await import("./commands/config.ts")).runGet));
  config
    .command("set")
    .argument("<key>")
    .argument("[value]", "`-` reads it from standard input; a secret that is left out is asked for")
    .description("change one setting; keys and tokens go to .env")
    .action(run(async () => (await import("./commands/config.ts")).runSet));
  config
    .command("unset")
    .argument("<key>")
    .description("back to the default")
    .action(run(async () => (await import("./commands/config.ts")).runUnset));
  config
    .command("path")
    .description("where config.yaml is")
    .action(run(async () => (await import("./commands/config.ts")).runPath));
  config
    .command("env-path")
    .description("where .env is")
    .action(run(async () => (await import("./commands/config.ts")).runEnvPath));
  config
    .command("edit")
    .description("open config.yaml in $EDITOR; only a file that parses replaces it")
    .action(run(async () => (await import("./commands/config.ts")).runEdit));
  config
    .command("check")
    .description("everything that is wrong with the settings")
    .action(run(async () => (await import("./commands/config.ts")).runCheck));
  addNotBuilt(config, "migrate");
};

/** `hermes sessions …`. */
export const addSessionCommands = (program: Command, output: Output, finish: Finish): void => {
  const sessions = group(program, "sessions", "list, read and manage sessions");
  const run = runner(output, finish);
  sessions
    .command("list")
    .option("--source <tag>", "only sessions of this source")
    .option("--limit <n>", "how many", "20")
    .option("--deleted", "those that can still be restored")
    .description("newest first")
    .action(run(async () => (await import("./commands/sessions/list.ts")).runList));
  sessions
    .command("show")
    .argument("<session>")
    .option("--limit <n>", "only the last n messages")
    .option("--lineage", "the whole conversation, over all sessions that it went through")
    .description("a session's messages")
    .action(run(async () => (await import("./commands/sessions/show.ts")).runShow));
  addSessionTexts(sessions, run);
  sessions
    .command("rename")
    .argument("<session>")
    .argument("<title...>")
    .description("give a session a title")
    .action(run(async () => (await import("./commands/sessions/rename.ts")).runRename));
  sessions
    .command("delete")
    .argument("<session...>")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only say what would be deleted")
    .description("delete sessions; `sessions restore` brings them back for 7 days")
    .action(run(async () => (await import("./commands/sessions/delete.ts")).runDelete));
  sessions
    .command("prune")
    .option("--older-than <days>", "not active for this many days (default: sessions.retention_days)")
    .option("--source <tag>", "only sessions of this source")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only say what would be deleted")
    .description("delete old sessions; `sessions restore` brings them back for 7 days")
    .action(run(async () => (await import("./commands/sessions/prune.ts")).runPrune));
  sessions
    .command("restore")
    .argument("[session...]")
    .option("--all", "everything that can be restored")
    .description("bring deleted sessions back")
    .action(run(async () => (await import("./commands/sessions/restore.ts")).runRestore));
  sessions
    .command("stats")
    .description("how many, how large, how much")
    .action(run(async () => (await import("./commands/sessions/stats.ts")).runStats));
  sessions
    .command("browse")
    .option("--source <tag>", "only sessions of this source")
    .option("--limit <n>", "how many to choose from", "500")
    .description("choose a session and go on with it")
    .action(run(async () => (await import("./commands/sessions/browse.ts")).runBrowse));
};

/** What reads or writes the texts of many sessions. */
const addSessionTexts = (sessions: Command, run: ReturnType<typeof runner>): void => {
  sessions
    .command("search")
    .argument("<words...>", 'words, "phrases", word*, AND, OR, NOT; after -- whatever they begin with')
    .option("--role <roles>", "only messages of user, assistant or tool; several with commas")
    .option("--source <tag>", "only sessions of this source")
    .option("--since <time>", "30m, 2h, 3d, 2w, yesterday, or a date")
    .option("--until <time>", "the same")
    .option("--session <session>", "only this conversation")
    .option("--sort <order>", "rank, newest or oldest", "rank")
    .option("--limit <n>", "how many hits", "20")
    .option("--context <n>", "messages to show before and after each hit")
    .description("what was said, in whichever session")
    .action(run(async () => (await import("./commands/sessions/search.ts")).runSearch));
  sessions
    .command("export")
    .argument("[session]", "a session, or with --all nothing; a file or - writes all sessions into it")
    .option("--all", "all sessions")
    .option("--format <format>", "jsonl, markdown or html; else by the file's ending")
    .option("-o, --output <file>", "where to; without it standard output")
    .option("--source <tag>", "only sessions of this source")
    .option("--session-id <session>", "only this session")
    .description("sessions as JSON lines, Markdown or one HTML page")
    .action(run(async () => (await import("./commands/sessions/export.ts")).runExport));
  sessions
    .command("import")
    .option("--from <path>", "the database of the Python system, or the home that it is in (default: this home)")
    .option("--dry-run", "only say what would be copied")
    .description("copy sessions from the Python system's state.db; that stays as it is")
    .action(run(async () => (await import("./commands/sessions/import.ts")).runImport));
};

/** `hermes budget …` and `hermes insights`: what calls of models cost. */
export const addMoneyCommands = (program: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  const status = run(async () => (await import("./commands/budget.ts")).runBudgetStatus);
  const budget = program.command("budget").description("what is spent, and hard caps on it");
  budget.action(async (...args: unknown[]) => {
    const [given] = budget.args;
    if (given !== undefined) throw unknownIn(budget, given);
    await status(...args);
  });
  budget.command("status").description("what is spent, and how far budgets are used").action(status);
  budget
    .command("set")
    .argument("<period>", "day, month, session or job")
    .argument("<amount>", "US dollars; with --tokens a number of tokens: 200000, 500k, 1.5M")
    .option("--tokens", "tokens instead of dollars")
    .description("the most that calls of models may take; running sessions keep to it at once")
    .action(run(async () => (await import("./commands/budget.ts")).runBudgetSet));
  budget
    .command("clear")
    .argument("<period>", "day, month, session or job")
    .option("--tokens", "only the budget in tokens")
    .description("no budget any more")
    .action(run(async () => (await import("./commands/budget.ts")).runBudgetClear));
  program
    .command("insights")
    .option("--days <n>", "how many days, today included", "30")
    .option("--source <tag>", "only calls of this source")
    .description("where tokens and money went, by model, source and day")
    .action(run(async () => (await import("./commands/insights.ts")).runInsights));
};

/** `hermes auth …`, and where `hermes login` and `hermes logout` lead. */
export const addAuthCommands = (program: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  const list = run(async () => (await import("./commands/auth/list.ts")).runList);
  const auth = program.command("auth").description("keys and logins of the providers");
  auth.action(async (...args: unknown[]) => {
    const [given] = auth.args;
    if (given !== undefined) throw unknownIn(auth, given);
    await list(...args);
  });
  auth
    .command("list")
    .argument("[provider]")
    .option("--all", "every provider by its id, and how it is connected")
    .description("in the order of their use")
    .action(list);
  auth
    .command("add")
    .argument("<provider>", "a provider's id, or an entry of providers:")
    .option("--type <type>", "api-key or oauth (sign in); without it, what the provider takes")
    .option("--label <text>", "how it is named in lists")
    .option("--api-key <key>", "`-` reads it from standard input; left out, it is asked for, unseen")
    .option("--no-browser", "start no browser: show the address or a code")
    .option("--manual-paste", "paste the answer of the browser, here or on another machine")
    .option("--timeout <seconds>", "how long one answer of the provider is waited for (default 15)")
    .option("--portal-url <url>", "a portal of your own in place of the provider's")
    .option("--inference-url <url>", "where the login's calls go")
    .option("--client-id <id>", "another OAuth client")
    .option("--scope <scopes>", "other scopes")
    .option("--ca-bundle <file>", "a PEM file of further authorities for the sign-in and its renewals")
    .option("--insecure", "do not check the certificate of --portal-url")
    .description("add a key, or sign in")
    .action(run(async () => (await import("./commands/auth/add.ts")).runAdd));
  auth
    .command("remove")
    .argument("<provider>")
    .argument("<target>", "its number in the list, its id or its label")
    .description("take one out; where it came from is not read again")
    .action(run(async () => (await import("./commands/auth/remove.ts")).runRemove));
  auth
    .command("restore")
    .argument("<provider>")
    .description("read again what was taken out and is still there")
    .action(run(async () => (await import("./commands/auth/reset.ts")).runRestore));
  auth
    .command("reset")
    .argument("<provider>")
    .description("end every rest")
    .action(run(async () => (await import("./commands/auth/reset.ts")).runReset));
  auth
    .command("status")
    .argument("<provider>")
    .description("whether a call could be made, and as whom")
    .action(run(async () => (await import("./commands/auth/status.ts")).runStatus));
  auth
    .command("logout")
    .argument("<provider>")
    .description("remove the logins that are kept here; keys stay")
    .action(run(async () => (await import("./commands/auth/logout.ts")).runAuthLogout));
  addNotBuilt(auth, "spotify");
  program
    .command("logout")
    .option("--provider <id>", "of this provider; without it, the one signed in to last")
    .description("remove logins that are kept here")
    .action(run(async () => (await import("./commands/auth/logout.ts")).runLogout));
  program
    .command("login", { hidden: true })
    .option("--provider <id>")
    .allowUnknownOption()
    .allowExcessArguments()
    .action(run(async () => (await import("./commands/auth/logout.ts")).runLogin));
};

/** `hermes model …` and `hermes fallback …`. */
export const addModelCommands = (program: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  const model = program.command("model").description("choose the model that answers; list, set and test models");
  const chooseOrShow = run(async () => (await import("./commands/model/run-model.ts")).runModel);
  model.action(async (...args: unknown[]) => {
    const [given] = model.args;
    if (given !== undefined) throw unknownIn(model, given);
    await chooseOrShow(...args);
  });
  model
    .command("list")
    .option("--provider <id>", "this provider's models, as its endpoint lists them now")
    .option("--search <text>", "only names that hold every word")
    .option("--local", "servers on this machine: Ollama, LM Studio, llama.cpp, vLLM")
    .description("models with their windows, prices and abilities")
    .action(run(async () => (await import("./commands/model/list.ts")).runModelList));
  model
    .command("set")
    .argument("<name>", "a model's name, or PROVIDER/MODEL")
    .option("--provider <id>", "at this provider")
    .description("which model answers from now on")
    .action(run(async () => (await import("./commands/model/set.ts")).runModelSet));
  model
    .command("test")
    .argument("[name]", "a model's name; without it the one that answers now")
    .option("--provider <id>", "at this provider")
    .description("one small call: how fast, how dear, and what to do if it fails")
    .action(run(async () => (await import("./commands/model/test-model.ts")).runModelTest));
  model
    .command("refresh")
    .description("fetch newer windows and prices than those that ship")
    .action(run(async () => (await import("./commands/model/refresh.ts")).runModelRefresh));

  const fallback = group(program, "fallback", "models that take over when yours cannot answer");
  fallback
    .command("list")
    .alias("ls")
    .description("in their order, with what each lacks")
    .action(run(async () => (await import("./commands/fallback.ts")).runFallbackList));
  fallback
    .command("add")
    .argument("<model>", "PROVIDER/MODEL, or a model's name with --provider")
    .option("--provider <id>", "at this provider")
    .option("--base-url <url>", "at this address")
    .option("--key-env <name>", "with the key in this variable")
    .description("put one at the end of the list")
    .action(run(async () => (await import("./commands/fallback.ts")).runFallbackAdd));
  fallback
    .command("remove")
    .alias("rm")
    .argument("<which>", "its number, or its name")
    .description("take one out")
    .action(run(async () => (await import("./commands/fallback.ts")).runFallbackRemove));
  fallback
    .command("clear")
    .option("-y, --yes", "do not ask")
    .description("take all out")
    .action(run(async () => (await import("./commands/fallback.ts")).runFallbackClear));
};

/** `hermes checkpoints …`: files as they were before the agent changed them. */
export const addCheckpointCommands = (program: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  const stats = run(async () => (await import("./commands/checkpoints/stats.ts")).runStats);
  const checkpoints = program.command("checkpoints").description("files as they were before the agent changed them");
  checkpoints.action(async (...args: unknown[]) => {
    const [given] = checkpoints.args;
    if (given !== undefined) throw unknownIn(checkpoints, given);
    await stats(...args);
  });
  checkpoints.command("status").alias("stats").description("how many, of which folders, how large").action(stats);
  checkpoints
    .command("list")
    .option("--limit <n>", "how many", "20")
    .description("those of this folder, newest first")
    .action(run(async () => (await import("./commands/checkpoints/list.ts")).runList));
  checkpoints
    .command("diff")
    .argument("<number>", "as `list` numbers them")
    .argument("[file]", "only this file or folder")
    .description("what changed since")
    .action(run(async () => (await import("./commands/checkpoints/diff.ts")).runDiff));
  checkpoints
    .command("restore")
    .argument("<number>", "as `list` numbers them")
    .argument("[file]", "only this file or folder")
    .option("--delete-new", "remove also what came since without the agent having made it")
    .option("-y, --yes", "do not ask")
    .description("bring files back; what is there now becomes checkpoint 1")
    .action(run(async () => (await import("./commands/checkpoints/restore.ts")).runRestore));
  checkpoints
    .command("prune")
    .option("--retention-days <n>", "keep what is younger (default: checkpoints.retention_days)")
    .option("--max-size-mb <n>", "most MiB for all (default: checkpoints.max_total_size_mb)")
    .option("--keep-orphans", "keep those of folders that are gone")
    .description("remove old checkpoints")
    .action(run(async () => (await import("./commands/checkpoints/prune.ts")).runPrune));
  checkpoints
    .command("clear")
    .option("-f, --force", "do not ask")
    .description("remove all checkpoints")
    .action(run(async () => (await import("./commands/checkpoints/prune.ts")).runClear));
  checkpoints
    .command("clear-legacy")
    .option("-f, --force", "do not ask")
    .description("remove the stores of older versions of the Python system")
    .action(run(async () => (await import("./commands/checkpoints/prune.ts")).runClearLegacy));
};

/** Commands that look after the installation. */
export const addUpkeepCommands = (program: Command, output: Output, finish: Finish): void => {
  const run = runner(output, finish);
  program
    .command("demo")
    .description("a short, real turn with the built-in practice model; on a terminal the chat follows")
    .action(run(async () => (await import("./commands/demo.ts")).runDemo));
  program
    .command("context")
    .argument("[session]", "a session; without it, what a new one would send")
    .description("what each request carries, in tokens, part by part")
    .action(run(async () => (await import("./commands/context.ts")).runContext));
  program
    .command("doctor")
    .option("--fix", "mend what needs no decision: file modes")
    .description("check the installation and say what to mend")
    .action(run(async () => (await import("./commands/doctor.ts")).runDoctor));
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
    .action(run(async () => (await import("./commands/logs.ts")).runLogs));
  program
    .command("version")
    .description("print the version")
    .action(run(async () => (await import("./commands/version.ts")).runVersion));
};

type Run = (call: CommandCall) => Promise<ExitCode>;

/** An action that loads a command's code when it is called. */
export const runner =
  (output: Output, finish: Finish) =>
  (load: () => Promise<Run>) =>
  async (...args: unknown[]): Promise<void> => {
    const run = await load();
    finish(await run({ ...parse(args), output }));
  };

const parse = (args: readonly unknown[]): Invocation => {
  const command = args.at(-1);
  if (!(command instanceof Command)) throw new TypeError("commander calls actions with the command last");
  return { args: command.processedArgs, flags: command.optsWithGlobals() };
};

/** A command that only groups others: alone it says which. */
/** A group of commands that does nothing by itself. */
export const group = (program: Command, name: string, description: string): Command => {
  const command = program.command(name).description(description);
  command.action(() => {
    const [given] = command.args;
    if (given !== undefined) throw unknownIn(command, given);
    const names = visibleCommands(command).map((sub) => sub.name());
    throw cliErrors.usage({ message: `\`hermes ${name}\` needs one of: ${names.join(", ")}.` });
  });
  return command;
};

/** A command of the existing system that this version refuses, whatever stands behind it. */
export const addNotBuilt = (parent: Command, name: string): void => {
  parent
    .command(name, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(() => {
      const path = parent.parent === null ? ["hermes", name] : ["hermes", parent.name(), name];
      throw cliErrors.notBuilt({ what: `\`${path.join(" ")}\`` });
    });
};
