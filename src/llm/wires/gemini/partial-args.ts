import { asRecord, asText } from "../json-fields.ts";

/** A call's arguments that come a value at a time, each under its JSON path. */
export interface PartialArguments {
  /** Takes one `partialArgs` entry; one that fits nowhere is left out. */
  add(entry: unknown): void;
  /** Whether anything was taken. */
  readonly any: boolean;
  /** The arguments so far. */
  text(): string;
}

type Step = string | number;
type Value = string | number | boolean | null;
/** What is being built; members are entries of a map, so that none of their names means anything to the program. */
type Node = Map<string, Node> | Node[] | Value;

/** `.name`, `['name']`, `["name"]`, `[0]`. */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Steps of an RFC 9535 path without wildcards; undefined for any other. */
const parsePath = (path: string): readonly Step[] | undefined => {
  if (!path.startsWith("$")) return undefined;
  const steps: Step[] = [];
  let at = 1;
  while (at < path.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null) return undefined;
    const [whole, plain, index, single, double] = found;
    steps.push(index === undefined ? (plain ?? unescaped(single ?? double ?? "")) : Number(index));
    at += whole.length;
  }
  return steps.length === 0 ? undefined : steps;
};

const unescaped = (name: string): string => name.replaceAll(/\\(.)/g, "$1");

const valueOf = (entry: Readonly<Record<string, unknown>>): Value | undefined => {
  const { stringValue, numberValue, boolValue } = entry;
  if (typeof stringValue === "string") return stringValue;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return "nullValue" in entry ? null : undefined;
};

/** Starts without arguments. A text comes in pieces: a further one under the same path follows it. */
export const createPartialArguments = (): PartialArguments => {
  const root = new Map<string, Node>();
  let unfinished: string | undefined;
  let any = false;
  return {
    add: (sent) => {
      const entry = asRecord(sent) ?? {};
      const path = asText(entry.jsonPath);
      const steps = path === undefined ? undefined : parsePath(path);
      const value = valueOf(entry);
      if (steps === undefined || value === undefined) return;
      put(root, steps, { value, follows: path === unfinished });
      unfinished = entry.willContinue === true ? path : undefined;
      any = true;
    },
    get any() {
      return any;
    },
    text: () =>
      JSON.stringify(root, (_name, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value)),
  };
};

interface Put {
  readonly value: Value;
  /** Whether it goes on with the text that stands there. */
  readonly follows: boolean;
}

const put = (root: Map<string, Node>, steps: readonly Step[], { value, follows }: Put): void => {
  let node: Node = root;
  for (const [depth, step] of steps.entries()) {
    const next = steps[depth + 1];
    const before = member(node, step);
    if (next === undefined) {
      const joined = follows && typeof before === "string" && typeof value === "string" ? before + value : value;
      setMember(node, step, joined);
      return;
    }
    const child = isContainer(before) ? before : emptyFor(next);
    if (!setMember(node, step, child)) return;
    node = child;
  }
};

const emptyFor = (step: Step): Map<string, Node> | Node[] => (typeof step === "number" ? [] : new Map<string, Node>());

const isContainer = (node: Node | undefined): node is Map<string, Node> | Node[] =>
  node instanceof Map || Array.isArray(node);

const member = (node: Node, step: Step): Node | undefined => {
  if (Array.isArray(node)) return typeof step === "number" ? node[step] : undefined;
  return node instanceof Map ? node.get(String(step)) : undefined;
};

/** Whether the member has a place: a list grows by one at a time. */
const setMember = (node: Node, step: Step, value: Node): boolean => {
  if (node instanceof Map) {
    node.set(String(step), value);
    return true;
  }
  if (!Array.isArray(node) || typeof step !== "number" || step > node.length) return false;
  node[step] = value;
  return true;
};
