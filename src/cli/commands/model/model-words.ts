import { costOf } from "../../../llm/catalogue.ts";
import { formatDollars } from "../../../llm/spend/amounts.ts";
import type { ModelAbilities, ModelPrice } from "../../../llm/model-info.ts";

const THOUSAND = 1000;
const MILLION = 1_000_000;

const short = (value: number): string => String(Number(value.toPrecision(value < 100 ? 2 : 3)));

/** Tokens in few characters: `200k`, `1M`, `8192` below ten thousand. */
export const windowText = (tokens: number): string => {
  if (tokens >= MILLION) return `${short(tokens / MILLION)}M`;
  return tokens >= 10 * THOUSAND ? `${Math.round(tokens / THOUSAND)}k` : String(tokens);
};

const usd = (value: number): string => `$${Number(value.toPrecision(4))}`;

/** Dollars per million tokens, in and out; `+` = longer requests cost more; a dash where nobody stated them. */
export const priceText = (price: ModelPrice | undefined): string => {
  if (price?.input === undefined || price.output === undefined) return "–";
  if (price.input === 0 && price.output === 0) return "free";
  return `${usd(price.input)} / ${usd(price.output)}${price.tiers === undefined ? "" : " +"}`;
};

/** What a model can do, in words; a dash where nothing is known. */
export const abilitiesText = (abilities: ModelAbilities | undefined): string => {
  const { tools, images, reasoning } = abilities ?? {};
  const words = [
    ...(tools === true ? ["tools"] : []),
    ...(tools === false ? ["no tools"] : []),
    ...(images === true ? ["images"] : []),
    ...(reasoning === true ? ["reasoning"] : []),
  ];
  return words.length === 0 ? "–" : words.join(", ");
};

/** Where a window is known from. */
export const WINDOW_SOURCES = {
  config: "from your settings",
  catalogue: "from the catalogue",
  endpoint: "as the endpoint says",
  assumed: "assumed: nothing is known of it",
} as const;

/** Below this a long task soon has to be summarised. */
export const SMALL_WINDOW = 64_000;

/** What a call cost in dollars, or that nobody knows. */
export const costText = (
  usage: Parameters<typeof costOf>[0],
  price: ModelPrice | undefined,
): { readonly usd: number | null; readonly text: string } => {
  const cost = costOf(usage, price);
  if (cost === null) return { usd: null, text: "cost unknown" };
  return { usd: cost, text: cost === 0 ? "free" : formatDollars(cost) };
};
