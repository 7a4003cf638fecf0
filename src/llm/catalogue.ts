import { readModelLine, withoutPrice, type ModelFacts } from "./catalogue/model-facts.ts";
import { findLine, findOfAnyMaker, type ModelLines } from "./catalogue/model-lines.ts";
import { comparable, nameParts, withoutRelease } from "./catalogue/model-name.ts";
import { PROVIDER_OF_MAKER, PROVIDER_SOURCES } from "./catalogue/provider-sources.ts";
import type { ModelsByProvider } from "./catalogue/read-models-dev.ts";
import snapshot from "./catalogue/snapshot.json" with { type: "json" };
import { EXAMPLE_MODELS, FAMILY_WINDOWS, OTHER_WINDOWS } from "./catalogue/windows.ts";
import { isLocalEndpoint } from "./local-endpoint.ts";
import type { Usage } from "./message.ts";
import type { ModelInfo, ModelPrice } from "./model-info.ts";

/** What a catalogue knows of one model at one provider. */
export type CatalogueEntry = Pick<
  ModelInfo,
  "contextWindow" | "contextWindowFrom" | "maxOutputTokens" | "price" | "abilities"
>;

/** Looks models up. Never throws, whatever is asked for. */
export interface Catalogue {
  /** `baseUrl` = where the model is called: what the endpoint there said of it counts as well. */
  find(provider: string, model: string, baseUrl?: string): CatalogueEntry;
  /** The models of a provider by name; empty where the catalogue has none of it. */
  list(provider: string): readonly ModelFacts[];
  /** A few models of a provider by the names that it takes, for messages. */
  examples(provider: string): readonly string[];
}

/** What a catalogue knows beside what ships. */
export interface CatalogueOptions {
  /** Newer models than those that ship; asked at most once for each look-up, so that a file is read when it is needed. */
  readonly fetched?: () => ModelsByProvider | undefined;
  /** What the endpoint at an address said of its models. */
  readonly endpoint?: (baseUrl: string) => ModelLines | undefined;
}

/** The window where nothing is known; a smaller one is learned from the provider's own error. */
export const ASSUMED_WINDOW = 256_000;

/** Providers that charge the maker's own prices for the makers' closed models. */
const PASSES_PRICES_ON: ReadonlySet<string> = new Set(["openrouter"]);
/** Makers whose weights are open: other hosts set prices of their own. */
const OPEN_WEIGHTS: ReadonlySet<string> = new Set(["deepseek", "kimi-coding", "zai", "minimax", "alibaba", "xiaomi"]);

const SHIPPED: ModelsByProvider = snapshot.models;
/** The day of the shipped catalogue, `YYYY-MM-DD`. */
export const SHIPPED_DATE: string = snapshot.date;

/**
 * A catalogue: what was fetched, then what ships, then what the endpoint said, then what is known of families (compat 4.1). A server
 * of the owner's own comes first: only it knows which window it has loaded.
 */
export const createCatalogue = ({ fetched, endpoint }: CatalogueOptions = {}): Catalogue => {
  const sources = (): readonly ModelsByProvider[] => [fetched?.() ?? {}, SHIPPED];
  return {
    find: (provider, model, baseUrl) => {
      const all = sources();
      const found = findAtProvider(all, provider, model) ?? findAtMaker(all, provider, model);
      const said = baseUrl === undefined ? undefined : saidBy(endpoint?.(baseUrl), model);
      if (said === undefined || baseUrl === undefined) return found ?? windowOnly(model);
      return isLocalEndpoint(baseUrl) ? { ...found, ...said } : (found ?? said);
    },
    list: (provider) => listOf(sources(), provider),
    examples: (provider) => EXAMPLE_MODELS[provider] ?? [],
  };
};

/** What an endpoint said; a served name may carry a tag that the request leaves out (`qwen3` is `qwen3:latest`). */
const saidBy = (lines: ModelLines | undefined, model: string): CatalogueEntry | undefined => {
  if (lines === undefined) return undefined;
  const facts = findLine(lines, model) ?? findLine(lines, `${model}:latest`);
  return facts === undefined ? undefined : { ...entryOf(facts, true), contextWindowFrom: "endpoint" };
};

/** The catalogue that ships with the program. */
export const shippedCatalogue: Catalogue = createCatalogue();

/** A list that was fetched comes before the one that ships; one of another provider's that is alike comes last. */
const linesOf = (sources: readonly ModelsByProvider[], provider: string): readonly ModelLines[] => {
  const like = sourceOf(provider)?.like;
  return [provider, ...(like === undefined ? [] : [like])].flatMap((id) =>
    sources.flatMap((source) => (Object.hasOwn(source, id) ? [source[id] ?? []] : [])),
  );
};

const sourceOf = (provider: string): (typeof PROVIDER_SOURCES)[string] | undefined =>
  Object.hasOwn(PROVIDER_SOURCES, provider) ? PROVIDER_SOURCES[provider] : undefined;

const listOf = (sources: readonly ModelsByProvider[], provider: string): readonly ModelFacts[] => {
  const [lines = []] = linesOf(sources, provider);
  const models = lines.flatMap((line) => readModelLine(line) ?? []);
  return isUnpriced(provider) ? models.map(withoutPrice) : models;
};

const isUnpriced = (provider: string): boolean => sourceOf(provider)?.unpriced === true;

/** Names that mean the same model at its own provider, the likeliest first. Only the first two have its price. */
const spellings = (model: string): readonly string[] => {
  const plain = model.replace(/:[^:/]*$/, "");
  // Bedrock's names begin with the region that answers.
  const anyRegion = model.replace(/^(?:us|eu|apac|au|jp|ca|global|us-gov)\.(?=[a-z0-9-]+\.)/, "");
  return [model, withoutRelease(model), anyRegion, plain];
};

const findAtProvider = (
  sources: readonly ModelsByProvider[],
  provider: string,
  model: string,
): CatalogueEntry | undefined => {
  const lists = linesOf(sources, provider);
  for (const [index, name] of spellings(model).entries()) {
    const facts = firstOf(lists, name);
    if (facts !== undefined) return entryOf(facts, index < 2 && !isUnpriced(provider));
  }
  return undefined;
};

const firstOf = (lists: readonly ModelLines[], name: string): ModelFacts | undefined => {
  for (const lines of lists) {
    const facts = findLine(lines, name);
    if (facts !== undefined) return facts;
  }
  return undefined;
};

const entryOf = (
  { contextWindow, maxOutputTokens, abilities, price }: ModelFacts,
  priced: boolean,
): CatalogueEntry => ({
  contextWindow,
  contextWindowFrom: "catalogue",
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  ...(Object.keys(abilities).length === 0 ? {} : { abilities }),
  ...(priced && price !== undefined ? { price } : {}),
});

/** A model that its provider's list lacks, by the lists of those who make models, else by the host of the most of them. */
const findAtMaker = (
  sources: readonly ModelsByProvider[],
  provider: string,
  model: string,
): CatalogueEntry | undefined => {
  const { maker, name, variant } = nameParts(model);
  const names = new Set([tailOf(model), name, withoutRelease(name)]);
  for (const at of makersToSearch(provider, maker)) {
    for (const wanted of names) {
      const facts = firstOf(linesOf(sources, at), wanted);
      if (facts !== undefined) return entryOf(facts, chargesListPrice(provider, at) && !variant);
    }
  }
  for (const wanted of names) {
    const facts = findHosted(sources, maker, wanted);
    if (facts !== undefined) return entryOf(facts, false);
  }
  return undefined;
};

/** The name without its maker, a variant (`:8b`) included. */
const tailOf = (model: string): string => model.slice(model.lastIndexOf("/") + 1);

const MAKER_PROVIDERS: readonly string[] = [...new Set(Object.values(PROVIDER_OF_MAKER))];

const makersToSearch = (provider: string, maker: string | undefined): readonly string[] => {
  const named = maker !== undefined && Object.hasOwn(PROVIDER_OF_MAKER, maker) ? PROVIDER_OF_MAKER[maker] : undefined;
  if (named !== undefined) return [named];
  return MAKER_PROVIDERS.includes(provider) ? [] : MAKER_PROVIDERS;
};

const chargesListPrice = (provider: string, maker: string): boolean =>
  PASSES_PRICES_ON.has(provider) && !OPEN_WEIGHTS.has(maker);

const HOST_OF_MOST = "openrouter";

const findHosted = (
  sources: readonly ModelsByProvider[],
  maker: string | undefined,
  name: string,
): ModelFacts | undefined => {
  const lists = linesOf(sources, HOST_OF_MOST);
  if (maker !== undefined) return firstOf(lists, `${maker}/${name}`);
  for (const lines of lists) {
    const facts = findOfAnyMaker(lines, name);
    if (facts !== undefined) return facts;
  }
  return undefined;
};

const windowOnly = (model: string): CatalogueEntry => {
  const name = comparable(nameParts(model).name);
  const whole = comparable(tailOf(model));
  const listed = Object.hasOwn(OTHER_WINDOWS, whole) ? OTHER_WINDOWS[whole] : undefined;
  if (listed !== undefined) return { contextWindow: listed, contextWindowFrom: "catalogue" };
  const family = FAMILY_WINDOWS.find(([beginning]) => name.startsWith(comparable(beginning)))?.[1];
  return { contextWindow: family ?? ASSUMED_WINDOW, contextWindowFrom: "assumed" };
};

const TOKENS_PER_PRICE = 1_000_000;

/** The prices of a request: those of the longest bound that its input passes, else the plain ones. */
const pricesFor = (inputTokens: number, price: ModelPrice): Omit<ModelPrice, "tiers"> =>
  price.tiers?.findLast(({ above }) => inputTokens > above) ?? price;

/**
 * What a call cost, in US dollars; null where a count or a price that it needs is unknown. `inputTokens` includes what was
 * read from and written to the cache; without a price of its own, writing costs what input costs.
 */
export const costOf = (usage: Usage | undefined, price: ModelPrice | undefined): number | null => {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined || price === undefined) return null;
  const { input, output, cacheRead, cacheWrite = input } = pricesFor(inputTokens, price);
  if (input === undefined || output === undefined || cacheWrite === undefined) return null;
  if (cacheReadTokens > 0 && cacheRead === undefined) return null;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const sum =
    plain * input + cacheReadTokens * (cacheRead ?? 0) + cacheWriteTokens * cacheWrite + outputTokens * output;
  return sum / TOKENS_PER_PRICE;
};
