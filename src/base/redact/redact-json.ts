import { isJson } from "../is-json.ts";
import { matchAt } from "./match-at.ts";
import type { Redactor } from "./redact-text.ts";

/** The end of the string literal that begins at `start` in valid JSON, its closing quote included. */
const literalEnd = (text: string, start: number): number => {
  let at = start + 1;
  while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
};

const COLON_NEXT = /[ \t\r\n]*:/y;

const isKey = (text: string, end: number): boolean => matchAt(COLON_NEXT, text, end) !== undefined;

/** What stands before a string value and tells what it is. */
interface Before {
  /** The key of this value, or the option (`--token`) before it in an array. */
  readonly name: string;
  /** The value of a `name` or `key` field before: `{"name": "DB_PASSWORD", "value": …}`. */
  readonly pairedName: string;
}

const NAMING_KEY = /^(?:name|key|variable)$/i;

const nameOf = ({ name, pairedName }: Before): string =>
  name.toLowerCase() === "value" && pairedName !== "" ? pairedName : name;

const after = (before: Before, value: string): Before => ({
  name: value.startsWith("-") ? value : "",
  pairedName: NAMING_KEY.test(before.name) ? value : before.pairedName,
});

const parseLiteral = (literal: string): string => String(JSON.parse(literal));

/**
 * Masks the strings inside JSON text: values by their key, too. Only literals that hold a secret are written anew, everything else
 * keeps its bytes, so valid JSON stays valid. Text that is no JSON is masked as text.
 */
export const redactJson = (text: string, redactor: Redactor): string => {
  if (!redactor.enabled) return text;
  if (!isJson(text)) return redactor.text(text);
  const pieces: string[] = [];
  let written = 0;
  let before: Before = { name: "", pairedName: "" };
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = literalEnd(text, start);
    const value = parseLiteral(text.slice(start, end));
    const key = isKey(text, end);
    const masked = key ? redactor.text(value) : redactor.field(nameOf(before), value);
    if (masked !== value) {
      pieces.push(text.slice(written, start), JSON.stringify(masked));
      written = end;
    }
    before = key ? { ...before, name: value } : after(before, value);
    start = text.indexOf('"', end);
  }
  return `${pieces.join("")}${text.slice(written)}`;
};

/**
 * The same for a value that is parsed already: every string at any depth, by its key too. Objects and arrays are made anew, other
 * values are kept.
 */
export const redactValue = (value: unknown, redactor: Redactor, name = ""): unknown => {
  if (typeof value === "string") return redactor.field(name, value);
  if (Array.isArray(value)) return value.map((item: unknown) => redactValue(item, redactor));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, redactor, key)]));
};
