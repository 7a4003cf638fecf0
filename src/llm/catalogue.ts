import { CATALOGUE, FAMILY_WINDOWS, type CatalogueFigures } from "./catalogue-data.ts";
import type { Usage } from "./message.ts";
import type { ModelInfo, ModelPrice } from "./model-client.ts";

/** What the shipped catalogue knows of one model at one provider. */
type CatalogueEntry = Pick<ModelInfo, "contextWindow" | "contextWindowFrom" | "maxOutputTokens" | "price">;

/** Looks models up. */
export interface Catalogue {
  find(provider: string, model: string): CatalogueEntry;
  /** A few models of a provider by the names that it takes, for messages. */
  examples(provider: string): readonly string[];
}

/** The window where nothing is known; a smaller one is learned from the provider's own error. */
export const ASSUMED_WINDOW = 256_000;

/** Under which maker's names a provider's models stand. Others carry the maker in the name, or are unknown. */
const MAKER_OF_PROVIDER: Readonly<Record<string, string>> = {
  "openai-api": "openai",
  "azure-foundry": "openai",
  anthropic: "anthropic",
  gemini: "google",
  xai: "xai",
  deepseek: "deepseek",
  "kimi-coding": "moonshotai",
  zai: "z-ai",
  minimax: "minimax",
};

/** Providers that charge the maker's own prices for the makers' closed models. */
const PASSES_PRICES_ON: ReadonlySet<string> = new Set(["openrouter"]);
/** Makers whose weights are open: other hosts set prices of their own. */
const OPEN_WEIGHTS: ReadonlySet<string> = new Set(["deepseek", "moonshotai", "z-ai", "minimax", "qwen", "meta-llama"]);

interface Found {
  readonly maker: string;
  readonly figures: CatalogueFigures;
}

/** `Vendor/Name:variant` as maker, name; dates and "latest" at the end name a release of the same model. */
const readName = (
  model: string,
): { readonly maker: string | undefined; readonly name: string; readonly variant: boolean } => {
  const lower = model.toLowerCase();
  const slash = lower.lastIndexOf("/");
  const tail = slash < 0 ? lower : lower.slice(slash + 1);
  const [name = "", ...variants] = tail.split(":");
  return { maker: slash < 0 ? undefined : lower.slice(0, slash), name, variant: variants.length > 0 };
};

/** Dots and dashes differ between hosts: `claude-opus-4.5`, `claude-opus-4-5`. */
const comparable = (name: string): string => name.replaceAll(".", "-");

const withoutRelease = (name: string): string =>
  name.replace(/(?:-latest|-\d{4}-\d{2}-\d{2}|-20\d{6})$/, "").replace(/-(?:0[1-9]|1[0-2])-\d{2}$/, "");

const makersToSearch = (provider: string, maker: string | undefined): readonly string[] => {
  if (maker !== undefined && CATALOGUE[maker] !== undefined) return [maker];
  const own = MAKER_OF_PROVIDER[provider];
  return own === undefined ? Object.keys(CATALOGUE) : [own];
};

const lookUp = (provider: string, model: string): Found | undefined => {
  const { maker, name } = readName(model);
  for (const wanted of new Set([comparable(name), comparable(withoutRelease(name))])) {
    for (const candidate of makersToSearch(provider, maker)) {
      const models = CATALOGUE[candidate] ?? {};
      const key = Object.keys(models).find((known) => comparable(known) === wanted);
      const figures = key === undefined ? undefined : models[key];
      if (figures !== undefined) return { maker: candidate, figures };
    }
  }
  return undefined;
};

const chargesListPrice = (provider: string, maker: string): boolean =>
  (MAKER_OF_PROVIDER[provider] === maker && provider !== "azure-foundry") ||
  (PASSES_PRICES_ON.has(provider) && !OPEN_WEIGHTS.has(maker));

const priceOf = ([, , input, output, cacheRead, cacheWrite]: CatalogueFigures): ModelPrice | undefined => {
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
};

const familyWindow = (model: string): number | undefined => {
  const name = comparable(readName(model).name);
  return FAMILY_WINDOWS.find(([beginning]) => name.startsWith(comparable(beginning)))?.[1];
};

/** The catalogue that ships with the program. */
export const shippedCatalogue: Catalogue = {
  find: (provider, model) => {
    const found = lookUp(provider, model);
    if (found === undefined) {
      return { contextWindow: familyWindow(model) ?? ASSUMED_WINDOW, contextWindowFrom: "assumed" };
    }
    const [contextWindow, maxOutputTokens] = found.figures;
    // A variant (`:free`, `:nitro`) has a price of its own.
    const listed = chargesListPrice(provider, found.maker) && !readName(model).variant;
    const price = listed ? priceOf(found.figures) : undefined;
    return {
      contextWindow,
      contextWindowFrom: "catalogue",
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(price === undefined ? {} : { price }),
    };
  },
  examples: (provider) => {
    const maker = MAKER_OF_PROVIDER[provider];
    if (maker !== undefined) return Object.keys(CATALOGUE[maker] ?? {}).slice(-3);
    return provider === "openrouter" ? ["anthropic/claude-sonnet-4.5", "openai/gpt-5.1", "z-ai/glm-4.6"] : [];
  },
};

const TOKENS_PER_PRICE = 1_000_000;

/**
 * What a call cost, in US dollars; null where a count or a price that it needs is unknown. `inputTokens` includes what was
 * read from and written to the cache; without a price of its own, writing costs what input costs.
 */
export const costOf = (usage: Usage | undefined, price: ModelPrice | undefined): number | null => {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined) return null;
  if (price?.input === undefined || price.output === undefined) return null;
  const { input, output, cacheRead, cacheWrite = input } = price;
  if (cacheReadTokens > 0 && cacheRead === undefined) return null;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const sum =
    plain * input + cacheReadTokens * (cacheRead ?? 0) + cacheWriteTokens * cacheWrite + outputTokens * output;
  return sum / TOKENS_PER_PRICE;
};
