import type { ParameterValue, Word } from "../shell/expand-word.ts";
import type { FunctionNode } from "../shell-syntax.ts";
import type { Possible, Stdin } from "./resolved-command.ts";

/** What a variable may hold; `elements` where it is a list. */
export interface Variable extends Possible {
  readonly elements?: readonly Word[];
}

/** What runs under a name. */
export type Definition = Pick<FunctionNode, "body"> & {
  /** Its own name in it is the program's. */
  readonly isAlias?: true;
  /** What it does could not be read. */
  readonly isUnread?: true;
};

/** What a shell knows at one place of the script. */
export interface Scope {
  readonly variables: Map<string, Variable>;
  /** Functions, and aliases as functions that hand their arguments on. */
  readonly functions: Map<string, Definition>;
  cwd: Possible;
  /** `$1`, `$2`, …; undefined = not known. */
  positional: readonly Word[] | undefined;
  /** Where the shell itself reads from since `exec <file`. */
  stdin?: Stdin;
  /** Grows with every change, so that a loop knows whether a second round can differ. */
  changes: number;
}

/** More possible values than this are not told apart. */
const MOST_VALUES = 64;

export const createScope = (start: { readonly cwd: string; readonly home: string }): Scope => ({
  variables: new Map([
    ["HOME", { values: [start.home], open: false }],
    ["IFS", { values: [" \t\n"], open: false }],
  ]),
  functions: new Map(),
  cwd: { values: [start.cwd], open: false },
  positional: undefined,
  changes: 0,
});

/** A copy whose changes stay in it, as in a subshell. */
export const copyScope = (scope: Scope): Scope => ({
  ...scope,
  variables: new Map(scope.variables),
  functions: new Map(scope.functions),
});

/** Sets a variable. Where it is not certain that this place runs, the old value stays possible. */
export const setVariable = (
  scope: Scope,
  name: string,
  change: { readonly to: Variable; readonly certain: boolean },
): void => {
  const old = scope.variables.get(name) ?? UNKNOWN;
  const next = change.certain
    ? change.to
    : { ...merge(old, change.to), ...(change.to.elements === undefined ? {} : { elements: change.to.elements }) };
  if (!sameVariable(old, next)) scope.changes += 1;
  scope.variables.set(name, next);
};

/** Makes what another scope holds possible too: the one in which a branch was walked that may have run or not. */
export const mergeScope = (scope: Scope, branch: Scope): void => {
  for (const name of new Set([...scope.variables.keys(), ...branch.variables.keys()])) {
    const one = scope.variables.get(name) ?? UNKNOWN;
    const other = branch.variables.get(name) ?? UNKNOWN;
    if (one === other || sameVariable(one, other)) continue;
    const elements = one.elements ?? other.elements;
    scope.variables.set(name, { ...merge(one, other), ...(elements === undefined ? {} : { elements }) });
    scope.changes += 1;
  }
  for (const [name, definition] of branch.functions)
    scope.functions.set(name, either(scope.functions.get(name), definition));
  scope.cwd = merge(scope.cwd, branch.cwd);
  if (scope.positional !== branch.positional) scope.positional = undefined;
};

/** What runs where either definition may stand: both. */
const either = (one: Definition | undefined, other: Definition): Definition => {
  if (one === undefined || one === other) return other;
  const items = [one, other].map(({ body }) => ({ node: body, join: "always" as const, background: false }));
  const isUnread = one.isUnread === true || other.isUnread === true;
  return {
    body: { kind: "sequence", items },
    ...(one.isAlias === true && other.isAlias === true ? { isAlias: true } : {}),
    ...(isUnread ? { isUnread: true } : {}),
  };
};

/** Something runs under a name, and what it is could not be read. */
export const UNREAD: Definition = { body: { kind: "sequence", items: [] }, isUnread: true };

const UNKNOWN: Variable = { values: [], open: true };

/** Both are possible. */
export const merge = (one: Possible, other: Possible): Possible => {
  const values = [...new Set([...one.values, ...other.values])];
  return { values: values.slice(0, MOST_VALUES), open: one.open || other.open || values.length > MOST_VALUES };
};

const sameVariable = (one: Variable, other: Variable): boolean =>
  one.open === other.open &&
  one.elements === other.elements &&
  one.values.length === other.values.length &&
  one.values.every((value, index) => value === other.values[index]);

/** Reads `x`, `x[@]`, `x[0]`, `1`, `@`, `HOME`, `PWD`; undefined = not certain. */
export const lookupParameter = (scope: Scope, name: string): ParameterValue | undefined => {
  if (name === "@" || name === "*")
    return scope.positional === undefined ? undefined : { kind: "list", words: scope.positional };
  if (/^[1-9]\d*$/.test(name)) return lookupPositional(scope, Number(name));
  const subscript = /^(\w+)\[([@*]|\d+)\]$/.exec(name);
  if (subscript !== null) return lookupElement(scope, subscript[1] ?? "", subscript[2] ?? "");
  if (name === "PWD") return single(scope.cwd);
  const variable = scope.variables.get(name);
  if (variable?.elements !== undefined) return lookupElement(scope, name, "0");
  return variable === undefined ? undefined : single(variable);
};

const single = (possible: Possible): ParameterValue | undefined => {
  const [value, ...others] = possible.values;
  return value === undefined || others.length > 0 || possible.open ? undefined : { kind: "text", value };
};

const lookupPositional = (scope: Scope, index: number): ParameterValue | undefined => {
  if (scope.positional === undefined) return undefined;
  const word = scope.positional[index - 1];
  if (word === undefined) return { kind: "text", value: "" };
  return word.kind === "static" ? { kind: "text", value: word.value } : undefined;
};

const lookupElement = (scope: Scope, name: string, index: string): ParameterValue | undefined => {
  const variable = scope.variables.get(name);
  if (variable?.elements === undefined || variable.open) return undefined;
  if (index === "@" || index === "*") return { kind: "list", words: variable.elements };
  const element = variable.elements[Number(index)];
  return element?.kind === "static" ? { kind: "text", value: element.value } : undefined;
};

/** The separators of word splitting; undefined = not known. */
export const separatorsOf = (scope: Scope): string | undefined => {
  const value = lookupParameter(scope, "IFS");
  return value?.kind === "text" ? value.value : undefined;
};
