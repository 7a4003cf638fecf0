import * as z from "zod";
import { count, entryList, flag, group, named, optionalAddress, optionalVariableName, requiredText } from "./field.ts";

const providerCatalog = z.object({
  url: optionalAddress({
    doc: "Address of another catalogue of the same form, of which this provider's models count.",
  }),
});

/** `model_catalog`: where windows, prices and abilities of models are fetched from, and how often. */
export const modelCatalogSection = group(
  {
    enabled: flag({ default: true, doc: "Fetch newer models than those that ship." }),
    url: optionalAddress({
      doc: "Address of a catalogue in the form of models.dev; absent = https://models.dev/api.json.",
    }),
    ttl_hours: count({ min: 1, default: 24, doc: "How long what was fetched counts as current, in hours." }),
    providers: named(providerCatalog, { doc: "Other catalogues for single providers.", placeholder: "<id>" }),
  },
  { doc: "Where windows, prices and abilities of models are fetched from. Nothing is fetched at start-up." },
);

const fallbackEntry = z.object({
  provider: requiredText({ doc: "The provider's id." }),
  model: requiredText({ doc: "The model's name." }),
  base_url: optionalAddress({ doc: "Address of the endpoint, in place of the provider's own." }),
  key_env: optionalVariableName({ doc: "Name of the variable that holds the key." }),
});

/** `provider/model` as an entry. */
const readFallback = (text: string): unknown => {
  const [, provider, model] = /^([^/:\s]+)[/:](\S+)$/.exec(text.trim()) ?? [];
  return provider === undefined ? text : { provider, model };
};

/** A list of models that take over one after another. */
export const fallbackList = (options: { readonly doc: string; readonly legacy?: readonly string[] }) =>
  entryList(fallbackEntry, {
    ...options,
    type: "list of {provider, model, base_url, key_env}, the last two optional",
    read: readFallback,
  });

/** `fallback_providers`: the models that take over within a turn. */
export const fallbackProviders = fallbackList({
  doc: "Models that take over, in this order, when the chosen one cannot answer; `PROVIDER/MODEL` is short for an entry.",
  legacy: ["fallback_model"],
});
