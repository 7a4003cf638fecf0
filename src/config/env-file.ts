import { failure, type Result, success } from "../base/result.ts";

/** One assignment of a `.env` file. Offsets are those of the text; `end` excludes the line break. */
export interface EnvEntry {
  readonly name: string;
  readonly value: string;
  /** 1-based line on which it begins. */
  readonly line: number;
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  readonly end: number;
}

/** A line that is no assignment, comment or blank. `unterminated`: a quote that never closes. */
export interface EnvFault {
  readonly line: number;
  readonly kind: "unterminated" | "no_assignment";
}

/** A parsed `.env` file: its assignments in order, the last one of a name counts. */
export interface EnvFile {
  readonly entries: readonly EnvEntry[];
  readonly faults: readonly EnvFault[];
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/;
const BLANK_OR_COMMENT = /^[ \t]*(?:#.*)?$/;
const UNIT_ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/**
 * Parses a `.env` file as python-dotenv reads one: an optional `export`, `#` comments, bare values, single quotes
 * (only `\'` and `\\` are escapes) and double quotes (with `\n` and the like); quoted values may span lines.
 * `${NAME}` stays as it is. A byte order mark and CRLF are no part of any value.
 */
export const parseEnvFile = (text: string): EnvFile => {
  const entries: EnvEntry[] = [];
  const faults: EnvFault[] = [];
  let position = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (position < text.length) {
    const end = endOfLine(text, position);
    const content = text.slice(position, end);
    const entry = ASSIGNMENT.test(content) ? readEntry(text, position, line) : undefined;
    if (entry?.kind === "entry") entries.push(entry.entry);
    else if (entry?.kind === "unterminated") faults.push({ line, kind: "unterminated" });
    else if (!BLANK_OR_COMMENT.test(content)) faults.push({ line, kind: "no_assignment" });
    const next = afterLineBreak(text, entry?.kind === "entry" ? entry.entry.end : end);
    line += countLines(text.slice(position, next));
    position = next;
  }
  return { entries, faults };
};

/** The values of a parsed file by name. */
export const envValues = (file: EnvFile): ReadonlyMap<string, string> =>
  new Map(file.entries.map((entry) => [entry.name, entry.value]));

type EntryOutcome =
  | { readonly kind: "entry"; readonly entry: EnvEntry }
  | { readonly kind: "unterminated" }
  | undefined;

const readEntry = (text: string, start: number, line: number): EntryOutcome => {
  const lineEnd = endOfLine(text, start);
  const [prefix, name] = ASSIGNMENT.exec(text.slice(start, lineEnd)) ?? [];
  if (prefix === undefined || name === undefined) return undefined;
  const valueStart = start + prefix.length;
  const quote = text[valueStart];
  if (quote !== '"' && quote !== "'") {
    const raw = text
      .slice(valueStart, lineEnd)
      .replace(/(?:^|[ \t]+)#.*$/, "")
      .trimEnd();
    return {
      kind: "entry",
      entry: { name, value: raw, line, start, valueStart, valueEnd: valueStart + raw.length, end: lineEnd },
    };
  }
  const close = closingQuote(text, valueStart);
  if (close === undefined) return { kind: "unterminated" };
  const end = endOfLine(text, close + 1);
  if (!BLANK_OR_COMMENT.test(text.slice(close + 1, end))) return undefined;
  const value = unquote(text.slice(valueStart + 1, close), quote);
  return { kind: "entry", entry: { name, value, line, start, valueStart, valueEnd: close + 1, end } };
};

const closingQuote = (text: string, open: number): number | undefined => {
  for (let position = open + 1; position < text.length; position++) {
    if (text[position] === "\\") position++;
    else if (text[position] === text[open]) return position;
  }
  return undefined;
};

const unquote = (inner: string, quote: string): string =>
  quote === "'"
    ? inner.replaceAll(/\\([\\'])/g, "$1")
    : inner.replaceAll(/\\([\\'"abfnrtv])/g, (_, letter: string) => UNIT_ESCAPES[letter] ?? letter);

const endOfLine = (text: string, position: number): number => {
  const newline = text.indexOf("\n", position);
  if (newline === -1) return text.length;
  return newline > position && text[newline - 1] === "\r" ? newline - 1 : newline;
};

const afterLineBreak = (text: string, end: number): number => {
  const newline = text.indexOf("\n", end);
  return newline === -1 ? text.length : newline + 1;
};

const countLines = (text: string): number => text.split("\n").length - 1;

const BARE_VALUE = /^[A-Za-z0-9_@%+=:,./-]*$/;

/** A value as `.env` text that reads back as the same value. */
const quoteEnvValue = (value: string): string => {
  if (BARE_VALUE.test(value)) return value;
  if (!/['\\\r\n]/.test(value)) return `'${value}'`;
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `"${escaped}"`;
};

/** Why a `.env` text was not edited. */
export type EnvEditFailure =
  | { readonly kind: "unterminated"; readonly line: number }
  | { readonly kind: "bad_name"; readonly name: string }
  | { readonly kind: "bad_value" };

const editable = (text: string): Result<EnvFile, EnvEditFailure> => {
  const file = parseEnvFile(text);
  const open = file.faults.find((fault) => fault.kind === "unterminated");
  // Where a quote never closes it can't be said which lines are assignments, so nothing is moved.
  return open === undefined ? success(file) : failure({ kind: "unterminated", line: open.line });
};

/** The text with `name` set: its last assignment is replaced in place, else a line is added. All else stays byte for byte. */
export const setEnvValue = (text: string, name: string, value: string): Result<string, EnvEditFailure> => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return failure({ kind: "bad_name", name });
  if (value.includes("\0")) return failure({ kind: "bad_value" });
  const file = editable(text);
  if (!file.ok) return file;
  const quoted = quoteEnvValue(value);
  const last = file.value.entries.findLast((entry) => entry.name === name);
  if (last !== undefined) {
    const after = text.slice(last.valueEnd);
    const before = text.slice(last.start, last.valueStart);
    // A `#` is a comment only behind a blank, so the value must not touch it.
    const gap = after.startsWith("#") && !(quoted === "" && /[ \t]$/.test(before)) ? " " : "";
    return success(text.slice(0, last.valueStart) + quoted + gap + after);
  }
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const separator = text === "" || text === "\uFEFF" || text.endsWith("\n") ? "" : lineBreak;
  return success(`${text}${separator}${name}=${quoted}${lineBreak}`);
};

/** The text without any assignment of `name`; undefined if there is none. All else stays byte for byte. */
export const unsetEnvValue = (text: string, name: string): Result<string | undefined, EnvEditFailure> => {
  const file = editable(text);
  if (!file.ok) return file;
  const doomed = file.value.entries.filter((entry) => entry.name === name);
  if (doomed.length === 0) return success(undefined);
  const rest = doomed.reduceRight(
    (left, entry) => left.slice(0, entry.start) + left.slice(afterLineBreak(left, entry.end)),
    text,
  );
  return success(rest);
};
