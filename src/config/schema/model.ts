import * as z from "zod";
import { mapAt, type Located, scalarAt } from "../located.ts";
import { WIRE_IDS } from "../wire-ids.ts";
import {
  group,
  named,
  optionalAddress,
  optionalChoice,
  optionalCount,
  optionalText,
  requiredText,
  text,
} from "./field.ts";

const modelName = (node: Located): Located => (node.kind === "scalar" ? mapAt([["default", node]], node.origin) : node);

/** `model`: which model answers, and where. A bare text is the model's name. */
export const modelSection = group(
  {
    default: optionalText({
      doc: "The model that answers. `model: NAME` is short for it.",
      synonyms: ["model"],
      variables: [{ name: "HERMES_INFERENCE_MODEL" }, { name: "HERMES_MODEL" }],
    }),
    provider: text({ default: "auto", doc: "The provider's id; `auto` takes the first one that has a key." }),
    base_url: optionalAddress({
      doc: "Address of the endpoint, in place of the provider's own.",
      legacy: ["url", "api"],
    }),
    api_key: optionalText({ doc: "Key for `base_url`; better kept in .env.", secret: true }),
    api_mode: optionalChoice(WIRE_IDS, {
      doc: "HTTP format of the endpoint.",
      legacy: ["transport"],
    }),
    context_length: optionalCount({
      min: 1,
      doc: "Tokens that the model's window holds, where the catalogue is wrong or silent.",
    }),
    max_tokens: optionalCount({ min: 1, doc: "Most tokens of one answer." }),
  },
  { doc: "Which model answers, and where.", adapt: modelName },
);

/** `provider/model`, or a model's name alone. */
const aliasText = (node: Located): Located => {
  if (node.kind !== "scalar" || typeof node.value !== "string") return node;
  const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(node.value) ?? [];
  const entries: [string, Located][] = [["model", { ...node, value: model ?? node.value }]];
  if (provider !== undefined) entries.push(["provider", scalarAt(provider, node.origin)]);
  return mapAt(entries, node.origin);
};

const aliasEntry = z.object({
  model: requiredText({ doc: "The model's name." }),
  provider: optionalText({ doc: "The provider's id; absent = the current one." }),
  base_url: optionalAddress({ doc: "Address of the endpoint.", legacy: ["url", "api"] }),
});

/** `model_aliases`: short names for `/model` and `-m`. */
export const modelAliasesSection = named(aliasEntry, {
  doc: "Short names for `/model` and `-m`; `NAME: provider/model` is short for the mapping.",
  placeholder: "<alias>",
  adapt: (node) =>
    node.kind === "map"
      ? { ...node, entries: new Map([...node.entries].map(([name, entry]) => [name, aliasText(entry)])) }
      : node,
});
