import { readHereDocument } from "./here-document.ts";
import type { OpenHereDocument } from "./here-document.ts";
import { MOST_AHEAD, arithmeticEnd, atProcessSubstitution, scanExpansions, scanWord } from "./scan-word.ts";
import type { Cursor } from "./scan-word.ts";
import { sourcesOf } from "./token.ts";
import type { HereDocument, ReadingProblem, Redirect, ShellWord, Token } from "./token.ts";

/** A shell text cut into tokens, as bash cuts it. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly problems: ReadonlySet<ReadingProblem>;
}

/** Cuts a shell text into words, redirections, operators and reserved words. Never throws. */
export const tokenizeShell = (source: string): Tokens => {
  const cursor: Cursor = { source, at: 0, depth: 0, problems: new Set(), ahead: { left: MOST_AHEAD }, skipCommands };
  const state = createState(cursor);
  while (cursor.at < source.length) readToken(state);
  if (state.documents.length > 0) cursor.problems.add("unterminated");
  return { tokens: state.tokens, problems: cursor.problems };
};

/** Moves to the parenthesis that closes a command substitution. */
const skipCommands = (cursor: Cursor): boolean => {
  const state = createState(cursor);
  while (cursor.at < cursor.source.length) {
    if (closesHere(state)) {
      if (state.documents.length > 0) cursor.problems.add("ambiguous");
      return true;
    }
    readToken(state);
  }
  return false;
};

/** What the next word is to a construct that has begun. */
type Expected = "nothing" | "loop-variable" | "loop-list" | "case-subject" | "case-in" | "function-name";

/** `case-pattern` and `case-body` are the two halves of a `case` that is open here. */
type Open = "parenthesis" | "case-pattern" | "case-body";

interface State {
  readonly cursor: Cursor;
  readonly tokens: Token[];
  /** Here-documents whose bodies begin on the next line. */
  documents: OpenHereDocument[];
  readonly open: Open[];
  commandStart: boolean;
  expected: Expected;
}

const createState = (cursor: Cursor): State => ({
  cursor,
  tokens: [],
  documents: [],
  open: [],
  commandStart: true,
  expected: "nothing",
});

const closesHere = (state: State): boolean =>
  state.open.length === 0 && state.cursor.source.charAt(state.cursor.at) === ")";

// Longest first: the first that fits is taken.
const OPERATORS = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")"];
const REDIRECTIONS = ["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">"];

const readToken = (state: State): void => {
  const { cursor } = state;
  const character = cursor.source.charAt(cursor.at);
  if (" \t\r".includes(character)) cursor.at += 1;
  else if (cursor.source.startsWith("\\\n", cursor.at)) cursor.at += 2;
  else if (character === "\n") readLineEnd(state);
  else if (character === "#") skipComment(cursor);
  else if (!readRedirect(state) && !readArithmetic(state) && !readOperator(state)) readWord(state);
};

const skipComment = (cursor: Cursor): void => {
  const end = cursor.source.indexOf("\n", cursor.at);
  cursor.at = end === -1 ? cursor.source.length : end;
};

const readLineEnd = (state: State): void => {
  state.cursor.at += 1;
  state.tokens.push({ kind: "newline" });
  for (const document of state.documents) readHereDocument(state.cursor, document);
  state.documents = [];
  state.commandStart = true;
};

const DESCRIPTOR = /^(?:\d+|\{[A-Za-z_]\w*\})/;

const readRedirect = (state: State): boolean => {
  const { cursor } = state;
  const from = cursor.at + descriptorLength(cursor);
  const descriptor = cursor.source.slice(cursor.at, from);
  const operator = REDIRECTIONS.find((text) => cursor.source.startsWith(text, from));
  if (operator === undefined || (operator.length === 1 && cursor.source.charAt(from + 1) === "(")) return false;
  cursor.at = from + operator.length;
  skipBlanks(cursor);
  const target = scanWord(cursor);
  if (target.raw === "") cursor.problems.add("unterminated");
  pushRedirect(state, { descriptor, operator, target });
  return true;
};

/** The length of `2` in `2>x`; 0 where no redirection follows it. */
const descriptorLength = (cursor: Cursor): number => {
  const length = DESCRIPTOR.exec(cursor.source.slice(cursor.at, cursor.at + 40))?.[0].length ?? 0;
  return "<>".includes(cursor.source.charAt(cursor.at + length) || " ") ? length : 0;
};

const skipBlanks = (cursor: Cursor): void => {
  for (;;) {
    if (" \t".includes(cursor.source.charAt(cursor.at) || "x")) cursor.at += 1;
    else if (cursor.source.startsWith("\\\n", cursor.at)) cursor.at += 2;
    else return;
  }
};

const CLOSERS = new Set(["}", "fi", "done", "esac"]);

const pushRedirect = (state: State, redirect: Redirect): void => {
  const last = state.tokens.at(-1);
  const afterCompound =
    (last?.kind === "reserved" && CLOSERS.has(last.text)) ||
    (last?.kind === "operator" && last.text === ")") ||
    (last?.kind === "redirect" && last.afterCompound);
  if (redirect.operator !== "<<" && redirect.operator !== "<<-") {
    state.tokens.push({ kind: "redirect", redirect, afterCompound });
    return;
  }
  const index = state.tokens.length;
  const put = (document: HereDocument | undefined): void => {
    const complete = { ...redirect, ...(document === undefined ? {} : { document }) };
    state.tokens[index] = { kind: "redirect", redirect: complete, afterCompound };
  };
  put(undefined);
  state.documents.push({ delimiter: redirect.target, stripTabs: redirect.operator === "<<-", close: put });
};

/** `((…))` at the start of a command or after `for`: one word for us, whose inner commands still run. */
const readArithmetic = (state: State): boolean => {
  const { cursor } = state;
  const afterFor = state.expected === "loop-variable";
  if (!cursor.source.startsWith("((", cursor.at) || (!state.commandStart && !afterFor)) return false;
  const end = arithmeticEnd(cursor, cursor.at);
  if (end === undefined) return false;
  const start = cursor.at;
  cursor.at = end;
  pushBlock(state, { start, name: "((", sources: sourcesOf(scanExpansions(cursor.source.slice(start, end), cursor)) });
  if (afterFor) state.expected = "nothing";
  state.commandStart = afterFor;
  return true;
};

/** A construct that is one command without words, which ends at the cursor: its text is opaque. */
const pushBlock = (
  state: State,
  block: { readonly start: number; readonly name: string; readonly sources: readonly string[] },
): void => {
  const { source, at } = state.cursor;
  const { start, name, sources } = block;
  const parts = [
    { kind: "text", value: name, quoted: true } as const,
    { kind: "opaque", raw: "", quoted: true, sources } as const,
  ];
  state.tokens.push({
    kind: "word",
    word: { raw: source.slice(start, at), start, end: at, parts },
    commandStart: state.commandStart,
  });
};

const readOperator = (state: State): boolean => {
  const { cursor, open } = state;
  const text = OPERATORS.find((operator) => cursor.source.startsWith(operator, cursor.at));
  if (text === undefined) return false;
  cursor.at += text.length;
  state.tokens.push({ kind: "operator", text });
  const top = open.at(-1);
  if (text === "(" && top !== "case-pattern") open.push("parenthesis");
  if (text === ")" && top === "parenthesis") open.pop();
  if (text === ")" && top === "case-pattern") open[open.length - 1] = "case-body";
  if (text.startsWith(";;") || text === ";&") {
    if (top === "case-body") open[open.length - 1] = "case-pattern";
  }
  state.commandStart = true;
  if (state.expected === "loop-list") state.expected = "nothing";
  return true;
};

const readWord = (state: State): void => {
  const { cursor } = state;
  if (state.commandStart && startsTest(cursor) && state.open.at(-1) !== "case-pattern") {
    pushTest(state);
    return;
  }
  const word = scanWord(cursor);
  // Nothing moves only at a metacharacter that no operator begins with; one is given up so that reading ends.
  if (word.raw === "") {
    cursor.problems.add("ambiguous");
    cursor.at += 1;
  } else if (word.parts.length > 0 && !takeReserved(state, word)) takeWord(state, word);
};

/** `[[` up to its `]]`. What stands inside is no command. */
const startsTest = (cursor: Cursor): boolean => /^\[\[\s/.test(cursor.source.slice(cursor.at, cursor.at + 3));

const pushTest = (state: State): void => {
  const { cursor } = state;
  const start = cursor.at;
  const sources: string[] = [];
  cursor.at += 2;
  while (cursor.at < cursor.source.length && !endsTest(cursor)) {
    const isWord = atProcessSubstitution(cursor) || !BETWEEN_TEST_WORDS.includes(cursor.source.charAt(cursor.at));
    if (isWord) sources.push(...sourcesOf(scanWord(cursor).parts));
    else cursor.at += 1;
  }
  if (cursor.at >= cursor.source.length) cursor.problems.add("unterminated");
  cursor.at = Math.min(cursor.at + 3, cursor.source.length);
  pushBlock(state, { start, name: "[[", sources });
  state.commandStart = false;
};

const BETWEEN_TEST_WORDS = " \t\r\n;&|<>()";

const endsTest = (cursor: Cursor): boolean =>
  /^\s\]\](?=[\s;&|)]|$)/.test(cursor.source.slice(cursor.at, cursor.at + 4));

const OPENERS = new Set(["then", "do", "else", "elif", "if", "while", "until", "{", "!"]);
const RESERVED = new Set([...OPENERS, ...CLOSERS, "for", "select", "case", "function"]);

/** Takes the word as a reserved one where the grammar has one here. */
const takeReserved = (state: State, word: ShellWord): boolean => {
  const text = word.raw;
  const patternHere = state.open.at(-1) === "case-pattern";
  if (text === "in" && (state.expected === "loop-list" || state.expected === "case-in")) return takeIn(state);
  if (text === "do" && state.expected === "loop-list") return pushReserved(state, text);
  if (!state.commandStart || state.expected !== "nothing" || (patternHere && text !== "esac")) return false;
  if (text === "coproc" && RUNS_SHELL.test(rest(state.cursor))) state.cursor.problems.add("ambiguous");
  if (text === "time" || text === "coproc") return takesNextWord(state);
  return RESERVED.has(text) && pushReserved(state, text);
};

/** `-p` of `time`, or the name that `coproc` gives to a compound command. */
const OPTION_OR_NAME =
  /^[ \t]+(?:-(?:p|-)(?=[ \t])|[A-Za-z_]\w*(?=[ \t]+(?:[{(]|\[\[|(?:if|while|until|for|case|select)\b)))/;

/** What later commands write to a shell beside them, it runs. */
const RUNS_SHELL = /^[^\n]*\b(?:ba|da|z|k|a|c|tc|fi)?sh[ \t]*(?:-[is][ \t]*)*(?:[;&}\n)]|$)/;

const rest = (cursor: Cursor): string => cursor.source.slice(cursor.at, cursor.at + 300);

/** `time` and `coproc` change nothing about which commands run, so they leave no token. */
const takesNextWord = (state: State): boolean => {
  const { cursor } = state;
  const skipped = OPTION_OR_NAME.exec(cursor.source.slice(cursor.at, cursor.at + 200));
  if (skipped !== null) cursor.at += skipped[0].length;
  return !/^[ \t]+-/.test(cursor.source.slice(cursor.at, cursor.at + 100));
};

const takeIn = (state: State): true => {
  state.tokens.push({ kind: "reserved", text: "in" });
  const isCase = state.expected === "case-in";
  if (isCase) state.open.push("case-pattern");
  state.commandStart = isCase;
  state.expected = "nothing";
  return true;
};

const pushReserved = (state: State, text: string): true => {
  state.tokens.push({ kind: "reserved", text });
  state.expected = "nothing";
  if (text === "for" || text === "select") state.expected = "loop-variable";
  if (text === "case") state.expected = "case-subject";
  if (text === "function") state.expected = "function-name";
  state.commandStart = state.expected === "nothing";
  if (text === "esac" && state.open.at(-1) !== "parenthesis") state.open.pop();
  return true;
};

const takeWord = (state: State, word: ShellWord): void => {
  const isPattern = state.open.at(-1) === "case-pattern" && state.expected === "nothing";
  // A here-document's body begins at the next line end, even where that stands inside this word.
  if (state.documents.length > 0 && word.raw.includes("\n")) state.cursor.problems.add("ambiguous");
  state.tokens.push({
    kind: "word",
    word,
    commandStart: state.commandStart && state.expected === "nothing" && !isPattern,
  });
  state.commandStart = state.expected === "function-name" || (state.commandStart && isAssignment(word));
  state.expected = NEXT_EXPECTED[state.expected];
};

const NEXT_EXPECTED: Readonly<Record<Expected, Expected>> = {
  nothing: "nothing",
  "loop-variable": "loop-list",
  "loop-list": "nothing",
  "case-subject": "case-in",
  "case-in": "nothing",
  "function-name": "nothing",
};

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Whether a word at a command's beginning assigns instead of naming the program. */
export const isAssignment = (word: ShellWord): boolean => {
  const [first] = word.parts;
  return first?.kind === "text" && !first.quoted && ASSIGNMENT.test(first.value);
};
