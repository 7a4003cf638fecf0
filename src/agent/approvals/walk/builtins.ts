import type { Word } from "../shell/expand-word.ts";
import { runVariable } from "./command-variables.ts";
import { allOptions, leadingOptions } from "./options.ts";
import { absolutePath } from "./paths.ts";
import { textOf } from "./resolved-command.ts";
import { runByPath, runScriptFile, runScriptText } from "./run-script.ts";
import { copyScope, merge, setVariable, UNREAD } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Call, Walker } from "./walker.ts";

type Builtin = (walker: Walker, call: Call) => void;

const argumentsIn = (call: Call): readonly Word[] => call.words.slice(1);

const changeDirectory: Builtin = (walker, call) => {
  const { scope, flow } = call;
  const args = argumentsIn(call);
  const target = args[leadingOptions(args, {}).rest];
  const to = directory(walker, call, target);
  setVariable(scope, "OLDPWD", { to: scope.cwd, certain: flow.single });
  scope.cwd = flow.single ? to : merge(scope.cwd, to);
};

const directory = (
  walker: Walker,
  { scope }: Call,
  target: Word | undefined,
): { readonly values: readonly string[]; readonly open: boolean } => {
  if (target === undefined) return { values: [walker.world.userHome], open: false };
  if (target.kind === "static" && target.value === "-")
    return scope.variables.get("OLDPWD") ?? { values: [], open: true };
  if (target.kind === "dynamic") return { values: [], open: true };
  return {
    values: scope.cwd.values.map((from) => absolutePath(target.value, from)),
    open: scope.cwd.open && !target.value.startsWith("/"),
  };
};

const loseDirectory: Builtin = (_walker, { scope }) => {
  scope.cwd = { values: scope.cwd.values, open: true };
};

const declare: Builtin = (walker, call) => {
  const { scope, flow } = call;
  const isReference = call.words[0]?.kind === "static" && leadingOptions(argumentsIn(call), {}).flags.includes("n");
  for (const word of argumentsIn(call)) {
    const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(textOf(word));
    if (match === null) continue;
    const [, name = "", text = ""] = match;
    // A list was taken from the words as they are written.
    if (scope.variables.get(name)?.elements !== undefined) continue;
    setVariable(scope, name, {
      // `declare -n` makes it another name for a variable: what it holds is what that one holds then.
      to: isReference || word.kind === "dynamic" ? { values: [], open: true } : { values: [text], open: false },
      certain: flow.single,
    });
    if (word.kind === "static") runVariable(walker, { name, value: { kind: "static", value: text } }, { scope, flow });
  }
};

/** `read x`, `mapfile x`: what the variable holds is known only where the input is. In a loop every line is possible. */
const readInto: Builtin = (walker, { words, scope, flow }) => {
  const names = words
    .slice(1)
    .flatMap((word) => (word.kind === "static" && /^[A-Za-z_]\w*$/.test(word.value) ? [word.value] : []));
  const lines =
    flow.stdin.kind === "text" && flow.stdin.certain ? flow.stdin.text.split("\n").slice(0, MOST_LINES) : [];
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const values = lines.filter((line) => line !== "").map((line) => fieldOf(line, index, isLast));
    setVariable(scope, name, { to: { values: [...new Set(values)], open: values.length === 0 }, certain: true });
    const read: readonly Word[] =
      values.length > 0
        ? values.map((value) => ({ kind: "static", value }))
        : [{ kind: "dynamic", text: `$${name}`, guess: "", splits: false }];
    for (const value of read) runVariable(walker, { name, value }, { scope, flow });
  }
};

const MOST_LINES = 60;

/** The last variable takes the rest of the line. */
const fieldOf = (line: string, index: number, isLast: boolean): string => {
  const fields = line.trim().split(/\s+/);
  return (isLast ? fields.slice(index).join(" ") : fields[index]) ?? "";
};

const printfInto: Builtin = (walker, call) => {
  const [option, name] = argumentsIn(call);
  if (option?.kind === "static" && option.value === "-v" && name !== undefined)
    readInto(walker, { ...call, words: [option, name] });
};

/** Without a flag it unsets the variable of that name, and the function only where there is none: both stay possible then. */
const unset: Builtin = (_walker, call) => {
  const { flags, operands } = allOptions(argumentsIn(call));
  const of = call.scope[flags.includes("f") ? "functions" : "variables"];
  for (const word of operands) {
    if (word.kind !== "static") continue;
    of.delete(word.value);
    call.scope.changes += 1;
  }
};

/** `set -- a b` sets the positional parameters. */
const set: Builtin = (_walker, { words, scope }) => {
  const dashes = words.findIndex((word) => word.kind === "static" && word.value === "--");
  if (dashes !== -1) scope.positional = words.slice(dashes + 1);
};

const shift: Builtin = (_walker, { words, scope }) => {
  const [, count] = words;
  const by = count === undefined ? 1 : Number(textOf(count));
  scope.positional = Number.isInteger(by) ? scope.positional?.slice(by) : undefined;
};

const evaluate: Builtin = (walker, call) => {
  const all = argumentsIn(call);
  const args = all[0]?.kind === "static" && all[0].value === "--" ? all.slice(1) : all;
  if (args.length === 0) return;
  const text = args.map(textOf).join(" ");
  const isKnown = args.every((word) => word.kind === "static");
  const word: Word = isKnown ? { kind: "static", value: text } : { kind: "dynamic", text, guess: text, splits: false };
  runScriptText(walker, { text: word, scope: call.scope, flow: call.flow });
};

const source: Builtin = (walker, call) => {
  const args = argumentsIn(call);
  const path = args[leadingOptions(args, {}).rest];
  if (path !== undefined)
    runScriptFile(walker, { path, positional: args.slice(1), scope: call.scope, flow: call.flow, sharesShell: true });
};

/** `trap text SIGNAL`. */
const trap: Builtin = (walker, call) => {
  const args = argumentsIn(call);
  const text = args[leadingOptions(args, {}).rest];
  if (text !== undefined && args.length > 1)
    runScriptText(walker, { text, scope: copyScope(call.scope), flow: call.flow });
};

/** `alias x=text`: the text is judged where it is set, because the alias outlives the command line; and with what it is called with. */
const alias: Builtin = (walker, call) => {
  for (const word of argumentsIn(call)) {
    if (word.kind !== "static" || !word.value.includes("=")) continue;
    const at = word.value.indexOf("=");
    const value = word.value.slice(at + 1);
    const body = walker.parse(`${value} "$@"`);
    call.scope.functions.set(word.value.slice(0, at), body === undefined ? UNREAD : { body, isAlias: true });
    runScriptText(walker, { text: { kind: "static", value }, scope: copyScope(call.scope), flow: call.flow });
  }
};

/** `hash -p path name`: from now on the name is that program. */
const hash: Builtin = (walker, call) => {
  const args = argumentsIn(call);
  const path = leadingOptions(args, { short: "pt" }).values.get("p");
  if (path !== undefined) runByPath(walker, { path, positional: [], scope: call.scope, flow: call.flow });
};

/** `enable -f file name` loads a file as machine code. */
const enable: Builtin = (walker, call) => {
  const file = leadingOptions(argumentsIn(call), { short: "f" }).values.get("f");
  if (file !== undefined) doubt(walker, call, { kind: "unresolved-script", text: textOf(file) });
};

/** Builtins that read the names of variables, and run what stands in the subscript of one. */
const NAME_READERS = new Set(["test", "[", "[[", "let", "read", "unset", "mapfile", "readarray", "getopts", "wait"]);
const DECLARERS = new Set(["declare", "typeset", "local", "export", "readonly"]);
const RUNNING_SUBSCRIPT = /^[A-Za-z_]\w*\[[^\]]*(?:\$\(|`)/;

/** `unset 'a[$(command)]'`: quoted for the shell, but not for the builtin. */
export const judgeSubscripts = (walker: Walker, program: string, call: Call): void => {
  for (const word of namesReadBy(program, argumentsIn(call))) {
    if (word.kind === "static" && RUNNING_SUBSCRIPT.test(word.value))
      doubt(walker, call, { kind: "unresolved-script", text: word.value });
  }
};

const namesReadBy = (program: string, args: readonly Word[]): readonly Word[] => {
  if (NAME_READERS.has(program) || DECLARERS.has(program)) return args;
  // `printf` reads a name behind `-v` alone; all else is data.
  const [option] = args;
  return program === "printf" && option?.kind === "static" && option.value === "-v" ? args.slice(1, 2) : [];
};

/** Builtins that change what later words mean, or that run text. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["cd", changeDirectory],
  ["pushd", changeDirectory],
  ["popd", loseDirectory],
  ["export", declare],
  ["declare", declare],
  ["typeset", declare],
  ["local", declare],
  ["readonly", declare],
  ["read", readInto],
  ["mapfile", readInto],
  ["readarray", readInto],
  ["getopts", readInto],
  ["printf", printfInto],
  ["unset", unset],
  ["set", set],
  ["shift", shift],
  ["eval", evaluate],
  ["source", source],
  [".", source],
  ["trap", trap],
  ["alias", alias],
  ["hash", hash],
  ["enable", enable],
]);
