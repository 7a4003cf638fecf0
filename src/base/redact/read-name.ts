import { inTable, NAME } from "./alphabet.ts";

/** A name that stands before a separator. */
export interface NameBefore {
  readonly name: string;
  readonly start: number;
  /** The name stands in quotes. */
  readonly quoted: boolean;
  /** A `?` or `!` stands behind it: an optional field of a type. */
  readonly optional: boolean;
  /** Blanks stand between name and separator. */
  readonly spaced: boolean;
}

const LONGEST_NAME = 80;
const MOST_BLANKS = 40;
const codesOf = (characters: string): readonly number[] =>
  Array.from(characters, (character) => character.charCodeAt(0));
const BLANKS = codesOf(" \t");
const OPTIONAL = codesOf("?!");
const BRACKET = 0x5d;
const QUOTES = codesOf("\"'`");
const BACKSLASH = 0x5c;

/** Whether the character before `index` closes a quotation. */
export const followsQuote = (text: string, index: number): boolean => QUOTES.includes(text.charCodeAt(index - 1));

const skipBlanksBack = (text: string, end: number): number => {
  let at = end;
  const limit = Math.max(0, end - MOST_BLANKS);
  while (at > limit && BLANKS.includes(text.charCodeAt(at - 1))) at -= 1;
  return at;
};

/** The name that ends before `end` (blanks, `]`, `?`, `!` and a possibly escaped quote may stand between); undefined if none does. */
export const readNameBefore = (text: string, end: number): NameBefore | undefined => {
  let at = skipBlanksBack(text, end);
  const spaced = at !== end;
  const optional = OPTIONAL.includes(text.charCodeAt(at - 1));
  if (optional || text.charCodeAt(at - 1) === BRACKET) at -= 1;
  const quoted = followsQuote(text, at);
  if (quoted) at -= text.charCodeAt(at - 2) === BACKSLASH ? 2 : 1;
  const nameEnd = at;
  const limit = Math.max(0, nameEnd - LONGEST_NAME);
  while (at > limit && inTable(NAME, text.charCodeAt(at - 1))) at -= 1;
  if (at === nameEnd || (at === limit && inTable(NAME, text.charCodeAt(at - 1)))) return undefined;
  return { name: text.slice(at, nameEnd), start: at, quoted, optional, spaced };
};
