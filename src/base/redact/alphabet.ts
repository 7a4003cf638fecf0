const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const ALNUM = UPPER + LOWER + DIGITS;

/** The characters that a part of a secret is made of. All ASCII. */
const ALPHABETS = {
  digit: DIGITS,
  hex: `${DIGITS}abcdef`,
  anyHex: `${DIGITS}abcdefABCDEF`,
  alpha: UPPER + LOWER,
  lowerDigit: LOWER + DIGITS,
  upperDigit: UPPER + DIGITS,
  alnum: ALNUM,
  word: `${ALNUM}_`,
  url: `${ALNUM}_-`,
  urlDot: `${ALNUM}_-.`,
  urlPad: `${ALNUM}_-=`,
  base64: `${ALNUM}+/=`,
  path: `${ALNUM}_-/`,
  bearer: `${ALNUM}_-.~+/=`,
  azure: `${ALNUM}_-.~`,
  any: String.fromCharCode(...Array.from({ length: 94 }, (_, index) => index + 33)).replace(/["'`<>\\]/g, ""),
} as const satisfies Record<string, string>;

export type Alphabet = keyof typeof ALPHABETS;

/** A set of ASCII characters as a table: 1 where the code belongs to it. Other codes never belong. */
export type CharTable = Uint8Array;

const CODES = 128;

/** The table of the characters of `characters`. */
export const tableOf = (characters: string): CharTable => {
  const table = new Uint8Array(CODES);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
};

const entries = Object.entries(ALPHABETS).map(([name, characters]) => [name, tableOf(characters)] as const);
const tables: ReadonlyMap<string, CharTable> = new Map(entries);
const NOTHING = tableOf("");

/** The table of a named alphabet. */
export const alphabetTable = (alphabet: Alphabet): CharTable => tables.get(alphabet) ?? NOTHING;

/** Whether `name` names an alphabet; for rows that come from a manifest. */
export const isAlphabet = (name: string): name is Alphabet => tables.has(name);

/** Whether the character code belongs to the table; false for NaN (a position outside of the text). */
export const inTable = (table: CharTable, code: number): boolean => code < CODES && table[code] === 1;

/** `[A-Za-z0-9_]`: what a token must not be glued to. */
export const WORD: CharTable = alphabetTable("word");
/** `[A-Za-z0-9_-]`: what names of settings are made of. */
export const NAME: CharTable = alphabetTable("url");
