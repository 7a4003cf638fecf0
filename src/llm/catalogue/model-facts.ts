import type { ModelAbilities, ModelPrice, PriceTier } from "../model-info.ts";

/** What a catalogue says of one model at one provider. */
export interface ModelFacts {
  /** The name that the provider takes. */
  readonly name: string;
  /** Tokens of a request and its answer together. */
  readonly contextWindow: number;
  readonly maxOutputTokens?: number;
  readonly price?: ModelPrice;
  readonly abilities: ModelAbilities;
}

/** The same without prices. */
export const withoutPrice = (facts: ModelFacts): ModelFacts => {
  const { name, contextWindow, maxOutputTokens, abilities } = facts;
  return { name, contextWindow, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }), abilities };
};

/** One letter for each ability: small = it has it, capital = it has not, missing = unknown. */
const ABILITY_LETTERS = { tools: "t", images: "i", reasoning: "r", temperature: "c" } as const;
const ABILITIES = Object.entries(ABILITY_LETTERS) as readonly [keyof ModelAbilities, string][];

const ABSENT = "-";
const PRICE_NAMES = ["input", "output", "cacheRead", "cacheWrite"] as const;

/**
 * A model as one line of a catalogue file: name, window, longest answer, abilities, prices, all parted by blanks.
 * `claude-opus-4-5 200000 64000 tirc 5:25:0.5:6.25`; the prices of long requests follow as `200000>10:50:1`.
 */
export const writeModelLine = (facts: ModelFacts): string => {
  const { name, contextWindow, maxOutputTokens, abilities, price } = facts;
  const letters = ABILITIES.map(([ability, letter]) => {
    const has = abilities[ability];
    if (has === undefined) return "";
    return has ? letter : letter.toUpperCase();
  }).join("");
  const prices = price === undefined ? [] : [writePrice(price), ...(price.tiers ?? []).map(writeTier)];
  return [name, contextWindow, maxOutputTokens ?? ABSENT, letters === "" ? ABSENT : letters, ...prices].join(" ");
};

const writePrice = (price: Omit<ModelPrice, "tiers">): string =>
  PRICE_NAMES.map((name) => price[name] ?? "")
    .join(":")
    .replace(/:+$/, "");

const writeTier = ({ above, ...price }: PriceTier): string => `${above}>${writePrice(price)}`;

/** The name alone, at little cost. */
export const nameOfLine = (line: string): string => {
  const end = line.indexOf(" ");
  return end < 0 ? line : line.slice(0, end);
};

/** Reads a line; undefined for what is none. Never throws: the file may be anything. */
export const readModelLine = (line: string): ModelFacts | undefined => {
  const [name, window, output, letters, price, ...tiers] = line.split(" ");
  const contextWindow = readNumber(window);
  if (name === undefined || name === "" || contextWindow === undefined || contextWindow < 1) return undefined;
  const maxOutputTokens = readNumber(output);
  const readTiers = tiers.flatMap(readTier);
  return {
    name,
    contextWindow,
    ...(maxOutputTokens === undefined || maxOutputTokens < 1 ? {} : { maxOutputTokens }),
    abilities: readAbilities(letters ?? ""),
    ...(price === undefined
      ? {}
      : { price: { ...readPrice(price), ...(readTiers.length === 0 ? {} : { tiers: readTiers }) } }),
  };
};

const readNumber = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^\d+(?:\.\d+)?(?:e-\d+)?$/.test(text)) return undefined;
  return Number(text);
};

const readAbilities = (letters: string): ModelAbilities =>
  Object.fromEntries(
    ABILITIES.flatMap(([ability, letter]) => {
      if (letters.includes(letter)) return [[ability, true]];
      return letters.includes(letter.toUpperCase()) ? [[ability, false]] : [];
    }),
  );

const readPrice = (text: string): Omit<ModelPrice, "tiers"> => {
  const values = text.split(":");
  return Object.fromEntries(
    PRICE_NAMES.flatMap((name, index) => {
      const value = readNumber(values[index]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
};

const readTier = (text: string): readonly PriceTier[] => {
  const [bound, price] = text.split(">");
  const above = readNumber(bound);
  return above === undefined || price === undefined ? [] : [{ above, ...readPrice(price) }];
};
