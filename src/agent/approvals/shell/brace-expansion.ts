/**
 * A word taken apart for brace expansion: one entry per unquoted character, and one `part` for everything
 * that braces cannot reach into (quoted text, expansions).
 */
export type Atom<P> =
  | { readonly kind: "character"; readonly value: string }
  | { readonly kind: "part"; readonly part: P };

/** More words than this out of one word are not computed. */
const MOST_WORDS = 512;
const MOST_STEPS = 500_000;

/** The words that brace expansion makes of one; undefined where they are too many. */
export const expandBraces = <P>(atoms: readonly Atom<P>[]): readonly (readonly Atom<P>[])[] | undefined => {
  const list = atoms.some((atom) => isCharacter(atom, "{"))
    ? expand(atoms, { left: MOST_WORDS, steps: MOST_STEPS })
    : [atoms];
  return list === undefined || list.length > MOST_WORDS ? undefined : list;
};

interface Budget {
  left: number;
  steps: number;
}

const isCharacter = <P>(atom: Atom<P> | undefined, value: string): boolean =>
  atom?.kind === "character" && atom.value === value;

const expand = <P>(atoms: readonly Atom<P>[], budget: Budget): readonly (readonly Atom<P>[])[] | undefined => {
  budget.steps -= atoms.length;
  const found = findBraces(atoms, budget);
  if (budget.steps <= 0) return undefined;
  if (found === undefined) return [atoms];
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  const before = atoms.slice(0, found.start);
  const after = expand(atoms.slice(found.end), budget);
  const words: (readonly Atom<P>[])[] = [];
  for (const alternative of found.alternatives) {
    const inner = expand(alternative, budget);
    if (inner === undefined || after === undefined || words.length + inner.length * after.length > MOST_WORDS)
      return undefined;
    for (const middle of inner) for (const tail of after) words.push([...before, ...middle, ...tail]);
  }
  return words;
};

interface Braces<P> {
  readonly start: number;
  readonly end: number;
  readonly alternatives: readonly (readonly Atom<P>[])[];
}

/** The first pair of braces that expands. The outer budget bounds the search: every open brace may look at the whole rest. */
const findBraces = <P>(atoms: readonly Atom<P>[], budget: Budget): Braces<P> | undefined => {
  for (let start = 0; start < atoms.length && budget.steps > 0; start += 1) {
    const closed = isCharacter(atoms[start], "{") ? closeBraces(atoms, start, budget) : undefined;
    const braces = closed === undefined ? undefined : bracesOf(atoms, closed);
    if (braces !== undefined) return braces;
  }
  return undefined;
};

interface Closed {
  readonly start: number;
  readonly close: number;
  readonly commas: readonly number[];
}

/** Finds the brace that closes the one at `start` as bash does: one that comes before any comma or `..` of this pair is text. */
const closeBraces = <P>(atoms: readonly Atom<P>[], start: number, budget: Budget): Closed | undefined => {
  const commas: number[] = [];
  let level = 0;
  let isSequence = false;
  for (let at = start + 1; at < atoms.length; at += 1) {
    budget.steps -= 1;
    const atom = atoms[at];
    if (isCharacter(atom, "{")) level += 1;
    else if (isCharacter(atom, "}") && level > 0) level -= 1;
    else if (isCharacter(atom, "}") && (commas.length > 0 || isSequence)) return { start, close: at, commas };
    else if (isCharacter(atom, ",") && level === 0) commas.push(at);
    else if (
      isCharacter(atom, ".") &&
      isCharacter(atoms[at + 1], ".") &&
      !isCharacter(atoms[at + 2], "}") &&
      level === 0
    )
      isSequence = true;
  }
  return undefined;
};

const bracesOf = <P>(atoms: readonly Atom<P>[], { start, close, commas }: Closed): Braces<P> | undefined => {
  if (commas.length > 0) {
    const edges = [start, ...commas, close];
    const alternatives = edges.slice(1).map((edge, index) => atoms.slice((edges[index] ?? start) + 1, edge));
    return { start, end: close + 1, alternatives };
  }
  const inside = atoms.slice(start + 1, close);
  const text = inside.map((atom) => (atom.kind === "character" ? atom.value : "\0")).join("");
  const sequence = sequenceOf(text);
  if (sequence === undefined) return undefined;
  const alternatives = sequence.map((item) => Array.from(item, (value) => ({ kind: "character", value }) as const));
  return { start, end: close + 1, alternatives };
};

const SEQUENCE = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?$/;

/** `1..3`, `a..e..2`. One word more than is allowed stands for every longer sequence. */
const sequenceOf = (text: string): readonly string[] | undefined => {
  const match = SEQUENCE.exec(text);
  if (match === null) return undefined;
  const [, firstNumber, lastNumber, firstLetter, lastLetter, stepText] = match;
  const letters = firstLetter !== undefined && lastLetter !== undefined;
  const first = letters ? firstLetter.charCodeAt(0) : Number(firstNumber);
  const last = letters ? lastLetter.charCodeAt(0) : Number(lastNumber);
  const step = Math.max(1, Math.abs(Number(stepText ?? 1)));
  const count = Math.min(Math.floor(Math.abs(last - first) / step), MOST_WORDS) + 1;
  const direction = last >= first ? step : -step;
  const width = letters ? 0 : paddedWidth(firstNumber ?? "", lastNumber ?? "");
  return Array.from({ length: count }, (_, index) => {
    const value = first + index * direction;
    return letters ? String.fromCharCode(value) : padded(value, width);
  });
};

const paddedWidth = (first: string, last: string): number =>
  [first, last].some((text) => /^-?0\d/.test(text)) ? Math.max(first.length, last.length) : 0;

const padded = (value: number, width: number): string => {
  const sign = value < 0 ? "-" : "";
  return sign + String(Math.abs(value)).padStart(width - sign.length, "0");
};
