import { knownNames } from "../../../app/conversation/model-names.ts";
import type { Models } from "../../../app/open-model.ts";
import type { Discovery } from "../../../llm/catalogue/discover/discover-models.ts";
import type { DiscoveredModel } from "../../../llm/catalogue/discover/discovered-model.ts";
import type { CatalogueEntry } from "../../../llm/catalogue.ts";
import { providerIdOf } from "../../../llm/providers/provider-entry.ts";
import type { ModelTarget } from "../../../llm/model-target.ts";
import type { App } from "../../../app/app.ts";
import type { AppError } from "../../../base/app-error.ts";

/** One model at a provider, as lists show it. */
export interface ModelRow extends CatalogueEntry {
  readonly provider: string;
  readonly model: string;
  readonly current: boolean;
  /** Of a local server: whether it is in memory, and the window that it could have. */
  readonly loaded?: boolean;
  readonly largestWindow?: number;
}

/** A provider as a person chooses it. */
export interface ProviderChoice {
  readonly id: string;
  readonly label: string;
  readonly current: boolean;
  /** The model of it that the settings name. */
  readonly currentModel: string | undefined;
  /** Whether it can be called as far as is known: it needs no credential, or has one. */
  readonly ready: boolean;
  /** How its models are called; undefined = `missing` says what it needs first. */
  readonly target: ModelTarget | undefined;
  readonly missing: AppError | undefined;
}

/** A name that no provider has, for asking whether a provider could be called at all. */
const ANY_MODEL = "any";

/** Every provider that can be named: those of the settings first, then the built-in ones. Without the practice model. */
export const providerChoices = (app: App, models: Models): readonly ProviderChoice[] => {
  const own = Object.entries(app.config.section("providers")).map(([id, { name }]) => ({ id, label: name ?? id }));
  const ownIds = new Set(own.map(({ id }) => id.toLowerCase()));
  const rows = app.providerRows.filter(({ id }) => !ownIds.has(id)).map(({ id, label }) => ({ id, label }));
  const current = currentTarget(models);
  return [...own, ...rows].map(({ id, label }) => {
    const resolution = models.resolve({ provider: id, model: ANY_MODEL });
    const isCurrent = id === current?.provider;
    return {
      id,
      label,
      current: isCurrent,
      ready: resolution.kind === "model" && (isCurrent || isReady(resolution.target)),
      currentModel: isCurrent ? current?.model : undefined,
      target: resolution.kind === "model" ? resolution.target : undefined,
      missing: resolution.kind === "none" ? resolution.error : undefined,
    };
  });
};

/** The provider of a name, written with or without `custom:`, in letters of any case. */
export const findChoice = (choices: readonly ProviderChoice[], written: string): ProviderChoice | undefined => {
  const wanted = providerIdOf(written);
  return choices.find(({ id }) => providerIdOf(id) === wanted);
};

/** Some providers can be called with what their own programs find (AWS); whether there is something is known when it is tried. */
const isReady = ({ local, credential }: ModelTarget): boolean => local || credential.kind !== "none";

/** The model that the settings name, if it can be called. */
const currentTarget = (models: Models): ModelTarget | undefined => {
  const resolution = models.resolve({});
  return resolution.kind === "model" ? resolution.target : undefined;
};

/** A server on this machine that no provider of the settings names: an endpoint of one's own. */
export const unnamedServer = (): ProviderChoice => ({
  id: "custom",
  label: "",
  current: false,
  currentModel: undefined,
  ready: true,
  target: undefined,
  missing: undefined,
});

/** Codes of providers whose keys are their owner's to get, not something that this version lacks. */
const MENDABLE: ReadonlySet<string> = new Set(["llm.no_key", "llm.no_login", "llm.no_base_url"]);

/** Whether a provider could be called once its owner has given it what it needs. */
export const isMendable = ({ target, missing }: ProviderChoice): boolean =>
  target !== undefined || (missing !== undefined && MENDABLE.has(missing.code));

/** The models of a provider that the catalogue and the settings know, without asking anybody. */
export const knownModels = (app: App, models: Models, choice: ProviderChoice): readonly ModelRow[] =>
  knownNames(app, models, choice.id).map((name) => rowOf(models, choice, { name, abilities: {} }));

/** The models that a provider's endpoint lists now, or why it does not. */
export const askedModels = async (
  models: Models,
  choice: ProviderChoice,
  signal: AbortSignal,
): Promise<{ readonly kind: "rows"; readonly rows: readonly ModelRow[] } | Exclude<Discovery, { kind: "models" }>> => {
  if (choice.target === undefined) return { kind: "unsupported" };
  const found = await models.catalogue.discover(choice.target, signal);
  if (found.kind !== "models") return found;
  return { kind: "rows", rows: found.models.map((model) => rowOf(models, choice, model)) };
};

/** A model at a provider with what is known of it; what its endpoint just said comes before the catalogue. */
export const rowOf = (models: Models, choice: ProviderChoice, said: DiscoveredModel): ModelRow => {
  const listed = models.catalogue.catalogue.find(choice.id, said.name, choice.target?.baseUrl);
  const { contextWindow, maxOutputTokens, price, loaded, largestWindow } = said;
  return {
    provider: choice.id,
    model: said.name,
    ...listed,
    ...(contextWindow === undefined ? {} : { contextWindow, contextWindowFrom: "endpoint" as const }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(price === undefined ? {} : { price }),
    ...withAbilities(listed, said),
    ...(loaded === undefined ? {} : { loaded }),
    ...(largestWindow === undefined ? {} : { largestWindow }),
    current: choice.currentModel === said.name,
  };
};

const withAbilities = (listed: CatalogueEntry, said: DiscoveredModel): Pick<CatalogueEntry, "abilities"> => {
  const abilities = { ...listed.abilities, ...said.abilities };
  return Object.keys(abilities).length === 0 ? {} : { abilities };
};

/** Whether a row holds every word of a search, in its provider's or its own name. */
export const matches = ({ provider, model }: Pick<ModelRow, "provider" | "model">, search: string): boolean => {
  const text = `${provider}/${model}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** What is known of a model, as the `--json` of every command has it. */
export const factsJson = (facts: CatalogueEntry): Readonly<Record<string, unknown>> => ({
  context_window: facts.contextWindow,
  context_window_from: facts.contextWindowFrom,
  max_output_tokens: facts.maxOutputTokens ?? null,
  price_per_million_usd: facts.price ?? null,
  abilities: facts.abilities ?? {},
});

/** The shape of a model in `--json`. */
export const rowJson = (row: ModelRow): Readonly<Record<string, unknown>> => ({
  provider: row.provider,
  model: row.model,
  current: row.current,
  ...factsJson(row),
  ...(row.loaded === undefined ? {} : { loaded: row.loaded }),
  ...(row.largestWindow === undefined ? {} : { largest_window: row.largestWindow }),
});
