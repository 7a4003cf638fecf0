import { showsEvidence } from "./evidence.ts";
import { matchAt } from "./match-at.ts";
import type { SecretSpan } from "./secret-span.ts";
import { LOOK_BACK } from "./token-start.ts";

const USER = /(?:-u|--user)(?:=|[ \t]{0,5})/y;
// A word of a shell command: quoted stretches and plain characters, joined.
const SHELL_WORD = /(?:"[^"\r\n«»]{0,200}"|'[^'\r\n«»]{0,200}'|[^\s"'<>|;«»]){1,400}/y;

const trimQuotes = (text: string, start: number, end: number): { start: number; end: number } => {
  let from = start;
  let to = end;
  while (from < to && /["'{}]/.test(text.charAt(from))) from += 1;
  while (to > from && /["'{}]/.test(text.charAt(to - 1))) to -= 1;
  return { start: from, end: to };
};

/** The password in curl's `-u name:password` at `index`; the name where the password is empty. */
export const scanCurlUser = (text: string, index: number): SecretSpan | undefined => {
  if (!/\s/.test(text.charAt(index - 1))) return undefined;
  const option = matchAt(USER, text, index)?.[0].length;
  if (option === undefined) return undefined;
  const word = matchAt(SHELL_WORD, text, index + option)?.[0] ?? "";
  const colon = word.indexOf(":");
  if (colon < 0 || !/\bcurl\b/.test(text.slice(Math.max(0, index - LOOK_BACK), index))) return undefined;
  if (/\$\{|\$\(|\{\{/.test(word)) return undefined;
  const wordStart = index + option;
  const password = trimQuotes(text, wordStart + colon + 1, wordStart + word.length);
  const { start, end } = password.start < password.end ? password : trimQuotes(text, wordStart, wordStart + colon);
  return showsEvidence(text.slice(start, end), "password") ? { start, end, kind: "password" } : undefined;
};
