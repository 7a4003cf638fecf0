import type { ModelAbilities, ModelPrice, PriceTier } from "../model-info.ts";
import { asList, asRecord } from "../wires/json-fields.ts";
import { known } from "./known.ts";
import { withoutPrice, writeModelLine, type ModelFacts } from "./model-facts.ts";
import { type ModelLines, sortLines } from "./model-lines.ts";
import { PROVIDER_SOURCES } from "./provider-sources.ts";

/** Models by the id of the provider's row. */
export type ModelsByProvider = Readonly<Record<string, ModelLines>>;

/** Models of one provider that are taken at most, and characters of a name: beyond that a file is not what it says. */
const MAX_MODELS = 5_000;
const MAX_NAME_LENGTH = 200;
const MAX_TOKENS = 1_000_000_000;
const MAX_PRICE = 100_000;

/**
 * The models of our providers in models.dev's `api.json` (`{<provider>: {models: {<name>: {limit, cost, …}}}}`). What is
 * malformed is left out, model by model; members that are not known are passed over. Pure; never throws.
 */
export const readModelsDev = (data: unknown): ModelsByProvider => {
  const found: Record<string, ModelLines> = {};
  for (const [provider, { ids, planIds = [] }] of Object.entries(PROVIDER_SOURCES)) {
    const models = [
      ...ids.flatMap((id) => modelsOf(member(data, id))),
      ...planIds.flatMap((id) => modelsOf(member(data, id)).map(withoutPrice)),
    ];
    if (models.length > 0) found[provider] = sortLines(models.map(writeModelLine));
  }
  return found;
};

const membersOf = (value: unknown): readonly (readonly [string, unknown])[] => Object.entries(asRecord(value) ?? {});

const member = (value: unknown, name: string): unknown => {
  const record = asRecord(value);
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
};

const modelsOf = (provider: unknown): readonly ModelFacts[] =>
  membersOf(member(provider, "models"))
    .slice(0, MAX_MODELS)
    .flatMap(([name, model]) => readModel(name, model) ?? []);

const readModel = (name: string, model: unknown): ModelFacts | undefined => {
  if (name === "" || name.length > MAX_NAME_LENGTH || !/^[\x21-\x7e]+$/.test(name)) return undefined;
  const limit = member(model, "limit");
  const contextWindow = tokensIn(limit, "context");
  if (contextWindow === undefined || !writesText(model)) return undefined;
  const maxOutputTokens = tokensIn(limit, "output");
  const price = readCost(name, member(model, "cost"));
  return {
    name,
    contextWindow,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    abilities: readAbilities(model),
    ...(price === undefined ? {} : { price }),
  };
};

const modalities = (model: unknown, direction: "input" | "output"): readonly unknown[] | undefined => {
  const list = member(member(model, "modalities"), direction);
  return Array.isArray(list) ? list : undefined;
};

/** Models that make pictures, sounds or vectors answer no conversation. */
const writesText = (model: unknown): boolean => modalities(model, "output")?.includes("text") !== false;

const tokensIn = (limit: unknown, name: string): number | undefined => {
  const value = member(limit, name);
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= MAX_TOKENS ? value : undefined;
};

const readAbilities = (model: unknown): ModelAbilities => {
  const said = (name: string): boolean | undefined => {
    const value = member(model, name);
    return typeof value === "boolean" ? value : undefined;
  };
  return known<ModelAbilities>({
    tools: said("tool_call"),
    images: modalities(model, "input")?.includes("image"),
    reasoning: said("reasoning"),
    temperature: said("temperature"),
  });
};

const usd = (cost: unknown, name: string): number | undefined => {
  const value = member(cost, name);
  if (typeof value !== "number" || !(value >= 0 && value <= MAX_PRICE)) return undefined;
  // Sums of fractions carry noise in the last digits (0.09999999999999999).
  return Number(value.toPrecision(10));
};

/** Two prices of 0 mean "free" only where the name says so; else a plan pays, or nobody stated them. */
const readCost = (name: string, cost: unknown): ModelPrice | undefined => {
  const free = /[:-]free$/.test(name);
  const base = readPrices(cost, free);
  if (base.input === undefined || base.output === undefined) return undefined;
  if (base.input === 0 && base.output === 0 && !free) return undefined;
  const tiers = readTiers(cost);
  return { ...base, ...(tiers.length === 0 ? {} : { tiers }) };
};

/** Reading from a cache costs something wherever input does, so a 0 there was never stated. */
const readPrices = (cost: unknown, free: boolean): Omit<ModelPrice, "tiers"> =>
  known<Omit<ModelPrice, "tiers">>({
    input: usd(cost, "input"),
    output: usd(cost, "output"),
    cacheRead: free ? 0 : usd(cost, "cache_read") || undefined,
    cacheWrite: free ? undefined : usd(cost, "cache_write") || undefined,
  });

/** Long requests: members named `context_over_200k`, or a list `tiers` of which each names its bound. */
const readTiers = (cost: unknown): readonly PriceTier[] => {
  const named = membersOf(cost).flatMap(([name, prices]) => {
    const [, thousands] = /^context_over_(\d{1,6})k$/.exec(name) ?? [];
    return thousands === undefined ? [] : [{ above: Number(thousands) * 1000, prices }];
  });
  const listed = asList(member(cost, "tiers")).flatMap((prices) => {
    const above = tokensIn(member(prices, "tier"), "size") ?? tokensIn(prices, "size");
    return above === undefined ? [] : [{ above, prices }];
  });
  const tiers = new Map(
    [...named, ...listed].map(({ above, prices }) => [above, { above, ...readPrices(prices, false) }]),
  );
  return [...tiers.values()].filter(isPriced).toSorted((left, right) => left.above - right.above);
};

const isPriced = (tier: PriceTier): boolean => tier.input !== undefined && tier.output !== undefined;
