import { expandWord } from "./shell/expand-word.ts";
import type { ShellWord, WordPart } from "./shell/token.ts";
import { tokenizeShell } from "./shell/tokenize.ts";
import { flatCommands } from "./shell-syntax.ts";
import type { CommandNode } from "./shell-syntax.ts";
import { leadingOptions } from "./walk/options.ts";
import { isStatic, programName, textOf } from "./walk/resolved-command.ts";
import { WRAPPERS } from "./walk/wrappers.ts";

/** A command line whose sudo calls read their password from the input. */
export interface SudoRewrite {
  readonly command: string;
  /** How many calls were rewritten: each reads one line. */
  readonly count: number;
}

/**
 * Makes every `sudo` that stands as a program read its password from the input (`sudo -S -p ''`); all else stays as it is spelled.
 * The word in an argument, a comment, a quoted text or a here-document is text. Calls that ask for no password
 * (`-n`, `-A`, `-k`, `-K`, `-V`, `-h`) stay too.
 */
export const rewriteSudo = (command: string): SudoRewrite => {
  const places = [...new Set(sudoEnds(command, 0))].sort((a, b) => b - a);
  const rewritten = places.reduce((text, end) => `${text.slice(0, end)} -S -p ''${text.slice(end)}`, command);
  return { command: rewritten, count: places.length };
};

const DEEPEST = 12;

/** Where the sudo words end in a text, those in substitutions included. */
const sudoEnds = (source: string, depth: number): readonly number[] => {
  if (depth > DEEPEST) return [];
  return flatCommands(tokenizeShell(source).tokens).flatMap((node) => [...callEnds(node), ...innerEnds(node, depth)]);
};

const callEnds = ({ words }: CommandNode): readonly number[] => {
  const expanded = words.map(constantOf);
  const constants = expanded.filter((word) => word !== undefined);
  let from = 0;
  // Only a wrapper whose words are all plain can be looked through: their places must be those of the text.
  while (constants.length === expanded.length) {
    const program = constants[from];
    const wrapper = program === undefined || isSudo(program) ? undefined : WRAPPERS.get(programName(program, false));
    const args = constants.slice(from + 1).map((value) => ({ kind: "static", value }) as const);
    const inner = wrapper?.remote === true ? undefined : wrapper?.inner(args, { kind: "inherited" })[0];
    if (inner?.kind !== "words" || inner.index === undefined) break;
    from += inner.index + 1;
  }
  const word = words[from];
  const value = expanded[from];
  return word !== undefined && value !== undefined && isSudo(value) && asksForPassword(words.slice(from + 1))
    ? [word.end]
    : [];
};

const isSudo = (path: string): boolean => programName(path, false) === "sudo";

const NO_PASSWORD = new Set([
  "n",
  "A",
  "k",
  "K",
  "V",
  "h",
  "--non-interactive",
  "--askpass",
  "--reset-timestamp",
  "--remove-timestamp",
  "--version",
  "--help",
]);

const asksForPassword = (args: readonly ShellWord[]): boolean => {
  const words = args.flatMap((word) => {
    const value = constantOf(word);
    return [
      value === undefined
        ? ({ kind: "dynamic", text: word.raw, guess: "", splits: true } as const)
        : ({ kind: "static", value } as const),
    ];
  });
  const { flags } = leadingOptions(words, { short: "ughpCrtTURD" });
  return !flags.some((flag) => NO_PASSWORD.has(flag));
};

/** The text of a word that needs nothing expanded. */
const constantOf = (word: ShellWord): string | undefined => {
  const [first, ...others] = expandWord(word, {
    lookup: () => undefined,
    substitute: () => undefined,
    separators: " \t\n",
  });
  return first !== undefined && others.length === 0 && isStatic(first) ? textOf(first) : undefined;
};

/** Substitutions stand in the text as they are, but for backticks with escapes in them. */
const innerEnds = (node: CommandNode, depth: number): readonly number[] => {
  const words = [...node.assignments, ...node.words, ...node.redirects.map((redirect) => redirect.target)];
  return words.flatMap((word) => word.parts.flatMap((part) => partEnds(part, depth)));
};

const partEnds = (part: WordPart, depth: number): readonly number[] => {
  if (part.kind === "substitution" || part.kind === "process") {
    const { offset } = part;
    return offset === undefined ? [] : sudoEnds(part.source, depth + 1).map((end) => end + offset);
  }
  return part.kind === "parameter" ? (part.fallback ?? []).flatMap((inner) => partEnds(inner, depth)) : [];
};
