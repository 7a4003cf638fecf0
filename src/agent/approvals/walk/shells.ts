import type { Word } from "../shell/expand-word.ts";
import { AWKS, awkCode } from "./awk-code.ts";
import { allOptions, leadingOptions } from "./options.ts";
import {
  runInlineCode,
  runJobTable,
  runProgramFile,
  runScriptFile,
  runScriptText,
  runStdin,
  STDIN_PATHS,
} from "./run-script.ts";
import { textOf } from "./resolved-command.ts";
import { copyScope } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Call, Walker } from "./walker.ts";

const SHELLS = new Set("bash sh dash zsh ksh mksh ash rbash fish csh tcsh yash posh osh nu xonsh elvish".split(" "));
/** Programs whose input is a list of shell commands to run later. */
const SCHEDULERS = new Set(["at", "batch"]);

/** How the interpreters take code on their command line. */
interface Interpreter {
  readonly inline: readonly string[];
  readonly short: string;
  readonly long?: readonly string[];
  /** Options after which no program file follows. */
  readonly module?: readonly string[];
}

const PYTHON: Interpreter = { inline: ["c"], short: "cmWX", module: ["m"] };
const JAVASCRIPT: Interpreter = {
  inline: ["e", "p", "--eval", "--print"],
  short: "erCp",
  long: ["--eval", "--print", "--require", "--import", "--loader", "--conditions"],
};

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ["python", PYTHON],
  ["pypy", PYTHON],
  ["perl", { inline: ["e", "E"], short: "eEIMmF" }],
  ["ruby", { inline: ["e"], short: "eIrEC" }],
  ["node", JAVASCRIPT],
  ["nodejs", JAVASCRIPT],
  ["bun", JAVASCRIPT],
  ["tsx", JAVASCRIPT],
  ["php", { inline: ["r", "B", "R", "E"], short: "rBREcdfStz" }],
  ...["lua", "luajit", "texlua"].map((name) => [name, { inline: ["e"], short: "el" }] as const),
  ["tclsh", { inline: [], short: "" }],
  ["wish", { inline: [], short: "" }],
  ["expect", { inline: ["c"], short: "cf" }],
  ["guile", { inline: ["c"], short: "celL" }],
  ["julia", { inline: ["e", "E", "--eval", "--print"], short: "eELJptC", long: ["--eval", "--print", "--load"] }],
  ["groovy", { inline: ["e"], short: "e" }],
  ["scala", { inline: ["e"], short: "e" }],
  ["elixir", { inline: ["e", "--eval"], short: "er", long: ["--eval"] }],
  ["octave", { inline: ["--eval"], short: "p", long: ["--eval"] }],
  ["sbcl", { inline: ["--eval"], short: "", long: ["--eval", "--load", "--script"] }],
  ["swift", { inline: ["e"], short: "e" }],
  ["ts-node", JAVASCRIPT],
  ["deno", { inline: [], short: "" }],
  ["ipython", PYTHON],
  ["Rscript", { inline: ["e"], short: "e" }],
  ["osascript", { inline: ["e"], short: "el" }],
]);

/** Whether a program is a shell that runs its input, a file, or `-c`. */
export const isShell = (program: string): boolean => SHELLS.has(program);

/** The interpreter behind names such as `python3.12`. */
export const interpreterOf = (program: string): Interpreter | undefined =>
  INTERPRETERS.get(program.replace(/[\d.]+$/, ""));

/** The code that stands on an interpreter's command line. */
export const inlineCodeOf = (program: string, args: readonly Word[]): Word | undefined => {
  const interpreter = interpreterOf(program);
  if (interpreter === undefined) return undefined;
  const { values } = leadingOptions(args, { short: interpreter.short, long: interpreter.long ?? [] });
  return interpreter.inline.map((flag) => values.get(flag)).find((value) => value !== undefined);
};

/** Follows what a shell or interpreter runs. */
export const runInterpreter = (walker: Walker, program: string, call: Call): void => {
  const args = call.words.slice(1);
  runNamedFiles(walker, program, call);
  if (isShell(program)) runShell(walker, args, call);
  else if (SCHEDULERS.has(program)) runScheduled(walker, args, call);
  else if (program === "crontab") runJobTable(walker, { scope: call.scope, flow: call.flow });
  else if (AWKS.has(program)) {
    const code = args.map(textOf).join("\n");
    runInlineCode(walker, { scope: call.scope, flow: call.flow, code, language: program });
    for (const value of awkCode(args).commands)
      runScriptText(walker, { text: { kind: "static", value }, scope: copyScope(call.scope), flow: call.flow });
  } else if (interpreterOf(program) !== undefined) runProgram(walker, program, call);
};

/** `at -f file`, or the commands on the input. */
const runScheduled = (walker: Walker, args: readonly Word[], { scope, flow }: Call): void => {
  const file = leadingOptions(args, { short: "fqt" }).values.get("f");
  if (file === undefined) runStdin(walker, { scope, flow, positional: [] });
  else runScriptFile(walker, { path: file, positional: [], scope, flow });
};

/** Options that name a file with a program in it. */
interface NamedFiles {
  readonly names: readonly string[];
  /** All letters with a value. */
  readonly short: string;
}

const AWK_FILES: NamedFiles = { names: ["f", "--file"], short: "fFvi" };
const SED_FILES: NamedFiles = { names: ["f", "--file"], short: "efl" };
const VIM_FILES: NamedFiles = { names: ["S", "u"], short: "SucTtUrWw" };

const NAMED_FILES: ReadonlyMap<string, NamedFiles> = new Map<string, NamedFiles>([
  ...[...AWKS].map((name) => [name, AWK_FILES] as const),
  ["sed", SED_FILES],
  ["gsed", SED_FILES],
  ...["vi", "vim", "gvim", "view", "ex"].map((name) => [name, VIM_FILES] as const),
  ["nvim", { names: ["S", "u", "l"], short: "SuclTtUrWw" }],
  ["emacs", { names: ["l", "--load", "--script"], short: "lfLqt" }],
  ["gdb", { names: ["x", "-x", "--command"], short: "x" }],
  ["lldb", { names: ["s", "--source"], short: "so" }],
  ["expect", { names: ["f"], short: "cf" }],
  ["R", { names: ["f", "--file"], short: "fe" }],
  ["tmux", { names: ["f"], short: "cfLST" }],
  ["cmake", { names: ["P"], short: "PBSDG" }],
]);

const runNamedFiles = (walker: Walker, program: string, { words, scope, flow }: Call): void => {
  const options = NAMED_FILES.get(program);
  if (options === undefined) return;
  const long = options.names.filter((name) => name.length > 1);
  const { values } = allOptions(words.slice(1), { short: options.short, long });
  for (const path of options.names.flatMap((name) => values.get(name) ?? []))
    runProgramFile(walker, { scope, flow, path });
};

const SHELL_OPTIONS = { short: "oO", long: ["--rcfile", "--init-file"] };

const runShell = (walker: Walker, all: readonly Word[], { scope, flow }: Call): void => {
  const args = withoutUnset(all);
  const { flags, rest, values } = leadingOptions(args, SHELL_OPTIONS);
  for (const name of SHELL_OPTIONS.long) {
    const startFile = values.get(name);
    if (startFile !== undefined) runScriptFile(walker, { path: startFile, positional: [], scope, flow });
  }
  const [first, ...others] = args.slice(rest);
  if (flags.includes("c")) {
    if (first !== undefined) runScriptText(walker, { text: first, positional: others.slice(1), scope, flow });
  } else if (first === undefined || flags.includes("s")) {
    runStdin(walker, { scope, flow, positional: first === undefined ? [] : [first, ...others] });
  } else runScriptFile(walker, { path: first, positional: others, scope, flow });
};

/** Without what unsets options: `+e`, `+o option`. It stands among the options, before the script. */
const withoutUnset = (args: readonly Word[]): readonly Word[] => {
  const at = args.findIndex((word) => word.kind === "static" && /^\+[A-Za-z]+$/.test(word.value));
  const before = args.slice(0, at);
  if (at === -1 || leadingOptions(before, SHELL_OPTIONS).rest < before.length) return args;
  const unset = args[at];
  const takesName = unset?.kind === "static" && /[oO]$/.test(unset.value);
  return withoutUnset([...before, ...args.slice(at + (takesName ? 2 : 1))]);
};

const runProgram = (walker: Walker, program: string, call: Call): void => {
  const interpreter = interpreterOf(program);
  if (interpreter === undefined) return;
  const args = call.words.slice(1);
  const place = { scope: call.scope, flow: call.flow };
  const { values, rest } = leadingOptions(args, { short: interpreter.short, long: interpreter.long ?? [] });
  const code = inlineCodeOf(program, args);
  if (code !== undefined) {
    runInlineCode(walker, { ...place, code: code.kind === "static" ? code.value : code.text, language: program });
    return;
  }
  runLoaded(walker, { ...place, values });
  if (interpreter.module?.some((flag) => values.has(flag)) === true) return;
  const file = programFile(program, args.slice(rest));
  if (file !== undefined && !isInput(file)) {
    runProgramFile(walker, { ...place, path: file });
    return;
  }
  const { stdin } = call.flow;
  if (stdin.kind === "text") runInlineCode(walker, { ...place, code: stdin.text, language: program });
  if (stdin.kind === "file") runProgramFile(walker, { ...place, path: stdin.path });
  if (stdin.kind === "stream") doubt(walker, place, { kind: "piped-script", from: stdin.programs });
};

const known = (value: string): Word => ({ kind: "static", value });

/** `-`, `/dev/stdin`. */
const isInput = (file: Word): boolean => file.kind === "static" && STDIN_PATHS.has(file.value);

/** Files that are loaded before the program, or as a module by its name: `node -r ./x.js`, `python -m pkg.x`. */
const runLoaded = (
  walker: Walker,
  { scope, flow, values }: Pick<Call, "scope" | "flow"> & { readonly values: ReadonlyMap<string, Word> },
): void => {
  for (const path of ["r", "--require", "--import", "--loader"].flatMap((name) => values.get(name) ?? [])) {
    if (path.kind === "static" && path.value.startsWith("data:"))
      doubt(walker, { scope, flow }, { kind: "unresolved-script", text: path.value });
    for (const extension of ["", ".js", ".cjs", ".mjs", ".rb"])
      runProgramFile(walker, { scope, flow, path: path.kind === "static" ? known(path.value + extension) : path });
  }
  // `php -d auto_prepend_file=./x.php`
  const setting = /^auto_(?:pre|ap)pend_file=(.*)$/.exec(textOf(values.get("d") ?? known("")))?.[1];
  if (setting !== undefined) runProgramFile(walker, { scope, flow, path: known(setting) });
  const module = values.get("m");
  if (module?.kind !== "static") return;
  const base = module.value.replaceAll(".", "/");
  for (const value of [`${base}.py`, `${base}/__main__.py`])
    runProgramFile(walker, { scope, flow, path: { kind: "static", value } });
};

/** `bun run file`, `deno run -A file`: the words in between are no file. */
const programFile = (program: string, operands: readonly Word[]): Word | undefined => {
  const [first, ...rest] = operands;
  const takesVerb = program === "bun" || program === "deno";
  if (!takesVerb || first?.kind !== "static" || first.value !== "run") return first;
  return rest.find((word) => word.kind === "dynamic" || !/^-./.test(word.value));
};

/** Whether an interpreter takes its program from its input. */
export const readsProgramFromStdin = (program: string, args: readonly Word[]): boolean => {
  const interpreter = interpreterOf(program);
  if (interpreter === undefined) return false;
  const { values } = leadingOptions(args, { short: interpreter.short, long: interpreter.long ?? [] });
  if (interpreter.module?.some((flag) => values.has(flag)) === true || inlineCodeOf(program, args) !== undefined)
    return false;
  const { operands, flags } = allOptions(args, { short: interpreter.short, long: interpreter.long ?? [] });
  if (flags.some((flag) => ["V", "v", "h", "--version", "--help"].includes(flag))) return false;
  const [first] = operands;
  return first === undefined || isInput(first);
};
