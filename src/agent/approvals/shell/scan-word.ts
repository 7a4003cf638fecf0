import { decodeAnsiC } from "./ansi-c.ts";
import { sourcesOf } from "./token.ts";
import type { ReadingProblem, ShellWord, WordPart } from "./token.ts";

/** A reading position in a shell text, shared by the word scanner and the tokeniser. */
export interface Cursor {
  readonly source: string;
  at: number;
  /** Expansions inside expansions around this position. */
  depth: number;
  readonly problems: Set<ReadingProblem>;
  /** Characters that may still be looked at ahead of the position. */
  readonly ahead: { left: number };
  /** Moves from behind `$(` to its closing parenthesis. False = there is none. */
  readonly skipCommands: (cursor: Cursor) => boolean;
}

/** What may be looked at ahead in one text, so that many open parentheses cost no more than they should. */
export const MOST_AHEAD = 2_000_000;

/** More expansions inside one another than any person writes; deeper text is not read. */
const DEEPEST = 40;

const METACHARACTERS = " \t\n;&|<>()";
const NAME_START = /[A-Za-z_]/;
const SPECIAL_PARAMETERS = "@*#?$!-0123456789";

/** Collects parts, joining neighbouring text of the same kind. */
const createParts = (): { readonly list: WordPart[]; readonly text: (value: string, quoted: boolean) => void } => {
  const list: WordPart[] = [];
  const text = (value: string, quoted: boolean): void => {
    const last = list.at(-1);
    if (last?.kind === "text" && last.quoted === quoted) list[list.length - 1] = { ...last, value: last.value + value };
    else list.push({ kind: "text", value, quoted });
  };
  return { list, text };
};

type Parts = ReturnType<typeof createParts>;

/** Reads one word. The cursor must stand on its first character; afterwards it stands behind the word. */
export const scanWord = (cursor: Cursor): ShellWord => {
  const start = cursor.at;
  const parts = createParts();
  while (cursor.at < cursor.source.length && !atWordEnd(cursor)) scanPiece(cursor, parts, false);
  return { raw: cursor.source.slice(start, cursor.at), start, end: cursor.at, parts: parts.list };
};

const atWordEnd = (cursor: Cursor): boolean => {
  const character = cursor.source.charAt(cursor.at);
  if (!METACHARACTERS.includes(character)) return character === "\r" && isLineEndAfterReturn(cursor);
  return !atProcessSubstitution(cursor);
};

const isLineEndAfterReturn = (cursor: Cursor): boolean => {
  const next = cursor.source.charAt(cursor.at + 1);
  return next === "" || next === "\n";
};

/** Whether `<(` or `>(` stands here. */
export const atProcessSubstitution = (cursor: Cursor): boolean =>
  "<>".includes(cursor.source.charAt(cursor.at)) && cursor.source.charAt(cursor.at + 1) === "(";

/** Reads what stands at the cursor outside of double quotes: at least one character. */
const scanPiece = (cursor: Cursor, parts: Parts, insideBraces: boolean): void => {
  const character = cursor.source.charAt(cursor.at);
  if (character === "\\") scanBackslash(cursor, parts);
  else if (character === "'") parts.text(scanSingleQuoted(cursor), true);
  else if (character === '"') scanDoubleQuoted(cursor, parts);
  else if (character === "$") scanDollar(cursor, parts, false);
  else if (character === "`") scanBackticks(cursor, parts, false);
  else if (atProcessSubstitution(cursor)) scanProcess(cursor, parts);
  else {
    parts.text(character, false);
    cursor.at += 1;
    if (!insideBraces && character === "=") scanArray(cursor, parts);
  }
};

const scanBackslash = (cursor: Cursor, parts: Parts): void => {
  const next = cursor.source.charAt(cursor.at + 1);
  cursor.at += 2;
  if (next === "\n") return;
  if (next === "") {
    cursor.at = cursor.source.length;
    parts.text("\\", true);
    return;
  }
  parts.text(next, true);
};

/** Returns the text between single quotes; the cursor stands on the first. */
const scanSingleQuoted = (cursor: Cursor): string => {
  const end = cursor.source.indexOf("'", cursor.at + 1);
  const value = cursor.source.slice(cursor.at + 1, end === -1 ? undefined : end);
  finish(cursor, end === -1 ? undefined : end + 1);
  return value;
};

/** Moves behind a closing mark; undefined = it is missing, and all the rest belongs to the open text. */
const finish = (cursor: Cursor, end: number | undefined): void => {
  if (end === undefined) cursor.problems.add("unterminated");
  cursor.at = end ?? cursor.source.length;
};

const scanDoubleQuoted = (cursor: Cursor, parts: Parts): void => {
  cursor.at += 1;
  parts.text("", true);
  while (cursor.at < cursor.source.length && cursor.source.charAt(cursor.at) !== '"')
    scanQuotedPiece(cursor, parts, '$`"\\');
  finish(cursor, cursor.at < cursor.source.length ? cursor.at + 1 : undefined);
};

/** Reads one piece of text in which only `$`, backticks and the escapes of `escapable` mean something. */
const scanQuotedPiece = (cursor: Cursor, parts: Parts, escapable: string): void => {
  const character = cursor.source.charAt(cursor.at);
  if (character === "$") scanDollar(cursor, parts, true);
  else if (character === "`") scanBackticks(cursor, parts, true);
  else if (character === "\\") {
    const next = cursor.source.charAt(cursor.at + 1);
    cursor.at = Math.min(cursor.at + 2, cursor.source.length);
    if (next === "\n") return;
    parts.text(next !== "" && escapable.includes(next) ? next : `\\${next}`, true);
  } else {
    parts.text(character, true);
    cursor.at += 1;
  }
};

/** Reads the expansions of a here-document's body, or of arithmetic: no quote means anything there. */
export const scanExpansions = (text: string, outer: Omit<Cursor, "source" | "at">): readonly WordPart[] => {
  const cursor: Cursor = { ...outer, source: text, at: 0 };
  const parts = createParts();
  while (cursor.at < text.length) scanQuotedPiece(cursor, parts, "$`\\");
  return parts.list;
};

const scanDollar = (cursor: Cursor, parts: Parts, quoted: boolean): void => {
  const next = cursor.source.charAt(cursor.at + 1);
  if (next === "(") scanParenthesised(cursor, parts, quoted);
  else if (next === "{") scanBraced(cursor, parts, quoted);
  else if (next === "[") scanOldArithmetic(cursor, parts, quoted);
  else if (next === "'" && !quoted) scanAnsiC(cursor, parts);
  else if (next === '"' && !quoted) {
    cursor.at += 1;
    scanDoubleQuoted(cursor, parts);
  } else if (next !== "" && (NAME_START.test(next) || SPECIAL_PARAMETERS.includes(next)))
    scanParameter(cursor, parts, quoted);
  else {
    parts.text("$", true);
    cursor.at += 1;
  }
};

const scanParameter = (cursor: Cursor, parts: Parts, quoted: boolean): void => {
  const start = cursor.at;
  cursor.at += 2;
  if (NAME_START.test(cursor.source.charAt(start + 1))) {
    while (/\w/.test(cursor.source.charAt(cursor.at))) cursor.at += 1;
  }
  const raw = cursor.source.slice(start, cursor.at);
  parts.list.push({ kind: "parameter", name: raw.slice(1), quoted, raw });
};

const scanAnsiC = (cursor: Cursor, parts: Parts): void => {
  const start = cursor.at + 2;
  let end = start;
  while (end < cursor.source.length && cursor.source.charAt(end) !== "'")
    end += cursor.source.charAt(end) === "\\" ? 2 : 1;
  parts.text(decodeAnsiC(cursor.source.slice(start, end)), true);
  finish(cursor, end < cursor.source.length ? end + 1 : undefined);
};

const scanBackticks = (cursor: Cursor, parts: Parts, quoted: boolean): void => {
  const start = cursor.at;
  let end = start + 1;
  while (end < cursor.source.length && cursor.source.charAt(end) !== "`")
    end += cursor.source.charAt(end) === "\\" ? 2 : 1;
  const inside = cursor.source.slice(start + 1, end);
  const source = inside.replaceAll(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  finish(cursor, end < cursor.source.length ? end + 1 : undefined);
  const raw = cursor.source.slice(start, cursor.at);
  parts.list.push({ kind: "substitution", source, quoted, raw, ...(source === inside ? { offset: start + 1 } : {}) });
};

/** Runs `read` one level deeper, or gives the rest of the text up where it is too deep. */
const deeper = (cursor: Cursor, read: () => void): void => {
  if (cursor.depth >= DEEPEST) {
    cursor.problems.add("too-deep");
    cursor.at = cursor.source.length;
    return;
  }
  cursor.depth += 1;
  read();
  cursor.depth -= 1;
};

/** `$(…)`, or arithmetic where the parentheses are doubled on both sides. */
const scanParenthesised = (cursor: Cursor, parts: Parts, quoted: boolean): void => {
  deeper(cursor, () => {
    const start = cursor.at;
    const end = cursor.source.charAt(start + 2) === "(" ? arithmeticEnd(cursor, start + 1) : undefined;
    if (end !== undefined) {
      cursor.at = end;
      pushOpaque(cursor, parts, { start, inside: cursor.source.slice(start + 3, end - 2), quoted });
      return;
    }
    const inside = scanCommands(cursor, start + 2);
    parts.list.push({
      kind: "substitution",
      source: inside,
      quoted,
      raw: cursor.source.slice(start, cursor.at),
      offset: start + 2,
    });
  });
};

/** Reads commands up to their closing parenthesis and returns their text. */
const scanCommands = (cursor: Cursor, start: number): string => {
  cursor.at = start;
  const closed = cursor.skipCommands(cursor);
  const inside = cursor.source.slice(start, cursor.at);
  finish(cursor, closed ? cursor.at + 1 : undefined);
  return inside;
};

const scanProcess = (cursor: Cursor, parts: Parts): void => {
  deeper(cursor, () => {
    const start = cursor.at;
    const source = scanCommands(cursor, start + 2);
    parts.list.push({ kind: "process", source, raw: cursor.source.slice(start, cursor.at), offset: start + 2 });
  });
};

/**
 * Where `((…))` ends (behind it), its first parenthesis standing at `start`.
 * Undefined = its parentheses do not close as a pair, so it is a subshell in a subshell.
 */
export const arithmeticEnd = (cursor: Cursor, start: number): number | undefined => {
  const { source, ahead } = cursor;
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    ahead.left -= 1;
    if (ahead.left < 0) cursor.problems.add("too-deep");
    if (ahead.left < 0) return undefined;
    const character = source.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "'" || character === '"') {
      const close = source.indexOf(character, at + 1);
      if (close === -1) return undefined;
      at = close;
    } else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 1) return source.charAt(at + 1) === ")" ? at + 2 : undefined;
    }
  }
  return undefined;
};

/** The arithmetic or other inside that is not computed; commands in it are found. */
const pushOpaque = (cursor: Cursor, parts: Parts, found: { start: number; inside: string; quoted: boolean }): void => {
  const sources = sourcesOf(scanExpansions(found.inside, cursor));
  parts.list.push({ kind: "opaque", raw: cursor.source.slice(found.start, cursor.at), quoted: found.quoted, sources });
};

const scanOldArithmetic = (cursor: Cursor, parts: Parts, quoted: boolean): void => {
  const start = cursor.at;
  const end = cursor.source.indexOf("]", start);
  finish(cursor, end === -1 ? undefined : end + 1);
  pushOpaque(cursor, parts, { start, inside: cursor.source.slice(start + 2, cursor.at), quoted });
};

const PLAIN_PARAMETER = /^(?:[A-Za-z_]\w*(?:\[(?:[@*]|\d+)\])?|\d+|[@*#?$!-])$/;
const WITH_FALLBACK = /^([A-Za-z_]\w*|\d+|[@*])(:?[-=+])/;

const scanBraced = (cursor: Cursor, parts: Parts, quoted: boolean): void => {
  deeper(cursor, () => {
    const start = cursor.at;
    cursor.at += 2;
    const operator = WITH_FALLBACK.exec(cursor.source.slice(cursor.at, cursor.at + 200));
    if (operator !== null) cursor.at += operator[0].length;
    const operand = scanUntilBrace(cursor, quoted);
    const inside = cursor.source.slice(start + 2, cursor.at);
    finish(cursor, cursor.at < cursor.source.length ? cursor.at + 1 : undefined);
    const raw = cursor.source.slice(start, cursor.at);
    const name = operator?.[1];
    if (name !== undefined) parts.list.push({ kind: "parameter", name, quoted, raw, fallback: operand });
    else if (PLAIN_PARAMETER.test(inside)) parts.list.push({ kind: "parameter", name: inside, quoted, raw });
    else parts.list.push({ kind: "opaque", raw, quoted, sources: sourcesOf(operand) });
  });
};

/** Reads the inside of `${…}` up to its brace. What quotes mean there inside double quotes differs by operator, so a quote is a doubt. */
const scanUntilBrace = (cursor: Cursor, quoted: boolean): readonly WordPart[] => {
  const parts = createParts();
  while (cursor.at < cursor.source.length && cursor.source.charAt(cursor.at) !== "}") {
    const character = cursor.source.charAt(cursor.at);
    if (!quoted) scanPiece(cursor, parts, true);
    else if (character === '"') scanDoubleQuoted(cursor, parts);
    else {
      if (character === "'") cursor.problems.add("ambiguous");
      scanQuotedPiece(cursor, parts, '$`"\\}');
    }
  }
  return parts.list;
};

const ASSIGNMENT_BEFORE = /^[A-Za-z_]\w*\+?=$/;

/** The list of `name=(a b)`, where it stands behind the `=` of an assignment. */
const scanArray = (cursor: Cursor, parts: Parts): void => {
  const [first] = parts.list;
  if (cursor.source.charAt(cursor.at) !== "(" || parts.list.length !== 1) return;
  if (first?.kind !== "text" || first.quoted || !ASSIGNMENT_BEFORE.test(first.value)) return;
  deeper(cursor, () => {
    const start = cursor.at;
    cursor.at += 1;
    const elements = scanElements(cursor);
    finish(cursor, cursor.at < cursor.source.length ? cursor.at + 1 : undefined);
    parts.list.push({ kind: "array", elements, raw: cursor.source.slice(start, cursor.at) });
  });
};

const scanElements = (cursor: Cursor): readonly ShellWord[] => {
  const elements: ShellWord[] = [];
  while (cursor.at < cursor.source.length && cursor.source.charAt(cursor.at) !== ")") {
    const before = cursor.at;
    if (skipBetweenElements(cursor)) continue;
    elements.push(scanWord(cursor));
    // A metacharacter that no list may hold: bash refuses it, and so must the reading.
    if (cursor.at === before) {
      cursor.problems.add("ambiguous");
      cursor.at += 1;
    }
  }
  return elements;
};

/** Skips blanks, line ends and comments between the elements of a list. */
const skipBetweenElements = (cursor: Cursor): boolean => {
  const character = cursor.source.charAt(cursor.at);
  if (/\s/.test(character)) cursor.at += 1;
  else if (character === "#") {
    const end = cursor.source.indexOf("\n", cursor.at);
    cursor.at = end === -1 ? cursor.source.length : end;
  } else return false;
  return true;
};
