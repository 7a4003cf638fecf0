import { inTable, NAME, tableOf } from "./alphabet.ts";
import { showsEvidence } from "./evidence.ts";
import { matchAt } from "./match-at.ts";
import { followsQuote, readNameBefore } from "./read-name.ts";
import type { NameBefore } from "./read-name.ts";
import { plainEnd, readValueAfter, skipBlanks } from "./read-value.ts";
import type { ValueAfter } from "./read-value.ts";
import type { NamePattern } from "./redact-pattern.ts";
import type { Scan } from "./scan.ts";
import type { SecretSpan } from "./secret-span.ts";

/**
 * How a value stands there, which decides how sure one can be that it is data and not code:
 * `env` = `NAME=value`; `field` = quoted, or a line's whole rest; `code` = unquoted before `,` or `)`; `form` = URL or form parameter.
 */
type Style = "env" | "field" | "code" | "form";

const WEAK_LENGTH = 24;
const FORM_LENGTH = 16;

const isWeakSecret = (value: string): boolean => value.length >= WEAK_LENGTH && showsEvidence(value, "random");

const isFormSecret = (value: string): boolean =>
  showsEvidence(value, "password") ||
  (/^\d{6,}$/.test(value) && showsEvidence(value, "shape")) ||
  (value.length >= FORM_LENGTH && showsEvidence(value, "shape") && !/[-_. +]/.test(value));

// A setting's own line says more than the value: a chosen password of letters alone counts there.
const isEnvSecret = (value: string, row: NamePattern): boolean =>
  showsEvidence(value, "password") ||
  (row.strength === "password" && /^\d{6,}$|^[a-z]{10,}$/.test(value) && showsEvidence(value, "shape"));

/** Whether a value under a row's name, standing like that, is a secret. */
export const isNamedSecret = (value: string, row: NamePattern, style: Style): boolean => {
  if (/\s|:\/\/|«secret:/.test(value)) return false;
  if (row.strength === "parameter") return style === "form" && value.length >= 8 && showsEvidence(value, "token");
  if (row.strength === "weak") return isWeakSecret(value) || (style === "form" && showsEvidence(value, "token"));
  if (style === "form") return isFormSecret(value);
  if (style === "env") return isEnvSecret(value, row);
  if (style === "code") return showsEvidence(value, "random");
  return showsEvidence(value, row.strength === "password" ? "password" : "token");
};

const isEnvName = (before: NameBefore): boolean =>
  !before.spaced && !before.quoted && /^[A-Z][A-Z0-9_]*$/.test(before.name);

/** `module.Type`, `settings.token`: unquoted, that is code. */
const isMember = (value: string): boolean => /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value);

const styleOf = (scan: Scan, before: NameBefore, value: ValueAfter): Style | undefined => {
  if (value.quoted || value.schemed) return "field";
  const { text } = scan;
  const next = text.charAt(value.end);
  if (isMember(text.slice(value.start, value.end)) || (next !== "" && "([{«".includes(next))) return undefined;
  const isAdjacent = text.charAt(value.start - 1) === "=";
  if (isAdjacent && isEnvName(before)) return "env";
  // `name: Type;` in a declaration; a connection string (`Key=value;`) has no blank.
  const isDeclared = before.optional || (next === ";" && !isAdjacent);
  return isDeclared || (next !== "" && ",)]}".includes(next)) ? "code" : "field";
};

/** The span of a named value; a token row that fits the whole value names its kind. */
const namedSpan = (scan: Scan, start: number, end: number): ((kind: string) => SecretSpan) => {
  const token = scan.rules.tokens.match(scan.text, start, start);
  return (kind) => (token !== undefined && token.start === start && token.end === end ? token : { start, end, kind });
};

const FORM_BEFORE = "?&";

/** The end of a form value: at `&`, `#` or where an unquoted run ends. */
const formEnd = (scan: Scan, start: number): number => {
  const end = plainEnd(scan, start);
  const { text } = scan;
  let at = start;
  while (at < end && text.charAt(at) !== "&" && text.charAt(at) !== "#") at += 1;
  return at;
};

const scanForm = (scan: Scan, before: NameBefore, start: number): SecretSpan | undefined => {
  const row = scan.rules.names.parameter(before.name);
  if (row === undefined) return undefined;
  const end = formEnd(scan, start);
  return isNamedSecret(scan.text.slice(start, end), row, "form") ? namedSpan(scan, start, end)(row.kind) : undefined;
};

// `a=1&b=2`: a form body begins with its first pair, so an unquoted value with a following `&name=` is one.
const isForm = (scan: Scan, value: ValueAfter): boolean =>
  !value.quoted && /^[^&]*&[\w.%-]{1,60}=/.test(scan.text.slice(value.start, value.end));

/** `name: str = "value"`: the separator that counts is the later one. */
const TYPED = /[ \t]*[A-Za-z_][\w.<>[\]]{0,40}(?: \| [\w.]{1,20})?[ \t]*=(?!=)[ \t]*/y;

const afterType = (text: string, index: number): number => index + (matchAt(TYPED, text, index)?.[0].length ?? 0);

/** `"name": "PASSWORD", "value": "…"` and `key="Password" value="…"`: the telling name is the value before. */
const pairedName = (text: string, before: NameBefore): NameBefore | undefined => {
  if (before.name.toLowerCase() !== "value") return undefined;
  const opening = before.quoted ? before.start - 1 : before.start;
  const gap = /["'](?:[ \t]*,)?[ \t]*\\?$/.exec(text.slice(Math.max(0, opening - 20), opening));
  return gap === null ? undefined : readNameBefore(text, opening - gap[0].length + 1);
};

const SEPARATORS = /[:=]{1,3}>?/y;

const NO_VALUE = tableOf("\r\n()[]{}<,;");

/** The quick answer for most separators in code: behind them a line ends or a bracket opens. */
const mayBeginValue = (text: string, index: number): boolean => {
  let at = index;
  while (text.charCodeAt(at) === 0x20) at += 1;
  return at < text.length && !inTable(NO_VALUE, text.charCodeAt(at));
};

/** The secret that is assigned at the `=` or `:` at `index`, if one is. */
export const scanAssignment = (scan: Scan, index: number): SecretSpan | undefined => {
  const { text } = scan;
  if (!mayBeginValue(text, index + 1)) return undefined;
  const before = readNameBefore(text, index);
  if (before === undefined) return undefined;
  if (text.charAt(index) === "=" && FORM_BEFORE.includes(text.charAt(before.start - 1)) && before.start > 0)
    return scanForm(scan, before, index + 1);
  const row = scan.rules.names.verdict((pairedName(text, before) ?? before).name);
  if (row === undefined) return undefined;
  const behind = index + (matchAt(SEPARATORS, text, index)?.[0].length ?? 1);
  const value = readValueAfter(scan, text.charAt(index) === ":" ? afterType(text, behind) : behind);
  if (value === undefined) return undefined;
  if (isForm(scan, value)) return scanForm(scan, before, value.start);
  const style = styleOf(scan, before, value);
  const assigned = text.slice(value.start, value.end);
  // `exports.OAuth2Credentials = OAuth2Credentials`: a name's own name is none.
  if (style === undefined || assigned === before.name || !isNamedSecret(assigned, row, style)) return undefined;
  return namedSpan(scan, value.start, value.end)(row.kind);
};

/** The secret behind the comma at `index`: `header("X-Api-Key", "…")`. Both sides stand in quotes. */
export const scanPair = (scan: Scan, index: number): SecretSpan | undefined => {
  if (!followsQuote(scan.text, index)) return undefined;
  const before = readNameBefore(scan.text, index);
  if (before?.quoted !== true) return undefined;
  const row = scan.rules.names.verdict(before.name);
  if (row === undefined) return undefined;
  const value = readValueAfter(scan, index + 1);
  if (value?.quoted !== true) return undefined;
  return isNamedSecret(scan.text.slice(value.start, value.end), row, "code")
    ? namedSpan(scan, value.start, value.end)(row.kind)
    : undefined;
};

const LONGEST_ELEMENT = 512;

/** The secret text of the XML element whose tag ends with the `>` at `index`. */
export const scanElement = (scan: Scan, index: number): SecretSpan | undefined => {
  const { text } = scan;
  if (!inTable(NAME, text.charCodeAt(index - 1))) return undefined;
  const before = readNameBefore(text, index);
  if (before === undefined || before.quoted || text.charAt(before.start - 1) !== "<") return undefined;
  const row = scan.rules.names.verdict(before.name);
  if (row === undefined) return undefined;
  const start = index + 1;
  const end = text.slice(start, start + LONGEST_ELEMENT).search(/[<\s]/) + start;
  return end >= start && text.charAt(end) === "<" && isNamedSecret(text.slice(start, end), row, "field")
    ? namedSpan(scan, start, end)(row.kind)
    : undefined;
};

const FLAG = /-{1,2}([A-Za-z][\w-]{1,60})[ \t]+(?!-)/y;

/** The secret behind the command-line option at `index`: `--api-key …`. */
export const scanFlag = (scan: Scan, index: number): SecretSpan | undefined => {
  const { text } = scan;
  if (index > 0 && !/[\s"'`([]/.test(text.charAt(index - 1))) return undefined;
  const match = matchAt(FLAG, text, index);
  const row = match === undefined ? undefined : scan.rules.names.verdict(match[1] ?? "");
  if (match === undefined || row === undefined) return undefined;
  const value = readValueAfter(scan, skipBlanks(text, index + match[0].length));
  if (value === undefined) return undefined;
  return isNamedSecret(text.slice(value.start, value.end), row, "field")
    ? namedSpan(scan, value.start, value.end)(row.kind)
    : undefined;
};
