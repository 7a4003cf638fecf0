const MICROS = 1_000_000;

// A cost is made of counts that a provider states; one of them must not make every sum useless.
const MOST_MICROS = 1e15;

const bounded = (micros: number): number => Math.min(Math.max(0, micros), MOST_MICROS);

/** US dollars as whole micro-dollars, as the ledger keeps them. */
export const toMicros = (dollars: number): number => bounded(Math.round(dollars * MICROS));

/** The same, never less than `dollars`: for estimates, which are upper bounds. */
export const toMicrosUp = (dollars: number): number => {
  const micros = dollars * MICROS;
  // Products like 0.0011 × 10⁶ come out a little above the whole number that they are.
  return bounded(Math.ceil(micros - 1e-6 - micros * 1e-15));
};

/** Whole micro-dollars as US dollars. */
export const toDollars = (micros: number): number => micros / MICROS;

const withThousands = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+(?!\d))/gu, ",");

/** How many places an amount is shown with, the largest amounts first. */
const PLACES: readonly (readonly [from: number, places: number])[] = [
  [0.1, 2],
  [0.001, 4],
  [0.000001, 6],
];

/** US dollars for people: `$1,234.50`, small sums with more places: `$0.0123`, `$0.000004`. What is not nothing never reads as nothing. */
export const formatDollars = (dollars: number): string => {
  if (dollars === 0) return "$0.00";
  const [, places] = PLACES.find(([from]) => dollars >= from) ?? [];
  if (places === undefined) return "<$0.000001";
  const [whole = "", fraction = ""] = dollars.toFixed(places).split(".");
  return `$${withThousands(whole)}.${fraction}`;
};

/** A number of tokens with thousands parted: `12,345`. */
export const formatTokens = (tokens: number): string => withThousands(String(Math.round(tokens)));
