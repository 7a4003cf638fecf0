import type { NamePattern } from "./redact-pattern.ts";

/** Finds the row that a name belongs to. */
export interface NameIndex {
  /** The row for a setting's, field's or header's name; undefined if its value is no secret. */
  verdict(name: string): NamePattern | undefined;
  /** The row for a URL or form parameter. */
  parameter(name: string): NamePattern | undefined;
}

// Words that may follow the telling one without changing what the value is: `SECRET_KEY_BASE`, `password_2`.
const NEUTRAL_SUFFIX =
  /^(?:\d+|value|raw|plain|prod|production|dev|staging|test|live|default|secondary|current|old|new|base|b64|base64|hex|string|str)$/;

/** The words of a name in lower case: `x-api-Key`, `SERVICE_API_KEY`, `serviceApiKey`. */
const wordsOf = (name: string): readonly string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());

const withoutSuffix = (words: readonly string[]): readonly string[] => {
  let end = words.length;
  while (end > 1 && NEUTRAL_SUFFIX.test(words[end - 1] ?? "")) end -= 1;
  return words.slice(0, end);
};

const squash = (name: string): string => name.replaceAll(" ", "");

// A word shorter than this is part of too many others (`bypass`, `monkey`).
const SHORTEST_GLUED = 5;
const LONGEST_NAME_WORDS = 4;

interface Lookup {
  readonly whole: ReadonlyMap<string, NamePattern>;
  readonly glued: readonly (readonly [string, NamePattern])[];
  readonly anyKey: NamePattern | undefined;
}

const isExcepted = (row: NamePattern, before: string | undefined): boolean =>
  before !== undefined && row.except?.includes(before) === true;

type Found = { readonly row: NamePattern | undefined };

// A row found and excepted ends the search: `csrf_token` is not looked at again for its last word.
const findWhole = (lookup: Lookup, words: readonly string[]): Found | undefined => {
  for (let count = Math.min(LONGEST_NAME_WORDS, words.length); count >= 1; count -= 1) {
    const row = lookup.whole.get(words.slice(-count).join(""));
    if (row !== undefined) return { row: isExcepted(row, words.at(-count - 1)) ? undefined : row };
  }
  return undefined;
};

const findGlued = (lookup: Lookup, words: readonly string[]): Found | undefined => {
  const last = words.at(-1) ?? "";
  const [ending, row] = lookup.glued.find(([ending]) => last.endsWith(ending)) ?? [];
  if (row === undefined || ending === undefined) return undefined;
  const before = last.slice(0, last.length - ending.length);
  return { row: row.except?.some((word) => before.endsWith(word)) === true ? undefined : row };
};

const lookupOf = (rows: readonly NamePattern[]): Lookup => {
  const named = rows
    .filter((row) => row.strength !== "parameter")
    .flatMap((row) => row.names.map((name) => [squash(name), row] as const));
  const glued = named
    .filter(([name]) => name.length >= SHORTEST_GLUED && !name.startsWith("*"))
    .sort(([a], [b]) => b.length - a.length);
  return { whole: new Map(named.toReversed()), glued, anyKey: named.find(([name]) => name === "*key")?.[1] };
};

/** Compiles the name rows. A name that ends in a row's words belongs to it; the longest wins, then the earlier row. */
export const createNameIndex = (rows: readonly NamePattern[]): NameIndex => {
  const lookup = lookupOf(rows);
  const parameters = new Map(
    rows
      .filter((row) => row.strength === "parameter")
      .flatMap((row) => row.names.map((name) => [squash(name), row] as const)),
  );
  const lastWords = new Set(rows.flatMap((row) => row.names.map((name) => name.slice(name.lastIndexOf(" ") + 1))));
  const telling = new RegExp([...lastWords].join("|"), "i");

  const verdict = (name: string): NamePattern | undefined => {
    if (!telling.test(name)) return undefined;
    const words = withoutSuffix(wordsOf(name));
    const found = findWhole(lookup, words) ?? findGlued(lookup, words);
    if (found !== undefined || lookup.anyKey === undefined) return found?.row;
    return words.length > 1 && words.at(-1) === "key" && !isExcepted(lookup.anyKey, words.at(-2))
      ? lookup.anyKey
      : undefined;
  };
  return { verdict, parameter: (name) => parameters.get(wordsOf(name).join("")) ?? verdict(name) };
};
