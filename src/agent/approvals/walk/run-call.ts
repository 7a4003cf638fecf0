import type { StaticWord, Word } from "../shell/expand-word.ts";
import { fitsPattern } from "../shell/glob-match.ts";
import { BUILTINS, judgeSubscripts } from "./builtins.ts";
import { clientTexts } from "./client-commands.ts";
import { runVariable } from "./command-variables.ts";
import { gitCommands } from "./git-commands.ts";
import type { Inner } from "./inner-command.ts";
import { knownOutput } from "./known-output.ts";
import { withOptionFile } from "./option-files.ts";
import { pathsOf } from "./paths.ts";
import { runProjectScripts } from "./project-scripts.ts";
import { argumentsOf, isStatic, programName, textOf } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";
import { fileContent, runByPath, runScriptText } from "./run-script.ts";
import { copyScope, mergeScope } from "./scope.ts";
import { runInterpreter } from "./shells.ts";
import { optionTexts } from "./text-options.ts";
import { doubt } from "./walker.ts";
import type { Call, Flow, Walker } from "./walker.ts";
import { WRAPPERS } from "./wrappers.ts";
import { writeTargets } from "./write-targets.ts";

/** Programs that run one another, `sudo env nice …`; no honest command has more. */
const MOST_WRAPPERS = 20;

/** Records a call and follows what it runs. Returns what it prints where that is certain. */
export const runCall = (walker: Walker, call: Call): string | undefined => {
  const [first] = call.words;
  if (call.flow.via.length > MOST_WRAPPERS) {
    doubt(walker, call, { kind: "beyond-limits" });
    return undefined;
  }
  if (first === undefined) {
    if (call.redirects.length > 0) record(walker, call, undefined);
    return readAlone(walker, call);
  }
  if (first.kind === "dynamic" || first.pattern !== undefined) {
    record(walker, call, undefined);
    guessProgram(walker, call);
    return undefined;
  }
  return runKnown(walker, call, first);
};

/** `$(<file)` stands for what is in the file. */
const readAlone = (walker: Walker, { redirects, scope }: Call): string | undefined => {
  const [only, ...others] = redirects;
  if (only?.operator !== "<" || others.length > 0) return "";
  const [path, ...more] = pathsOf(only.target, scope.cwd);
  return path === undefined || more.length > 0 ? undefined : fileContent(walker, path)?.content;
};

const record = (walker: Walker, call: Call, program: string | undefined): ResolvedCommand => {
  const { words, redirects, scope, flow } = call;
  const { stdin, background, via, remote } = flow;
  const command: ResolvedCommand = {
    program,
    words,
    redirects,
    cwd: scope.cwd,
    stdin,
    background,
    via,
    remote,
    doubts: [],
  };
  walker.commands.push(command);
  return command;
};

/** Programs whose harm is worst, for a program word with wildcards. */
const WORST_PROGRAMS = [
  "rm",
  "dd",
  "mkfs",
  "reboot",
  "shutdown",
  "halt",
  "poweroff",
  "init",
  "systemctl",
  "kill",
  "tee",
  "sudo",
  "bash",
  "sh",
];

/**
 * The command as it may be: with everything unknown in its first words empty, so that `r$1m` and `${x:-rm}` are seen through;
 * as each of the worst programs that its wildcards fit; and as a shell, where a `-c` follows.
 */
const guessProgram = (walker: Walker, call: Call): void => {
  const [first] = call.words;
  const args = call.words.slice(1);
  const script = args.findIndex((word) => word.kind === "static" && /^-[a-z]*c$/.test(word.value));
  const text = args[script + 1];
  if (script !== -1 && text !== undefined) {
    walker.script(
      textOf(text),
      { ...copyScope(call.scope), positional: args.slice(script + 3) },
      { ...call.flow, depth: call.flow.depth + 1 },
    );
  }
  if (first?.kind === "static" && first.pattern !== undefined) guessWildcards(walker, call, first.pattern);
  else guessEmpty(walker, call);
};

const guessWildcards = (walker: Walker, call: Call, pattern: string): void => {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  for (const value of WORST_PROGRAMS.filter((program) => fitsPattern(name, [program]))) {
    runCall(walker, { ...call, words: [{ kind: "static", value }, ...call.words.slice(1)] });
  }
};

const guessEmpty = (walker: Walker, call: Call): void => {
  const at = call.words.findIndex((word) => word.kind === "static" || word.guess.trim() !== "");
  const word = call.words[at];
  if (word === undefined) return;
  if (word.kind === "static") {
    runCall(walker, { ...call, words: call.words.slice(at) });
    return;
  }
  const guessed = word.guess
    .trim()
    .split(/\s+/)
    .map((value): Word => ({ kind: "static", value }));
  runCall(walker, { ...call, words: [...guessed, ...call.words.slice(at + 1)] });
};

const runKnown = (walker: Walker, call: Call, first: StaticWord): string | undefined => {
  const definition = call.scope.functions.get(first.value);
  const printed = definition === undefined ? undefined : runFunction(walker, call, first.value);
  // The definition may not have been reached: then the program of that name runs.
  const program = programName(first.value, walker.world.caseInsensitive);
  const output = runProgram(walker, withOptionFile(walker, program, call), { first, program });
  return definition === undefined ? output : printed;
};

interface Named {
  readonly first: StaticWord;
  readonly program: string;
}

const runProgram = (walker: Walker, call: Call, { first, program }: Named): string | undefined => {
  const command = record(walker, call, program);
  const builtin = BUILTINS.get(program);
  builtin?.(walker, call);
  judgeSubscripts(walker, program, call);
  runInterpreter(walker, program, call);
  runProjectScripts(walker, program, call);
  for (const path of placesOf(walker, call, first))
    runByPath(walker, { path, positional: call.words.slice(1), scope: call.scope, flow: call.flow });
  const texts = [
    ...(program === "git" ? gitCommands(call.words.slice(1)) : []),
    ...optionTexts(program, call.words.slice(1)),
    ...clientTexts(program, call.words.slice(1), call.flow.stdin),
  ];
  // What these start reads what comes from the other end.
  const flow: Flow = NETWORK.has(program)
    ? { ...call.flow, stdin: { kind: "stream", programs: [program] } }
    : call.flow;
  for (const text of texts) runScriptText(walker, { text, scope: copyScope(call.scope), flow });
  const inner = runInner(walker, call, program);
  const output = inner ?? outputOf(walker, command);
  noteFiles(walker, call, { command, output });
  // Where the output goes elsewhere, descriptors may still bring it back: then it is not known.
  return call.redirects.some((redirect) => redirect.writes) ? undefined : output;
};

const NETWORK = new Set(["nc", "netcat", "ncat", "socat"]);

/** Where a program may be: at its path, or in a folder of `PATH` where the agent has put one of that name. */
const placesOf = (walker: Walker, { scope }: Call, name: StaticWord): readonly StaticWord[] => {
  if (name.value.includes("/")) return [name];
  const folders = (scope.variables.get("PATH")?.values ?? []).flatMap((path) => path.split(":"));
  return folders
    .map((folder): StaticWord => ({ kind: "static", value: `${folder === "" ? "." : folder}/${name.value}` }))
    .filter((path) => pathsOf(path, scope.cwd).some((file) => fileContent(walker, file) !== undefined));
};

const outputOf = (walker: Walker, command: ResolvedCommand): string | undefined => {
  const args = argumentsOf(command);
  if (command.program === "cat" && args.length > 0) return concatenated(walker, command);
  return command.program === undefined ? undefined : knownOutput(command.program, args, command.stdin);
};

/** What `cat` prints of files that this command line or the agent wrote. */
const concatenated = (walker: Walker, command: ResolvedCommand): string | undefined => {
  let text = "";
  for (const word of argumentsOf(command)) {
    const [path, ...others] = pathsOf(word, command.cwd);
    const stdin = word.kind === "static" && word.value === "-" ? knownOutput("cat", [], command.stdin) : undefined;
    const content = stdin ?? (path === undefined || others.length > 0 ? undefined : fileContent(walker, path)?.content);
    if (content === undefined) return undefined;
    text += content;
  }
  return text;
};

const runFunction = (walker: Walker, call: Call, name: string): string | undefined => {
  const { scope, flow } = call;
  const definition = scope.functions.get(name);
  if (flow.running.includes(name)) {
    const startsItself = definition?.isAlias !== true && flow.via.every((program) => program === "time");
    if (startsItself && flow.certain && (flow.background || flow.piped))
      doubt(walker, call, { kind: "fork-bomb", name });
    return undefined;
  }
  if (definition === undefined) return undefined;
  if (definition.isUnread === true) doubt(walker, call, { kind: "unresolved-script", text: name });
  const inner = { ...copyScope(scope), positional: call.words.slice(1) };
  const output = walker.node(definition.body, inner, { ...flow, running: [...flow.running, name] });
  // Its local variables end with it, the others stay: both are possible.
  mergeScope(scope, { ...inner, positional: scope.positional });
  scope.cwd = inner.cwd;
  return output;
};

/** Follows the commands that stand in a wrapper's arguments. Returns the output of a single transparent one. */
const runInner = (walker: Walker, call: Call, program: string): string | undefined => {
  const wrapper = WRAPPERS.get(program);
  if (wrapper === undefined) return undefined;
  const remote = call.flow.remote || wrapper.remote === true;
  const flow = { ...call.flow, via: [...call.flow.via, program], remote };
  const inner = wrapper.inner(call.words.slice(1), call.flow.stdin);
  const outputs = inner.map((each) => runOne(walker, { ...call, flow }, each));
  return outputs.length === 1 && !remote ? outputs[0] : undefined;
};

const runOne = (walker: Walker, call: Call, inner: Inner): string | undefined => {
  const scope = copyScope(call.scope);
  if (inner.kind === "text") return runScriptText(walker, { text: inner.text, scope, flow: call.flow });
  for (const assignment of inner.assignments ?? []) {
    const [name = "", ...value] = assignment.split("=");
    scope.variables.set(name, { values: [value.join("=")], open: false });
    runVariable(walker, { name, value: { kind: "static", value: value.join("=") } }, { scope, flow: call.flow });
  }
  return runCall(walker, { words: inner.words, redirects: [], scope, flow: call.flow });
};

/** Remembers the files that a command writes, so that running one later on the same line counts as its content. */
const noteFiles = (
  walker: Walker,
  call: Call,
  { command, output }: { readonly command: ResolvedCommand; readonly output: string | undefined },
): void => {
  if (command.remote) return;
  if (command.program === "chmod") noteExecutables(walker, command);
  const appends = command.redirects.some((redirect) => redirect.operator.includes(">>"));
  for (const target of writeTargets(command)) {
    for (const path of pathsOf(target, command.cwd)) {
      const before = appends ? walker.files.get(path)?.content : "";
      const isOutput = contentIsOutput(command) && output !== undefined;
      const known = isOutput && before !== undefined ? before + output : undefined;
      const holdsOutput = contentIsOutput(command) || AUTHORS.has(command.program ?? "");
      if (holdsOutput && walker.awaited.has(path)) doubt(walker, call, { kind: "fresh-script", path });
      walker.files.set(path, { content: known, tail: isOutput ? output : "", isOutput: holdsOutput });
    }
  }
};

/** Programs whose files hold what the command line, their input or a download says: what is in them afterwards is the agent's. */
const AUTHORS = new Set(
  "curl wget dd sponge sed gsed awk gawk mawk nawk perl ruby patch ed ex vi vim nvim nano yq mkfifo mknod npm".split(
    " ",
  ),
);

/** Whether a command's files hold exactly what it prints. */
const contentIsOutput = (command: ResolvedCommand): boolean =>
  command.program === "tee" || command.redirects.some((redirect) => redirect.takesOutput);

const noteExecutables = (walker: Walker, command: ResolvedCommand): void => {
  const [mode, ...files] = command.words
    .slice(1)
    .filter(isStatic)
    .filter((word) => !/^-[A-Za-z-]/.test(word.value) || /x/.test(word.value));
  if (mode === undefined || !/^[ugoa]*[+=][rwst]*x|^[0-7]*[1357][0-7]*$/.test(mode.value)) return;
  for (const file of files) for (const path of pathsOf(file, command.cwd)) walker.executables.add(path);
};
