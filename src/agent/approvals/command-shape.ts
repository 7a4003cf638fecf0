import { failure, success } from "../../base/result.ts";
import type { Result } from "../../base/result.ts";
import { gitSubcommand } from "./walk/git-commands.ts";
import { isStatic, textOf } from "./walk/resolved-command.ts";
import type { ResolvedCommand } from "./walk/resolved-command.ts";
import { WRAPPERS } from "./walk/wrappers.ts";

/** What "always" allows: this program, called through these, with this subcommand and exactly these flags. */
export interface CommandShape {
  /** Programs through which it is called: `sudo`, `xargs`, … */
  readonly via: readonly string[];
  readonly program: string;
  /** `push`, `gateway stop`, the mode of chmod; empty where the program has none. */
  readonly subcommand: string;
  /** Sorted, each once, without values. */
  readonly flags: readonly string[];
}

/** How many operands of a program name what it does. */
const SUBCOMMAND_WORDS: ReadonlyMap<string, number> = new Map([
  ["git", 1],
  ["systemctl", 1],
  ["loginctl", 1],
  ["chmod", 1],
  ["hermes", 2],
  ["npm", 1],
  ["pnpm", 1],
  ["yarn", 1],
  ["cargo", 1],
  ["pip", 1],
  ["uv", 1],
  ["apt", 1],
  ["apt-get", 1],
  ["brew", 1],
  ["gh", 2],
  ["docker", 1],
  ["podman", 1],
  ["kubectl", 1],
  ["terraform", 1],
  ["deno", 1],
  ["bun", 1],
  ["make", 1],
]);

/** Programs whose one-dash words are whole options, not letters. */
const WHOLE_OPTIONS = new Set(["find", "java", "openssl", "ffmpeg", "terraform", "kill", "pkill", "killall"]);

const PLAIN = /^[A-Za-z0-9_@%+,./:=-]+$/;

/** The shape of a command; undefined where a word is not known, or the shape could not be written down plainly. */
export const shapeOf = (command: ResolvedCommand): CommandShape | undefined => {
  const { program, words, via } = command;
  if (program === undefined || isFlag(program) || !canBeProgram(program) || !words.every(isStatic)) return undefined;
  const args = words.slice(1).map(textOf);
  const flags = args.flatMap((text) => flagsOf(program, text));
  const operands = program === "git" ? gitOperands(command) : args.filter((text) => !isFlag(text));
  const subcommand = operands.slice(0, SUBCOMMAND_WORDS.get(program) ?? 0).join(" ");
  const shape = { via, program, subcommand, flags: [...new Set(flags)].sort() };
  return isPlain(shape) ? shape : undefined;
};

/** The flags of a program that runs others are mixed with theirs, so it has no shape; those of `find` and `bun` are not. */
const canBeProgram = (program: string): boolean => !WRAPPERS.has(program) || program === "find" || program === "bun";

const isFlag = (text: string): boolean => /^-./.test(text) && text !== "--";

/** Git's options before the subcommand have values that are no subcommand. */
const gitOperands = (command: ResolvedCommand): readonly string[] => {
  const { name } = gitSubcommand(command.words.slice(1));
  return name === undefined ? [] : [name];
};

const flagsOf = (program: string, text: string): readonly string[] => {
  if (!isFlag(text)) return [];
  if (text.startsWith("--") || WHOLE_OPTIONS.has(program)) return [text.split("=")[0] ?? text];
  return /^-[A-Za-z]+$/.test(text) ? Array.from(text.slice(1), (letter) => `-${letter}`) : [text];
};

const isPlain = (shape: CommandShape): boolean =>
  [...shape.via, shape.program, ...shape.flags].every((text) => PLAIN.test(text)) &&
  (shape.subcommand === "" || PLAIN.test(shape.subcommand.replace(" ", "")));

/** Writes a shape as one readable line, as `command_allowlist` holds it: `git push --force`. */
export const formatShape = ({ via, program, subcommand, flags }: CommandShape): string =>
  [...via, program, ...(subcommand === "" ? [] : [subcommand]), ...flags].join(" ");

/** An entry of `command_allowlist` that is no shape, and so is not honoured. */
export interface UnusableEntry {
  readonly entry: string;
}

/**
 * Reads an entry of `command_allowlist`. The descriptions of dangerous patterns that the Python system stored there
 * ("recursive delete") have words where a shape has none: they are returned as unusable.
 */
export const parseShape = (entry: string): Result<CommandShape, UnusableEntry> => {
  const words = entry.trim().split(/\s+/);
  const wrappers = words.findIndex((word) => !WRAPPERS.has(word));
  const count = wrappers === -1 ? words.length : wrappers;
  // A program that can run others stands for itself where no program follows it.
  const programAt = words[count] === undefined || isFlag(words[count]) ? count - 1 : count;
  const program = words[programAt];
  if (program === undefined || !canBeProgram(program) || !words.every((word) => PLAIN.test(word)))
    return failure({ entry });
  const rest = words.slice(programAt + 1);
  const firstFlag = rest.findIndex(isFlag);
  const operands = firstFlag === -1 ? rest : rest.slice(0, firstFlag);
  const flags = firstFlag === -1 ? [] : rest.slice(firstFlag);
  if (operands.length > (SUBCOMMAND_WORDS.get(program) ?? 0) || !flags.every(isFlag)) return failure({ entry });
  const sorted = [...new Set(flags.flatMap((flag) => flagsOf(program, flag)))].sort();
  return success({ via: words.slice(0, programAt), program, subcommand: operands.join(" "), flags: sorted });
};

/** What the owner allowed for good. */
export interface Allowlist {
  readonly shapes: readonly CommandShape[];
  /** Entries that mean nothing here, to tell the owner about once. */
  readonly unusable: readonly string[];
}

/** Reads `command_allowlist`. */
export const parseAllowlist = (entries: readonly string[]): Allowlist => {
  const parsed = entries.map(parseShape);
  return {
    shapes: parsed.flatMap((each) => (each.ok ? [each.value] : [])),
    unusable: parsed.flatMap((each) => (each.ok ? [] : [each.error.entry])),
  };
};

/** Whether an allowed shape covers an actual one: the same program by the same way, the same subcommand, exactly the same flags. */
export const shapeCovers = (allowed: CommandShape, actual: CommandShape): boolean =>
  formatShape(allowed) === formatShape(actual);
