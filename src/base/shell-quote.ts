import { baseErrors } from "./errors.ts";

// Neither expanded, split, nor read as an assignment anywhere in a command.
const PLAIN_WORD = /^[A-Za-z0-9_@%+,./:-]+$/;

/**
 * Writes `word` so that bash reads exactly it, as one word: left alone if harmless, else in single quotes.
 * Throws `shell.unquotable` for a NUL character, which no argument can hold.
 */
export const quoteForBash = (word: string): string => {
  if (word.includes("\0")) throw baseErrors.unquotable({});
  if (PLAIN_WORD.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
};
