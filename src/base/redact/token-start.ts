import { inTable, WORD } from "./alphabet.ts";
import { followsColour } from "./terminal-colour.ts";

/** No rule looks further back than this, but for the names of `near` rows (1,024). */
export const LOOK_BACK = 1024;

const ESCAPE_LETTERS = /[abefnrtv0]/;

/**
 * Whether a token may begin at `index`: not glued to a word, where the letter of an escape (`\n`), a percent escape (`%3D`), a
 * `\u0026` or a terminal colour before it does not count as a word.
 */
export const isTokenStart = (text: string, index: number): boolean => {
  if (index === 0 || !inTable(WORD, text.charCodeAt(index - 1))) return true;
  const before = text.slice(Math.max(0, index - 6), index);
  if (before.at(-2) === "\\" && ESCAPE_LETTERS.test(before.at(-1) ?? "")) return true;
  return /%[0-9A-Fa-f]{2}$|\\u[0-9A-Fa-f]{4}$/.test(before) || followsColour(text, index);
};
