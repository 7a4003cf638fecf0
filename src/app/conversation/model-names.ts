import { providerIdOf } from "../../llm/providers/provider-entry.ts";
import type { ModelTarget } from "../../llm/model-target.ts";
import type { App } from "../app.ts";
import type { Models } from "../open-model.ts";
import { nearNames } from "./near-names.ts";

/** What a written name asks of `resolve`. */
export interface NamedModel {
  readonly model: string;
  readonly provider?: string;
}

/** A name that no provider has, for asking which provider would answer. */
const ANY_MODEL = "any";
/** Longest wait for the list of a server of the owner's own, in milliseconds. */
const ASK_MS = 3_000;

/** The names of a provider's models that the settings and the catalogue know, each once, without asking anybody. */
export const knownNames = (app: App, models: Models, provider: string): readonly string[] => {
  const providers = app.config.section("providers");
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return [
    ...new Set([
      ...(entry?.default_model === undefined ? [] : [entry.default_model]),
      ...Object.keys(entry?.models ?? {}),
      ...models.catalogue.catalogue.list(provider).map(({ name }) => name),
    ]),
  ];
};

/**
 * The names that a target's provider has: what a server of the owner's own lists now, else what is known. A server that does not
 * answer in time counts as one that was not asked.
 */
export const namesAt = async (app: App, models: Models, target: ModelTarget): Promise<readonly string[]> => {
  const known = knownNames(app, models, target.provider);
  if (!target.local) return known;
  using deadline = app.clock.deadline(ASK_MS);
  try {
    const found = await models.catalogue.discover(target, deadline.signal);
    return found.kind === "models" ? found.models.map(({ name }) => name) : known;
  } catch (thrown) {
    if (deadline.signal.aborted) return known;
    throw thrown;
  }
};

const plainName = (name: string): string => name.toLowerCase().replace(/:latest$/, "");

/** Whether a list has a model, in letters of any case, with or without Ollama's `:latest`. */
const hasName = (names: readonly string[], model: string): boolean =>
  names.some((name) => plainName(name) === plainName(model));

/** What is said of a model that its provider does not list, with the nearest names; undefined = it does, or it lists none at all. */
export const missNote = (
  { provider, model }: Pick<ModelTarget, "provider" | "model">,
  names: readonly string[],
): string | undefined => {
  if (names.length === 0 || hasName(names, model)) return undefined;
  const near = nearNames(model, names);
  const hint = near.length === 0 ? "" : `; near it: ${near.join(", ")}`;
  return `${provider} is not known to have ${model}${hint}`;
};

/**
 * Takes `PROVIDER/MODEL` and `PROVIDER:MODEL` apart where the first part is the id of a provider or of an entry, and the provider
 * that answers now does not list the whole name itself. Everything else stays whole: an alias, a maker that is no provider
 * (`openai/gpt-5`), and a new model of a maker whose other models the answering host has, where the maker itself cannot be called.
 */
export const readModelName = async (app: App, models: Models, name: string): Promise<NamedModel> => {
  const [, before, sign, after] = /^([^/:\s]+)([/:])(\S+)$/.exec(name) ?? [];
  if (before === undefined || after === undefined || Object.hasOwn(app.config.section("model_aliases"), name)) {
    return { model: name };
  }
  const provider = knownProvider(app, before);
  // `custom:NAME:MODEL` has two signs; the resolver takes it apart.
  if (provider === undefined || (sign === ":" && providerIdOf(before) === "custom")) return { model: name };
  const active = activePlace(app, models);
  if (active === undefined) return { model: after, provider };
  const names =
    active.target === undefined ? knownNames(app, models, active.provider) : await namesAt(app, models, active.target);
  if (hasName(names, name)) return active.isConfigured ? { model: name, provider: active.provider } : { model: name };
  const isOfMaker = names.some((each) => each.toLowerCase().startsWith(`${before.toLowerCase()}/`));
  const isOther = provider !== active.provider && canAnswer(models, { provider, model: after });
  const isNested = provider === active.provider && after.includes("/");
  return isOfMaker && !isOther && !isNested ? { model: name } : { model: after, provider };
};

const knownProvider = (app: App, written: string): string | undefined => {
  const wanted = providerIdOf(written);
  const ids = [...Object.keys(app.config.section("providers")), ...app.providerRows.map(({ id }) => id)];
  return ids.find((id) => providerIdOf(id) === wanted);
};

interface ActivePlace {
  readonly provider: string;
  /** Absent where it cannot be called yet. */
  readonly target?: ModelTarget;
  /** Whether the settings name it, rather than the first key that there is. */
  readonly isConfigured: boolean;
}

const activePlace = (app: App, models: Models): ActivePlace | undefined => {
  const named = app.config.section("model").provider.trim().toLowerCase();
  const isConfigured = named !== "" && named !== "auto";
  const configured = models.resolve({});
  const resolution = configured.kind === "none" ? models.resolve({ model: ANY_MODEL }) : configured;
  if (resolution.kind === "model") {
    return { provider: resolution.target.provider, target: resolution.target, isConfigured };
  }
  const provider = isConfigured ? knownProvider(app, named) : undefined;
  return provider === undefined ? undefined : { provider, isConfigured };
};

const canAnswer = (models: Models, wanted: NamedModel): boolean => {
  const resolution = models.resolve(wanted);
  return resolution.kind === "model" && (resolution.target.local || resolution.target.credential.kind !== "none");
};
