import type { WithTree } from "../shell/shell-parser.ts";
import { parseShell } from "../shell-syntax.ts";
import type { CompoundNode, FunctionNode, PipelineNode, SequenceNode, ShellNode } from "../shell-syntax.ts";
import { copiedFiles } from "./copied-files.ts";
import type { CopiedFile } from "./copied-files.ts";
import { runVariable } from "./command-variables.ts";
import { runCall } from "./run-call.ts";
import { resolveRedirects, stdinOf, walkCommand, expandValues } from "./walk-command.ts";
import { textOf } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";
import { readState } from "./shell-state.ts";
import { copyScope, createScope, mergeScope, setVariable } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { doubt, START_FLOW } from "./walker.ts";
import type { Flow, Walker, WalkWorld } from "./walker.ts";

/** Scripts inside scripts, and commands of one line, that are examined. No honest command comes near. */
const DEEPEST_SCRIPT = 12;
const MOST_COMMANDS = 50_000;
const MOST_CHARACTERS = 4_000_000;
/** Loops inside loops whose bodies are walked a second time. */
const DEEPEST_REPEAT = 3;

/** What a command line does: every program call that can be seen in it, and the files that it writes with known content. */
export interface Walked {
  readonly commands: readonly ResolvedCommand[];
  readonly written: ReadonlyMap<string, string>;
  readonly copied: readonly CopiedFile[];
}

/** Follows a command line through quotes, variables, functions, wrappers and scripts. Pure but for `world`; runs nothing. */
export const walkCommandLine = (source: string, world: WalkWorld, withTree: WithTree): Walked => {
  const budget = { characters: MOST_CHARACTERS };
  const walker: Walker = {
    world,
    commands: [],
    files: new Map(),
    executables: new Set(),
    awaited: new Set(),
    script: (text, scope, flow) => walkText(walker, { withTree, budget }, { text, scope, flow }),
    node: (node, scope, flow) => walkNode(walker, node, { scope, flow }),
    call: (call) => runCall(walker, call),
    parse: (text) => {
      const { tree, problems } = parseShell(text, withTree);
      return problems.size === 0 ? tree : undefined;
    },
  };
  const scope = createScope({ cwd: world.cwd, home: world.userHome });
  readState(walker, scope);
  budget.characters = MOST_CHARACTERS;
  walker.script(source, scope, START_FLOW);
  const written = new Map<string, string>();
  for (const [path, { content, isOutput }] of walker.files)
    if (content !== undefined || isOutput) written.set(path, content ?? "");
  return { commands: walker.commands, written, copied: walker.commands.flatMap(copiedFiles) };
};

interface Place {
  readonly scope: Scope;
  readonly flow: Flow;
}

interface TextPlace extends Place {
  readonly text: string;
}

interface Reading {
  readonly withTree: WithTree;
  /** What may still be read, so that scripts that repeat one another end. */
  readonly budget: { characters: number };
}

const walkText = (
  walker: Walker,
  { withTree, budget }: Reading,
  { text, scope, flow }: TextPlace,
): string | undefined => {
  budget.characters -= text.length;
  if (flow.depth > DEEPEST_SCRIPT || walker.commands.length > MOST_COMMANDS || budget.characters < 0) {
    doubt(walker, { scope, flow }, { kind: "beyond-limits" });
    return undefined;
  }
  if (text.includes("\0")) doubt(walker, { scope, flow }, { kind: "null-byte" });
  const { tree, flat, problems } = parseShell(text.replaceAll("\0", ""), withTree);
  if (problems.has("too-deep")) doubt(walker, { scope, flow }, { kind: "beyond-limits" });
  const output = walkNode(walker, tree, { scope, flow });
  if (problems.size === 0) return output;
  // Where the tree may be wrong, the commands as they stand are examined too.
  doubt(walker, { scope, flow }, { kind: "syntax" });
  const items = flat.map((node) => ({ node, join: "always" as const, background: false }));
  walkNode(walker, { kind: "sequence", items }, { scope: copyScope(scope), flow });
  return undefined;
};

const walkNode = (walker: Walker, node: ShellNode, place: Place): string | undefined => {
  if (walker.commands.length > MOST_COMMANDS) {
    if (walker.commands.at(-1)?.doubts[0]?.kind !== "beyond-limits") doubt(walker, place, { kind: "beyond-limits" });
    return undefined;
  }
  switch (node.kind) {
    case "command":
      return walkCommand(walker, node, place);
    case "pipeline":
      return walkPipeline(walker, node, place);
    case "sequence":
      return walkSequence(walker, node, place);
    case "compound":
      return walkCompound(walker, node, place);
    case "function":
      walkFunction(walker, node, place);
      return "";
  }
};

const walkSequence = (walker: Walker, node: SequenceNode, { scope, flow }: Place): string | undefined => {
  let output: string | undefined = "";
  // What runs only if something before it succeeded, or failed, changes a copy; afterwards both states are possible.
  let branch: Scope | undefined;
  for (const { node: statement, join, background } of node.items) {
    if (branch !== undefined && join !== "and") mergeScope(scope, branch);
    if (join === "always") branch = undefined;
    else if (join === "or") branch = copyScope(scope);
    else branch ??= copyScope(scope);
    const inner = branch ?? scope;
    const printed = walkNode(walker, statement, {
      scope: background ? copyScope(inner) : inner,
      flow: { ...flow, background: flow.background || background, certain: flow.certain && join === "always" },
    });
    output = join === "always" && !background ? appended(output, printed) : undefined;
  }
  if (branch !== undefined) mergeScope(scope, branch);
  return output;
};

/** What is kept of the calls in front of a pipeline's stage. */
const LONGEST_TEXT = 10_000;

const appended = (output: string | undefined, printed: string | undefined): string | undefined =>
  output === undefined || printed === undefined ? undefined : output + printed;

const walkPipeline = (walker: Walker, node: PipelineNode, { scope, flow }: Place): string | undefined => {
  const programs = new Set<string>();
  let text = "";
  let stdin = flow.stdin;
  let output: string | undefined;
  for (const stage of node.stages) {
    const first = walker.commands.length;
    output = walkNode(walker, stage, { scope: copyScope(scope), flow: { ...flow, stdin, piped: true } });
    for (const { program, words } of walker.commands.slice(first)) {
      if (program !== undefined) programs.add(program);
      if (text.length < LONGEST_TEXT) text += `${words.map(textOf).join(" ")}\n`;
    }
    stdin =
      output === undefined
        ? { kind: "stream", programs: [...programs], text }
        : { kind: "text", text: output, certain: true };
  }
  return output;
};

const walkCompound = (walker: Walker, node: CompoundNode, place: Place): string | undefined => {
  const scope = node.subshell ? copyScope(place.scope) : place.scope;
  expandValues(walker, node.words, { scope, flow: place.flow });
  const redirects = resolveRedirects(walker, node.redirects, { scope, flow: place.flow });
  if (redirects.length > 0) walker.call({ words: [], redirects, scope, flow: place.flow });
  const stdin = stdinOf(walker, node.redirects, { scope, flow: place.flow });
  const certain = place.flow.certain && node.runs === "once";
  const loops = place.flow.loops + (node.runs === "repeatedly" ? 1 : 0);
  const flow: Flow = { ...place.flow, stdin, certain, loops };
  if (node.variable !== undefined) setLoopVariable(walker, node.variable, { scope, flow });
  const before = scope.changes;
  const output = walkBody(walker, node, { scope, flow });
  // What the body sets, its next round reads.
  if (node.runs === "repeatedly" && scope.changes !== before && loops <= DEEPEST_REPEAT)
    walkBody(walker, node, { scope, flow });
  return node.runs === "once" && redirects.every((redirect) => !redirect.writes) ? output : undefined;
};

const walkBody = (walker: Walker, node: CompoundNode, { scope, flow }: Place): string | undefined => {
  let output: string | undefined = "";
  for (const part of node.body) {
    // A branch may run or not, so what it changes is only possible; the next branch may begin with either.
    const inner = node.runs === "once" ? scope : copyScope(scope);
    const printed = walkNode(walker, part, { scope: inner, flow });
    if (inner !== scope) mergeScope(scope, inner);
    output = appended(output, printed);
  }
  return output;
};

const setLoopVariable = (walker: Walker, variable: NonNullable<CompoundNode["variable"]>, place: Place): void => {
  const words = expandValues(walker, variable.values, place);
  const values = words.flatMap((word) => (word.kind === "static" ? [word.value] : []));
  const open = values.length < words.length || words.length === 0;
  setVariable(place.scope, variable.name, { to: { values: [...new Set(values)], open }, certain: true });
  for (const value of words) runVariable(walker, { name: variable.name, value }, place);
};

/** The body is judged where it is defined, because the function outlives the command line. */
const walkFunction = (walker: Walker, node: FunctionNode, { scope, flow }: Place): void => {
  const name = node.name.raw;
  scope.functions.set(name, node);
  const inner = { ...copyScope(scope), positional: undefined };
  const running = [...flow.running, name];
  walkNode(walker, node.body, {
    scope: inner,
    flow: { ...flow, certain: true, background: false, piped: false, running },
  });
};
