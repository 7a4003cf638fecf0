import { expandValue, expandWord } from "../shell/expand-word.ts";
import type { ExpansionContext, ParameterValue, Word } from "../shell/expand-word.ts";
import { sourcesOf } from "../shell/token.ts";
import type { Redirect, ShellWord, WordPart } from "../shell/token.ts";
import { isAssignment } from "../shell/tokenize.ts";
import type { CommandNode } from "../shell-syntax.ts";
import { runVariable } from "./command-variables.ts";
import { textOf } from "./resolved-command.ts";
import type { ResolvedRedirect, Stdin } from "./resolved-command.ts";
import { copyScope, lookupParameter, merge, separatorsOf, setVariable } from "./scope.ts";
import type { Scope, Variable } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Flow, Walker } from "./walker.ts";

interface Place {
  readonly scope: Scope;
  readonly flow: Flow;
}

/** More combinations of possible values than this are not told apart. */
const MOST_COMBINATIONS = 64;

/** One value chosen for each variable that may have several. */
type Choice = ReadonlyMap<string, string | undefined>;

/** Follows one simple command, once for each combination of the values that its variables may have. */
export const walkCommand = (walker: Walker, node: CommandNode, place: Place): string | undefined => {
  const parts = [...node.assignments, ...node.words, ...node.redirects.map((redirect) => redirect.target)].flatMap(
    (word) => word.parts,
  );
  const choices = combinations(place.scope, parts);
  const outputs = choices.map((choice) => walkChoice(walker, node, { ...place, choice, single: choices.length === 1 }));
  return outputs.length === 1 ? outputs[0] : undefined;
};

interface ChosenPlace extends Place {
  readonly choice: Choice;
  /** Whether it is the only choice, so that what it sets replaces what was. */
  readonly single: boolean;
}

const walkChoice = (walker: Walker, node: CommandNode, place: ChosenPlace): string | undefined => {
  const { scope, flow } = place;
  const heredocs = node.redirects.flatMap((redirect) => redirect.document?.parts ?? []);
  const targets = node.redirects.flatMap((redirect) => redirect.target.parts);
  const allParts = [...node.assignments, ...node.words].flatMap((word) => word.parts);
  const context = createContext(walker, [...allParts, ...targets, ...heredocs], place);
  const words = node.words.flatMap((word) => expandWord(word, context));
  const redirects = node.redirects.flatMap((redirect) => toRedirect(redirect, context));
  judgeExpansions(walker, node.words, place);
  const redirected = redirectedStdin(node.redirects, context);
  const stdin = redirected ?? inheritedStdin(place);
  if (redirected !== undefined && words.length === 1 && textOf(words[0] ?? NOTHING) === "exec")
    scope.stdin = redirected;
  const single = flow.single && place.single;
  const before = node.assignments.map((word) => [assignedName(word), scope.variables.get(assignedName(word))] as const);
  const declares = DECLARERS.has(node.words[0]?.raw ?? "");
  const assignments = declares ? [...node.assignments, ...node.words.filter(isAssignment)] : node.assignments;
  for (const assignment of assignments) assign(walker, assignment, { ...place, flow: { ...flow, single }, context });
  const output = walker.call({ words, redirects, scope, flow: { ...flow, single, stdin } });
  // Before a program, assignments are in force for that program only.
  if (words.length > 0 && !declares) for (const [name, variable] of before) restore(scope, name, variable);
  return output;
};

const restore = (scope: Scope, name: string, variable: Variable | undefined): void => {
  if (variable === undefined) scope.variables.delete(name);
  else scope.variables.set(name, variable);
};

const DECLARERS = new Set(["export", "declare", "typeset", "local", "readonly"]);

/** The combinations of the values that the parts' variables may have. */
const combinations = (scope: Scope, parts: readonly WordPart[]): readonly Choice[] => {
  let choices: readonly ReadonlyMap<string, string | undefined>[] = [new Map()];
  for (const name of new Set(parameterNames(parts))) {
    const variable = name === "PWD" ? scope.cwd : scope.variables.get(name);
    if (variable === undefined || variable.values.length + (variable.open ? 1 : 0) < 2) continue;
    const values = [...variable.values, ...(variable.open ? [undefined] : [])];
    const next = choices.flatMap((choice) => values.map((value) => new Map([...choice, [name, value]])));
    if (next.length <= MOST_COMBINATIONS) choices = next;
  }
  return choices;
};

const parameterNames = (parts: readonly WordPart[]): readonly string[] =>
  parts.flatMap((part) => {
    if (part.kind === "array") return part.elements.flatMap((element) => parameterNames(element.parts));
    return part.kind === "parameter" ? [part.name, ...parameterNames(part.fallback ?? [])] : [];
  });

/** Walks the commands inside the parts, once each, and gives expansion what they print. */
const createContext = (
  walker: Walker,
  parts: readonly WordPart[],
  { scope, flow, choice }: Place & { readonly choice?: Choice },
): ExpansionContext => {
  const outputs = new Map<string, string | undefined>();
  const takers = new Set(outputTakers(parts));
  for (const source of new Set(sourcesOf(parts))) {
    const inner = copyScope(scope);
    for (const [name, value] of choice ?? []) {
      if (value !== undefined) inner.variables.set(name, { values: [value], open: false });
    }
    const stdin: Stdin = takers.has(source) ? { kind: "stream", programs: [">( )"] } : flow.stdin;
    const output = walker.script(source, inner, {
      ...flow,
      stdin,
      depth: flow.depth + 1,
      background: false,
      piped: false,
    });
    outputs.set(source, output?.replace(/\n+$/, ""));
  }
  const chosen = (name: string): ParameterValue | undefined => {
    const value = choice?.get(name);
    return value === undefined ? undefined : { kind: "text", value };
  };
  return {
    lookup: (name) => (choice?.has(name) === true ? chosen(name) : lookupParameter(scope, name)),
    substitute: (part) => outputs.get(part.source),
    separators: separatorsOf(scope),
  };
};

/** The commands of `>(…)`, which read what is written there. */
const outputTakers = (parts: readonly WordPart[]): readonly string[] =>
  parts.flatMap((part) => (part.kind === "process" && part.raw.startsWith(">") ? [part.source] : []));

/** Expands words that are no command: what a loop takes, a case's patterns. Their inner commands are walked. */
export const expandValues = (walker: Walker, words: readonly ShellWord[], place: Place): readonly Word[] => {
  if (words.length === 0) return [];
  const context = createContext(
    walker,
    words.flatMap((word) => word.parts),
    place,
  );
  return words.flatMap((word) => expandWord(word, context));
};

/** Expands the redirections of a compound command. */
export const resolveRedirects = (
  walker: Walker,
  redirects: readonly Redirect[],
  place: Place,
): readonly ResolvedRedirect[] => {
  const parts = redirects.flatMap((redirect) => [...redirect.target.parts, ...(redirect.document?.parts ?? [])]);
  const context = createContext(walker, parts, place);
  return redirects.flatMap((redirect) => toRedirect(redirect, context));
};

/** What a compound command reads. Its inner commands have been walked already. */
export const stdinOf = (walker: Walker, redirects: readonly Redirect[], place: Place): Stdin =>
  redirectedStdin(redirects, createContext(walker, [], place)) ?? place.flow.stdin;

const WRITING = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

const toRedirect = (redirect: Redirect, context: ExpansionContext): readonly ResolvedRedirect[] => {
  const { operator } = redirect;
  if (operator.startsWith("<<")) return [];
  const target = expandValue(redirect.target.parts, context);
  const duplicates =
    (operator === ">&" || operator === "<&") && target.kind === "static" && /^(?:\d+-?|-)$/.test(target.value);
  const writes = WRITING.has(operator);
  const takesOutput = writes && (operator.startsWith("&") || ["", "1"].includes(redirect.descriptor));
  return duplicates ? [] : [{ operator, target, writes, takesOutput }];
};

const redirectedStdin = (redirects: readonly Redirect[], context: ExpansionContext): Stdin | undefined => {
  const last = redirects.findLast(
    ({ operator, descriptor }) =>
      (operator.startsWith("<") && ["", "0"].includes(descriptor)) || (operator === ">&" && descriptor === "0"),
  );
  if (last === undefined) return undefined;
  if (last.operator.endsWith("&")) return duplicated(expandValue(last.target.parts, context));
  if (last.operator === "<" || last.operator === "<>") return fromFile(expandValue(last.target.parts, context));
  if (last.operator === "<<<") return toText(expandValue(last.target.parts, context), "\n");
  return last.document === undefined ? undefined : toText(expandValue(last.document.parts, context), "");
};

/** A connection brings whatever the other end sends. */
const fromFile = (path: Word): Stdin =>
  /^\/dev\/(?:tcp|udp)\//.test(textOf(path)) ? { kind: "stream", programs: [textOf(path)] } : { kind: "file", path };

/** `<&3`: what another descriptor brings is not known. */
const duplicated = (target: Word): Stdin | undefined =>
  ["0", "-", "0-"].includes(textOf(target)) ? undefined : { kind: "stream", programs: [`<&${textOf(target)}`] };

const toText = (word: Word, end: string): Stdin =>
  word.kind === "static"
    ? { kind: "text", text: word.value + end, certain: true }
    : { kind: "text", text: word.text + end, certain: false };

const NOTHING: Word = { kind: "static", value: "" };

/** What the place reads where no redirection says otherwise. */
const inheritedStdin = ({ scope, flow }: Place): Stdin =>
  flow.stdin.kind === "inherited" ? (scope.stdin ?? flow.stdin) : flow.stdin;

/** Expansions that run what a text holds: `${x@P}`, and a quoted subscript where `[[ ]]` compares numbers. */
const judgeExpansions = (walker: Walker, words: readonly ShellWord[], place: Place): void => {
  for (const word of words) {
    const isTest = word.raw.startsWith("[[") && /\s-(?:eq|ne|lt|le|gt|ge|v)\s/.test(word.raw);
    const runs = word.parts.some((part) => part.kind === "opaque" && expandsAsPrompt(part.raw, place.scope));
    if (runs || (isTest && (word.raw.length > LONGEST_TEST || QUOTED_SUBSCRIPT.test(word.raw))))
      doubt(walker, place, { kind: "unresolved-script", text: word.raw });
  }
};

/** Nobody types a longer test; it is not looked through. */
const LONGEST_TEST = 10_000;

const QUOTED_SUBSCRIPT = /'[^']*\w\[[^\]']*(?:\$\(|`)[^']*'/;

/** Whether `${x@P}` may run a command: unless the value is known to hold none. */
const expandsAsPrompt = (raw: string, scope: Scope): boolean => {
  const name = /^\$\{(\w+)(?:\[[^\]]*\])?@P\}$/.exec(raw)?.[1];
  if (name === undefined) return false;
  const value = lookupParameter(scope, name);
  return value?.kind !== "text" || /\$\(|`/.test(value.value);
};

interface AssignmentPlace extends Place {
  readonly context: ExpansionContext;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^\]]*\])?(\+)?=/;

const assignedName = (word: ShellWord): string => /^\w*/.exec(word.raw)?.[0] ?? "";

const assign = (walker: Walker, word: ShellWord, place: AssignmentPlace): void => {
  const [first, ...rest] = word.parts;
  const match = first?.kind === "text" ? ASSIGNMENT.exec(first.value) : null;
  if (first?.kind !== "text" || match === null) return;
  const [prefix, name = "", subscript, append] = match;
  const parts = [{ ...first, value: first.value.slice(prefix.length) }, ...rest].filter(
    (part) => part.kind !== "text" || part.value !== "" || part.quoted,
  );
  const value =
    subscript === undefined ? variableOf(parts, { name, context: place.context }) : { values: [], open: true };
  const old = lookupVariable(place.scope, name);
  const to = append === undefined ? value : appended(old, value);
  setVariable(place.scope, name, { to, certain: place.flow.single });
  if (value.elements === undefined) runVariable(walker, { name, value: expandValue(parts, place.context) }, place);
};

const lookupVariable = (scope: Scope, name: string): Variable =>
  scope.variables.get(name) ?? { values: [], open: true };

const variableOf = (
  parts: readonly WordPart[],
  { name, context }: { readonly name: string; readonly context: ExpansionContext },
): Variable => {
  const array = parts.find((part) => part.kind === "array");
  if (array !== undefined) {
    const elements = array.elements.flatMap((element) => expandWord(element, context)).map(withoutSubscript);
    return { values: [], open: false, elements };
  }
  const word = expandValue(parts, context);
  if (word.kind === "static") return { values: [word.value], open: false };
  // Of `.:$PATH` the folders that are written count, whatever else is searched.
  return { values: name === "PATH" ? [word.guess] : [], open: true };
};

/** `[1]=value`: bash writes lists so; that they are in order is taken for granted. */
const withoutSubscript = (word: Word): Word =>
  word.kind === "static" ? { ...word, value: word.value.replace(/^\[\d+\]=/, "") } : word;

const appended = (old: Variable, value: Variable): Variable => {
  if (old.elements !== undefined && value.elements !== undefined)
    return { ...value, elements: [...old.elements, ...value.elements] };
  const values = old.values.flatMap((before) => value.values.map((after) => before + after));
  return { ...merge({ values, open: false }, { values: [], open: old.open || value.open }) };
};
