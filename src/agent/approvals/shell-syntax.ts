import type { Node } from "web-tree-sitter";
import type { WithTree } from "./shell/shell-parser.ts";
import { renderSkeleton } from "./shell/skeleton.ts";
import { isAssignment, tokenizeShell } from "./shell/tokenize.ts";
import type { ReadingProblem, Redirect, ShellWord, Token } from "./shell/token.ts";

/** A program call, or only assignments, or only redirections. Assignments are the words before the program. */
export interface CommandNode {
  readonly kind: "command";
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirect[];
}

/** `a | b`. */
export interface PipelineNode {
  readonly kind: "pipeline";
  readonly stages: readonly ShellNode[];
}

/** How a command hangs on the one before it: `;` or a line end, `&&`, `||`. */
export type Join = "always" | "and" | "or";

/** Commands after one another. `background` = followed by `&`. */
export interface SequenceNode {
  readonly kind: "sequence";
  readonly items: readonly { readonly node: ShellNode; readonly join: Join; readonly background: boolean }[];
}

/** Something round other commands: `{ }`, `( )`, `if`, `while`, `case`, `for`. */
export interface CompoundNode {
  readonly kind: "compound";
  readonly runs: "once" | "maybe" | "repeatedly";
  /** Whether it runs in a shell of its own, which keeps its variables. */
  readonly subshell: boolean;
  /** A loop's variable and the words it takes. */
  readonly variable?: { readonly name: string; readonly values: readonly ShellWord[] };
  /** Words that are expanded but are no command: a case's subject and patterns. */
  readonly words: readonly ShellWord[];
  /** Of `if` and `case` the branches, of which at most one runs; otherwise one part. */
  readonly body: readonly ShellNode[];
  readonly redirects: readonly Redirect[];
}

/** A function's definition. */
export interface FunctionNode {
  readonly kind: "function";
  readonly name: ShellWord;
  readonly body: ShellNode;
}

export type ShellNode = CommandNode | PipelineNode | SequenceNode | CompoundNode | FunctionNode;

/** What a text says. Where there are problems the tree may not be what bash makes of it; `flat` always has every command. */
export interface ShellSyntax {
  readonly tree: SequenceNode;
  /** The commands as they stand in the text, without their structure: read without the grammar. */
  readonly flat: readonly CommandNode[];
  readonly problems: ReadonlySet<ReadingProblem | "grammar">;
}

/** Reads a shell text. Never throws for bad syntax. */
export const parseShell = (source: string, withTree: WithTree): ShellSyntax => {
  const { tokens, problems } = tokenizeShell(source);
  const reader: Reader = {
    tokens,
    problems: new Set<ReadingProblem | "grammar">(problems),
    named: new Set(),
    depth: 0,
  };
  const tree = withTree(renderSkeleton(tokens), (root) => {
    if (root.hasError) reader.problems.add("grammar");
    return readSequence(reader, childrenOf(root));
  });
  // A token that the tree does not name would be a command that nobody judges.
  if (reader.named.size < tokens.filter((token) => token.kind === "word" || token.kind === "redirect").length)
    reader.problems.add("grammar");
  if (!isBalanced(tokens)) reader.problems.add("grammar");
  return { tree, flat: flatCommands(tokens), problems: reader.problems };
};

const PAIRS: readonly (readonly [string, string])[] = [
  ["{", "}"],
  ["if", "fi"],
  ["case", "esac"],
  ["do", "done"],
];

/** The grammar overlooks a closing word without its opening one. */
const isBalanced = (tokens: readonly Token[]): boolean => {
  const counts = new Map<string, number>();
  for (const token of tokens) if (token.kind === "reserved") counts.set(token.text, (counts.get(token.text) ?? 0) + 1);
  return PAIRS.every(([open, close]) => (counts.get(open) ?? 0) === (counts.get(close) ?? 0));
};

interface Reader {
  readonly tokens: readonly Token[];
  readonly problems: Set<ReadingProblem | "grammar">;
  /** The tokens that have been read out of the tree. */
  readonly named: Set<Token>;
  depth: number;
}

/** Brackets inside brackets; a deeper tree is read flat. */
const DEEPEST_TREE = 150;

const childrenOf = (node: Node): readonly Node[] => node.children.filter((child) => child !== null);

/** Reads statements with their separators. */
const readSequence = (reader: Reader, nodes: readonly Node[]): SequenceNode => {
  const items: { node: ShellNode; join: Join; background: boolean }[] = [];
  for (const node of nodes) {
    if (node.type === "&") items.splice(-1, 1, ...items.slice(-1).map((item) => ({ ...item, background: true })));
    else {
      const statement = readStatement(reader, node);
      if (statement !== undefined) items.push({ node: statement, join: "always", background: false });
    }
  }
  return { kind: "sequence", items };
};

/** `a && b || c` hangs to the left in the tree, as deep as it is long, so it is unrolled. */
const readList = (reader: Reader, list: Node): SequenceNode["items"] => {
  const items: { node: ShellNode; join: Join; background: boolean }[] = [];
  let node = list;
  for (;;) {
    const [left, operator, ...right] = childrenOf(node);
    const last = right.at(-1);
    const statement = last === undefined ? undefined : readStatement(reader, last);
    const join = operator?.type === "&&" ? "and" : "or";
    if (statement !== undefined) items.unshift({ node: statement, join, background: false });
    if (left?.type !== "list") {
      const first = left === undefined ? undefined : readStatement(reader, left);
      if (first !== undefined) items.unshift({ node: first, join: "always", background: false });
      return items;
    }
    node = left;
  }
};

const readStatement = (reader: Reader, node: Node): ShellNode | undefined => {
  if (reader.depth >= DEEPEST_TREE) {
    reader.problems.add("grammar");
    return undefined;
  }
  reader.depth += 1;
  const statement = readKind(reader, node);
  reader.depth -= 1;
  return statement;
};

const readKind = (reader: Reader, node: Node): ShellNode | undefined => {
  switch (node.type) {
    case "command":
    case "command_name":
    case "word":
      return readCommand(reader, node);
    case "pipeline":
      return { kind: "pipeline", stages: readNodes(reader, childrenOf(node)) };
    case "list":
      return { kind: "sequence", items: readList(reader, node) };
    case "negated_command":
      return readGroup(reader, childrenOf(node), { runs: "once", subshell: false });
    case "redirected_statement":
      return readRedirected(reader, node);
    case "subshell":
      return readGroup(reader, childrenOf(node), { runs: "once", subshell: true });
    case "compound_statement":
      return readGroup(reader, childrenOf(node), { runs: "once", subshell: false });
    case "if_statement":
    case "elif_clause":
    case "else_clause":
    case "case_statement":
    case "case_item":
    case "do_group":
      return readGroup(reader, childrenOf(node), { runs: "maybe", subshell: false });
    case "while_statement":
      return readGroup(reader, childrenOf(node), { runs: "repeatedly", subshell: false });
    case "for_statement":
      return readFor(reader, node);
    case "function_definition":
      return readFunction(reader, node);
    case "ERROR":
      return readGroup(reader, childrenOf(node), { runs: "maybe", subshell: false });
    default:
      return undefined;
  }
};

const readNodes = (reader: Reader, nodes: readonly Node[]): readonly ShellNode[] =>
  nodes.map((node) => readStatement(reader, node)).filter((statement) => statement !== undefined);

const readGroup = (
  reader: Reader,
  nodes: readonly Node[],
  how: Pick<CompoundNode, "runs" | "subshell">,
): CompoundNode => {
  const words = nodes.filter((node) => WORD_NODES.has(node.type));
  const rest = nodes.filter((node) => !WORD_NODES.has(node.type));
  const first = readSequence(
    reader,
    rest.filter((node) => !BRANCH_NODES.has(node.type)),
  );
  const branches = readNodes(
    reader,
    rest.filter((node) => BRANCH_NODES.has(node.type)),
  );
  return {
    kind: "compound",
    ...how,
    words: words.flatMap((node) => wordsIn(reader, node)),
    body: [first, ...branches],
    redirects: [],
  };
};

const BRANCH_NODES = new Set(["elif_clause", "else_clause", "case_item"]);

const WORD_NODES = new Set(["word", "extglob_pattern", "concatenation"]);

const readFor = (reader: Reader, node: Node): CompoundNode => {
  const variable = node.childForFieldName("variable");
  const values = node.childrenForFieldName("value").flatMap((value) => wordsIn(reader, value));
  const body = node.childForFieldName("body");
  const name = variable === null ? undefined : wordsIn(reader, variable)[0];
  return {
    kind: "compound",
    runs: "repeatedly",
    subshell: false,
    ...(name === undefined ? {} : { variable: { name: name.raw, values } }),
    // `for ((…))` has its arithmetic in the variable's place; commands in it run.
    words: name === undefined ? [] : [name],
    body: body === null ? [] : readNodes(reader, [body]),
    redirects: [],
  };
};

const readFunction = (reader: Reader, node: Node): FunctionNode | undefined => {
  const name = node.childForFieldName("name");
  const word = name === null ? undefined : wordsIn(reader, name)[0];
  const body = node.childForFieldName("body");
  const statement = body === null ? undefined : readStatement(reader, body);
  if (word === undefined || statement === undefined) return undefined;
  const redirects = redirectsIn(reader, node.childrenForFieldName("redirect"));
  return { kind: "function", name: word, body: withRedirects(statement, redirects) };
};

const readRedirected = (reader: Reader, node: Node): ShellNode | undefined => {
  const body = node.childForFieldName("body");
  const statement = body === null ? undefined : readStatement(reader, body);
  const redirects = redirectsIn(reader, node.childrenForFieldName("redirect"));
  if (statement === undefined) return { kind: "command", assignments: [], words: [], redirects };
  return withRedirects(statement, redirects);
};

const withRedirects = (node: ShellNode, redirects: readonly Redirect[]): ShellNode => {
  if (redirects.length === 0) return node;
  if (node.kind === "command" || node.kind === "compound")
    return { ...node, redirects: [...node.redirects, ...redirects] };
  return { kind: "compound", runs: "once", subshell: false, words: [], body: [node], redirects };
};

const redirectsIn = (reader: Reader, nodes: readonly (Node | null)[]): readonly Redirect[] =>
  nodes
    .filter((node) => node !== null)
    .flatMap((node) => tokensIn(reader, node))
    .flatMap((token) => (token.kind === "redirect" ? [token.redirect] : []));

const wordsIn = (reader: Reader, node: Node): readonly ShellWord[] =>
  tokensIn(reader, node).flatMap((token) => (token.kind === "word" ? [token.word] : []));

/** The tokens that a part of the tree names. */
const tokensIn = (reader: Reader, node: Node): readonly Token[] => {
  const indices = [...node.text.matchAll(/\b[wr](\d+)\b/g)].map((match) => Number(match[1]));
  const tokens = indices.map((index) => reader.tokens[index]).filter((token) => token !== undefined);
  for (const token of tokens) reader.named.add(token);
  return tokens;
};

const readCommand = (reader: Reader, node: Node): CommandNode => commandOf(tokensIn(reader, node));

const commandOf = (tokens: readonly Token[]): CommandNode => {
  const words = tokens.flatMap((token) => (token.kind === "word" ? [token.word] : []));
  const program = words.findIndex((word) => !isAssignment(word));
  const split = program === -1 ? words.length : program;
  return {
    kind: "command",
    assignments: words.slice(0, split),
    words: words.slice(split),
    redirects: tokens.flatMap((token) => (token.kind === "redirect" ? [token.redirect] : [])),
  };
};

/** The commands of a token list, cut at every operator and reserved word. Loop lists and patterns are no commands. */
export const flatCommands = (tokens: readonly Token[]): readonly CommandNode[] => {
  const commands: CommandNode[] = [];
  let current: Token[] = [];
  const flush = (): void => {
    const [first] = current.filter((token) => token.kind === "word");
    const isCommand = first === undefined || first.commandStart;
    if (current.length > 0 && isCommand) commands.push(commandOf(current));
    current = [];
  };
  for (const token of tokens) {
    if (token.kind === "word" || token.kind === "redirect") current.push(token);
    else flush();
  }
  flush();
  return commands;
};
