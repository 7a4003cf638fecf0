import { type Command, type CommandInfo, type CommandResult, type Confirmation, errorResult } from "./command.ts";
import { type CommandMatch, matchCommand } from "./match-command.ts";
import type { CommandPorts } from "./ports.ts";
import { skillCommands } from "./skills.ts";

/** Runs the lines that people type after a slash. */
export interface CommandRunner {
  readonly infos: () => readonly CommandInfo[];
  /** `confirmed` is the answer to a `confirm` result of the same line. */
  run(line: string, options?: { readonly confirmed?: Confirmation }): Promise<CommandResult>;
}

interface ParsedLine {
  readonly name: string;
  readonly args: string;
}

/**
 * Takes `/name arguments` apart; undefined where a text is a message: no slash first, or a path (`/usr/bin`),
 * or a lone slash.
 */
export const parseCommandLine = (text: string): ParsedLine | undefined => {
  const match = /^\/(\p{L}[\p{L}\p{N}\p{M}_-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim());
  return match?.[1] === undefined ? undefined : { name: match[1], args: (match[2] ?? "").trim() };
};

/** The answer "do not ask", given with the command: `now`, `--yes` or `-y` as its last word. */
const splitConsent = (args: string): { readonly args: string; readonly consented: boolean } => {
  const match = /^([\s\S]*?)(?:^|\s+)(?:now|--yes|-y)$/u.exec(args);
  return match === null ? { args, consented: false } : { args: (match[1] ?? "").trim(), consented: true };
};

/** Whether a destructive command may go on: undefined = yes, else the question to put first. */
const question = (command: Command, args: string, ports: CommandPorts): string | undefined =>
  ports.settings.confirmsDestructive() ? command.destructive?.(args) : undefined;

/** The commands with those of the skills, made anew only when the skills were read again. */
const withSkills = (commands: readonly Command[], ports: CommandPorts): (() => readonly Command[]) => {
  let known: { readonly of: unknown; readonly all: readonly Command[] } | undefined;
  return () => {
    const callable = ports.skills.callable();
    if (known?.of !== callable) known = { of: callable, all: [...commands, ...skillCommands(ports.skills, commands)] };
    return known.all;
  };
};

/** A name that is unknown may be that of a skill which was made since the folders were read. */
const findCommand = async (name: string, all: () => readonly Command[], ports: CommandPorts): Promise<CommandMatch> => {
  const first = matchCommand(name, all());
  if (first.kind === "found") return first;
  await ports.skills.reload();
  return matchCommand(name, all());
};

/** Joins commands to what they work on. The skills that can be called stand behind them. */
export const createCommandRunner = (commands: readonly Command[], ports: CommandPorts): CommandRunner => {
  const all = withSkills(commands, ports);
  return { infos: all, run: async (line, options = {}) => await runLine({ line, options, all, ports }) };
};

interface LineToRun {
  readonly line: string;
  readonly options: { readonly confirmed?: Confirmation };
  readonly all: () => readonly Command[];
  readonly ports: CommandPorts;
}

const runLine = async ({ line, options, all, ports }: LineToRun): Promise<CommandResult> => {
  const parsed = parseCommandLine(line);
  if (parsed === undefined) return errorResult("That is no command", "/help lists the commands.");
  const match = await findCommand(parsed.name, all, ports);
  if (match.kind === "unknown") {
    const hint = match.nearest === undefined ? "/help lists the commands." : `Did you mean /${match.nearest}?`;
    return errorResult(`There is no command /${parsed.name}`, hint);
  }
  const { command } = match;
  if (command.during === "idle" && ports.turn.isRunning()) {
    return errorResult(
      `/${command.name} waits for the running turn`,
      "Stop it with Ctrl+C, or try again when it is done.",
    );
  }
  const consent =
    command.destructive === undefined ? { args: parsed.args, consented: false } : splitConsent(parsed.args);
  const asked =
    consent.consented || options.confirmed !== undefined ? undefined : question(command, consent.args, ports);
  if (asked !== undefined) return { kind: "confirm", question: asked, line };
  if (options.confirmed === "always") await ports.settings.stopConfirmingDestructive();
  return command.run({ args: consent.args, ports });
};
