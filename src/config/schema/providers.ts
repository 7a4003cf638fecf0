import * as z from "zod";
import { type Located, type LocatedMap, mapAt } from "../located.ts";
import { WIRE_IDS } from "../wire-ids.ts";
import {
  named,
  openMapping,
  optionalAddress,
  optionalChoice,
  optionalCount,
  optionalSeconds,
  optionalText,
  optionalVariableName,
} from "./field.ts";

/** A list of names, or of mappings that carry one, as the mapping from names that the schema describes. */
const modelsByName = (node: Located): Located => {
  if (node.kind === "list") return mapAt(node.items.flatMap(namedModel), node.origin);
  if (node.kind !== "map") return node;
  return mapAt(
    [...node.entries].map(([name, entry]) => [
      name,
      entry.kind === "scalar" && entry.value === null ? mapAt([], entry.origin) : entry,
    ]),
    node.origin,
  );
};

const MODEL_NAME_KEYS = ["id", "name", "model"];

const namedModel = (item: Located): [string, Located][] => {
  if (item.kind === "scalar") return item.value === null ? [] : [[String(item.value), mapAt([], item.origin)]];
  if (item.kind === "list") return [["?", item]];
  const key = MODEL_NAME_KEYS.find((candidate) => item.entries.get(candidate)?.kind === "scalar");
  const name = key === undefined ? undefined : item.entries.get(key);
  if (key === undefined || name?.kind !== "scalar") return [["?", item]];
  return [
    [
      String(name.value),
      mapAt(
        [...item.entries].filter(([member]) => member !== key),
        item.origin,
      ),
    ],
  ];
};

const providerModel = z.object({
  timeout_seconds: optionalSeconds({ doc: "Longest time of one call with this model; beats the provider's." }),
  stale_timeout_seconds: optionalSeconds({
    doc: "Longest time without progress with this model; beats the provider's.",
  }),
  context_length: optionalCount({ min: 1, doc: "Tokens that this model's window holds." }),
});

const providerEntry = z.object({
  name: optionalText({ doc: "Name shown to people; absent = the id." }),
  base_url: optionalAddress({ doc: "Address of the endpoint.", legacy: ["url", "api"] }),
  api_key: optionalText({ doc: "The key itself; better kept in .env and named by `key_env`.", secret: true }),
  key_env: optionalVariableName({ doc: "Name of the variable that holds the key.", legacy: ["api_key_env"] }),
  api_mode: optionalChoice(WIRE_IDS, {
    doc: "HTTP format of the endpoint.",
    legacy: ["transport"],
  }),
  default_model: optionalText({ doc: "The model to use when only the provider is named.", synonyms: ["model"] }),
  models: named(providerModel, {
    doc: "Settings of single models; a list of names is taken too.",
    placeholder: "<model>",
    adapt: modelsByName,
  }),
  context_length: optionalCount({ min: 1, doc: "Tokens that the models' windows hold." }),
  extra_body: openMapping({ doc: "Members added to every request's body." }),
  request_timeout_seconds: optionalSeconds({
    doc: "Longest time of one call; absent = HERMES_API_TIMEOUT, else 1800.",
  }),
  stale_timeout_seconds: optionalSeconds({
    doc: "Longest time without progress; absent = HERMES_API_CALL_STALE_TIMEOUT, else by the size of the request.",
  }),
});

/** `providers`: endpoints by id. The older list `custom_providers` is read into it. */
export const providersSection = named(providerEntry, {
  doc: "Endpoints by id. Entries of the older list `custom_providers` are read as entries of this mapping.",
  placeholder: "<id>",
});

/** The id under which an entry of the older list is found: its name in lower case, blanks as dashes. */
export const customProviderId = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, "-");

/** The entries of the older list `custom_providers` by id; an entry without a name is given back as `unnamed`. */
export const customProviders = (
  list: Located,
): { readonly named: readonly (readonly [string, LocatedMap])[]; readonly unnamed: readonly Located[] } => {
  const items = list.kind === "list" ? list.items : [list];
  const found: [string, LocatedMap][] = [];
  const unnamed: Located[] = [];
  for (const item of items) {
    const name = item.kind === "map" ? item.entries.get("name") : undefined;
    if (item.kind === "map" && name?.kind === "scalar" && typeof name.value === "string" && name.value.trim() !== "") {
      found.push([customProviderId(name.value), item]);
    } else unnamed.push(item);
  }
  return { named: found, unnamed };
};
