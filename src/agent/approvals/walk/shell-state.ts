import type { SequenceNode } from "../shell-syntax.ts";
import { UNREAD } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { START_FLOW } from "./walker.ts";
import type { Walker } from "./walker.ts";

/** A variable's line that is longer holds data: no path, no program. */
const LONGEST_VALUE = 65_536;

/** Statements that only set how the shell reads and runs. */
const OPTION = /^(?:\\builtin )?(?:shopt|umask|set) /;

/** From here on the state defines functions. */
const FUNCTIONS_BEGIN = String.raw`\builtin shopt -u expand_aliases`;

/** A function as `declare -f` writes it. */
const FUNCTION_START = /^(?:function )?([^\s()]+) \(\) ?$(?=\n\{)/m;

const DECLARED = /^declare (?:-\w+ |-- )*([A-Za-z_]\w*)/;
const ALIAS = /^alias (?:-- )?([^\s=]+)=/;

/**
 * Takes over what the shell holds from earlier commands, which were judged then: it names nothing to be judged now.
 * What in it is not understood for certain is not known: such a variable may hold anything, and whoever calls such a function is asked about.
 */
export const readState = (walker: Walker, scope: Scope): void => {
  const { shellState, cwd } = walker.world;
  if (shellState === "") return;
  const { settings, functions } = splitState(shellState);
  takeAll(settings, {
    parse: walker.parse,
    take: (tree) => applySettings(walker, scope, tree),
    unread: (text) => loseSetting(scope, text),
    separator: "\n",
  });
  takeAll(splitFunctions(functions), {
    parse: walker.parse,
    take: (tree) => defineFunctions(walker, scope, tree),
    unread: (text) => loseFunction(scope, text),
    separator: "",
  });
  walker.commands.length = 0;
  walker.files.clear();
  walker.executables.clear();
  walker.awaited.clear();
  scope.cwd = { values: [cwd], open: false };
  scope.positional = undefined;
};

interface Taking {
  readonly parse: (text: string) => SequenceNode | undefined;
  readonly take: (tree: SequenceNode) => void;
  readonly unread: (text: string) => void;
  readonly separator: string;
}

/** Reads the texts as one, and one by one where that is not understood, so that one of them spoils no other. */
const takeAll = (texts: readonly string[], { parse, take, unread, separator }: Taking): void => {
  const whole = parse(texts.join(separator));
  if (whole !== undefined) {
    take(whole);
    return;
  }
  for (const text of texts) {
    const tree = parse(text);
    if (tree === undefined) unread(text);
    else take(tree);
  }
};

const applySettings = (walker: Walker, scope: Scope, tree: SequenceNode): void => {
  for (const { node } of tree.items) {
    walker.node(node, scope, START_FLOW);
    // However many there are, none counts against the commands that are judged.
    walker.commands.length = 0;
  }
};

/** The bodies were judged where they were defined. */
const defineFunctions = (walker: Walker, scope: Scope, tree: SequenceNode): void => {
  for (const { node } of tree.items) {
    if (node.kind === "function") scope.functions.set(node.name.raw, node);
    else walker.node(node, scope, START_FLOW);
  }
};

const loseSetting = (scope: Scope, text: string): void => {
  const variable = DECLARED.exec(text)?.[1];
  if (variable !== undefined) scope.variables.set(variable, { values: [], open: true });
  const alias = ALIAS.exec(text)?.[1];
  if (alias !== undefined) scope.functions.set(alias, UNREAD);
};

const loseFunction = (scope: Scope, text: string): void => {
  const name = FUNCTION_START.exec(text)?.[1];
  if (name !== undefined) scope.functions.set(name, UNREAD);
};

const splitState = (state: string): { readonly settings: readonly string[]; readonly functions: string } => {
  const settings: string[] = [];
  let at = 0;
  while (at < state.length) {
    const end = statementEnd(state, at);
    const statement = state.slice(at, end);
    at = end + 1;
    if (statement === FUNCTIONS_BEGIN) break;
    if (statement.trim() === "" || OPTION.test(statement)) continue;
    const variable = statement.length > LONGEST_VALUE ? DECLARED.exec(statement)?.[1] : undefined;
    settings.push(variable === undefined ? statement : `\\builtin unset -v ${variable}`);
  }
  return { settings, functions: state.slice(at) };
};

/** Where a statement of the first part ends: at the next line end outside of quotes. */
const statementEnd = (state: string, start: number): number => {
  let at = start;
  while (at < state.length) {
    const character = state.charAt(at);
    if (character === "\n") return at;
    if (character === "\\") at += 2;
    else if (character === "'") at = quoteEnd(state, at, { escapes: state.charAt(at - 1) === "$" });
    else if (character === '"') at = quoteEnd(state, at, { escapes: true });
    else at += 1;
  }
  return state.length;
};

/** Behind the quote that closes the one at `start`. */
const quoteEnd = (state: string, start: number, { escapes }: { readonly escapes: boolean }): number => {
  const quote = state.charAt(start);
  let at = start + 1;
  while (at < state.length && state.charAt(at) !== quote) at += escapes && state.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
};

const splitFunctions = (functions: string): readonly string[] => {
  const starts = [...functions.matchAll(new RegExp(FUNCTION_START, "gm"))].map((match) => match.index);
  const bounds = [...new Set([0, ...starts, functions.length])];
  return bounds.slice(0, -1).map((from, index) => functions.slice(from, bounds[index + 1]));
};
