import { AWKS, awkCode } from "../walk/awk-code.ts";
import { gitPlaceSetting } from "../walk/git-commands.ts";
import { inlineCodeOf, isShell, readsProgramFromStdin } from "../walk/shells.ts";
import { leadingOptions } from "../walk/options.ts";
import { argumentsOf, textOf } from "../walk/resolved-command.ts";
import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { argumentTexts, hasFlag, isProgram, matchesDoubt, operandTexts } from "./arguments.ts";
import type { Rule } from "./rule.ts";

const hasInlineScript = (command: ResolvedCommand): boolean =>
  (command.program !== undefined &&
    isShell(command.program) &&
    leadingOptions(argumentsOf(command), { short: "oO", long: ["--rcfile", "--init-file"] }).flags.includes("c")) ||
  hasWindowsScript(command);

/** `powershell -Command text`, `cmd /c text`. */
const hasWindowsScript = (command: ResolvedCommand): boolean => {
  if (isProgram(command, "pwsh", "powershell"))
    return argumentTexts(command).some((text) => /^[-/](?:c|command|e|ec|enc|encodedcommand)$/i.test(text));
  return isProgram(command, "cmd") && argumentTexts(command).some((text) => /^\/{1,2}[ckr]/i.test(text));
};

const hasInlineCode = (command: ResolvedCommand): boolean =>
  command.program !== undefined && inlineCodeOf(command.program, argumentsOf(command)) !== undefined;

/** `deno eval`, and the ways in which text tools start other programs. */
const hasHiddenCode = (command: ResolvedCommand): boolean => {
  const args = argumentTexts(command);
  if (isProgram(command, "deno")) return args[0] === "eval" || args[0] === "repl";
  if (command.program !== undefined && AWKS.has(command.program)) return awkCode(argumentsOf(command)).startsUnknown;
  if (isProgram(command, "sqlite3", "duckdb"))
    return [...args, command.stdin.kind === "text" ? command.stdin.text : ""].some((text) =>
      /\bload_extension\s*\(|^\s*\.load\b/im.test(text),
    );
  if (isProgram(command, "sed", "gsed")) return sedScripts(command).some(runsInSed);
  if (isProgram(command, "rails")) return args[0] === "runner" || args[0] === "r";
  if (isProgram(command, "tar", "bsdtar", "gtar"))
    return args.some((text) => /^--(?:to-com|checkpoint-act\w*=exec)/.test(text));
  if (isProgram(command, "vim", "vi", "nvim", "ex", "emacs"))
    return args.some((text) => /^(?:-c|\+.*!|--cmd|--eval|-es?)/.test(text));
  return false;
};

/** The scripts behind `-e`, in whatever cluster; without one, or a file of them, the first operand that is not empty. */
const sedScripts = (command: ResolvedCommand): readonly string[] => {
  const args = argumentTexts(command);
  const given = args.flatMap((text, index) => {
    if (/^(?:-[a-zA-Z]*e|--expression)$/.test(args[index - 1] ?? "")) return [text];
    return /^(?:--expression=|-[nErsuz]*e)(.+)$/s.exec(text)?.[1] ?? [];
  });
  const isElsewhere = given.length > 0 || hasFlag(command, ["f", "--file"], { short: "efl" });
  return isElsewhere
    ? given
    : operandTexts(command, { short: "l" })
        .filter((text) => text !== "")
        .slice(0, 1);
};

/** Sed's command `e`, and the flag `e` of its `s`. */
const runsInSed = (code: string): boolean =>
  /(?:^|[;{}\n]|\d|\$|\/)\s*e(?:\s|$)|\/[gpIiMm0-9]*e[gpIiMm0-9]*(?:$|[;}\n])/.test(code);

/** `python -m timeit code`. */
const hasTimedCode = (command: ResolvedCommand): boolean =>
  /^(?:python|pypy)[\d.]*$/.test(command.program ?? "") &&
  argumentTexts(command).some((text, index, all) => text === "timeit" && all[index - 1] === "-m");

/** An interpreter whose program comes from a here-document, a here-string or known text. */
const readsCode = (command: ResolvedCommand): boolean =>
  command.program !== undefined &&
  command.stdin.kind === "text" &&
  readsProgramFromStdin(command.program, argumentsOf(command));

/** A program word that only the running shell knows. */
const unresolvedProgram = (command: ResolvedCommand): string | undefined => {
  const [first] = command.words;
  return command.program === undefined && command.doubts.length === 0 && first !== undefined
    ? textOf(first)
    : undefined;
};

/** What runs code that nobody has looked at. */
export const CODE_RULES: readonly Rule[] = [
  {
    id: "syntax",
    level: "dangerous",
    remember: false,
    describe: () => "its syntax is not understood for certain",
    matches: matchesDoubt("syntax", () => ({})),
  },
  {
    id: "null-byte",
    level: "dangerous",
    remember: false,
    describe: () => "it contains a NUL character",
    matches: matchesDoubt("null-byte", () => ({})),
  },
  {
    id: "unresolved-program",
    level: "dangerous",
    remember: false,
    describe: ({ program }) => `which program it runs is known only when it runs: ${program}`,
    matches: (command) => {
      const program = unresolvedProgram(command);
      return program === undefined ? undefined : { program };
    },
  },
  {
    id: "unresolved-script",
    level: "dangerous",
    remember: false,
    describe: ({ text }) => `which script it runs is known only when it runs: ${text}`,
    matches: matchesDoubt("unresolved-script", ({ text }) => ({ text: text.slice(0, 120) })),
  },
  {
    id: "piped-script",
    level: "dangerous",
    remember: false,
    describe: ({ from }) => `it runs what another program prints: ${from}`,
    matches: matchesDoubt("piped-script", ({ from }) => ({ from: from.join(", ") })),
  },
  {
    id: "fresh-script",
    level: "dangerous",
    remember: false,
    describe: ({ path }) => `it runs ${path}, which it has just written or made executable`,
    matches: matchesDoubt("fresh-script", ({ path }) => ({ path })),
  },
  {
    id: "agent-script",
    level: "dangerous",
    remember: false,
    describe: ({ path }) => `it runs ${path}, a program that the agent wrote`,
    matches: matchesDoubt("agent-script", ({ path }) => ({ path })),
  },
  {
    id: "loader-variable",
    level: "dangerous",
    remember: false,
    describe: ({ name }) => `it sets ${name}, which makes programs run other code or obey other settings`,
    matches: matchesDoubt("loader-variable", ({ name }) => ({ name })),
  },
  {
    id: "git-place",
    level: "dangerous",
    remember: false,
    describe: ({ setting }) => `it sets ${setting}, by which git finds programs, settings or addresses elsewhere`,
    matches: (command) => {
      const setting = isProgram(command, "git") ? gitPlaceSetting(argumentsOf(command)) : undefined;
      return setting === undefined ? undefined : { setting };
    },
  },
  {
    id: "inline-script",
    level: "dangerous",
    remember: true,
    describe: ({ program }) => `it gives ${program} a script on the command line`,
    matches: (command) => (hasInlineScript(command) ? { program: command.program ?? "" } : undefined),
  },
  {
    id: "inline-code",
    level: "dangerous",
    remember: true,
    describe: ({ program }) => `it gives ${program} code on the command line`,
    matches: (command) =>
      hasInlineCode(command) || hasHiddenCode(command) || hasTimedCode(command)
        ? { program: command.program ?? "" }
        : undefined,
  },
  {
    id: "input-code",
    level: "dangerous",
    remember: false,
    describe: ({ program }) => `it gives ${program} code on its input`,
    matches: (command) => (readsCode(command) ? { program: command.program ?? "" } : undefined),
  },
];
