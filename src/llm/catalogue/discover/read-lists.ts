import type { ModelAbilities, ModelPrice } from "../../model-info.ts";
import { asCount, asList, asRecord, asText } from "../../wires/json-fields.ts";
import { known } from "../known.ts";
import { MAX_DISCOVERED, type DiscoveredModel } from "./discovered-model.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A count of tokens that means something: 0 is a server's way to say nothing. */
const tokens = (value: unknown): number | undefined => {
  const count = asCount(value);
  return count === undefined || count < 1 ? undefined : count;
};

const firstTokens = (fields: Fields, names: readonly string[]): number | undefined =>
  names.map((name) => tokens(fields[name])).find((value) => value !== undefined);

const smallest = (...values: readonly (number | undefined)[]): number | undefined => {
  const there = values.filter((value) => value !== undefined);
  return there.length === 0 ? undefined : Math.min(...there);
};

/** One list of an endpoint: its models, undefined for what is no such list. */
export type ReadList = (value: unknown) => readonly DiscoveredModel[] | undefined;

const listOf = (
  value: unknown,
  member: "data" | "models",
  read: (fields: Fields) => DiscoveredModel | undefined,
): readonly DiscoveredModel[] | undefined => {
  const items = asRecord(value)?.[member];
  if (!Array.isArray(items)) return undefined;
  const models = items.slice(0, MAX_DISCOVERED).flatMap((item: unknown) => {
    const fields = asRecord(item);
    return fields === undefined ? [] : (read(fields) ?? []);
  });
  return models;
};

/** The form of OpenAI (`{data: [{id, …}]}`), with what OpenRouter, vLLM, Groq, Mistral, llama.cpp and others add to it. */
export const readOpenAiList: ReadList = (value) => listOf(value, "data", readOpenAiModel);

const WINDOW_NAMES = ["max_model_len", "context_length", "context_window", "max_context_length", "context_size"];
const OUTPUT_NAMES = ["max_completion_tokens", "max_output_tokens", "max_output_length"];

const readOpenAiModel = (fields: Fields): DiscoveredModel | undefined => {
  const name = asText(fields["id"]);
  if (name === undefined || !answersText(fields)) return undefined;
  const top = asRecord(fields["top_provider"]) ?? {};
  return known<DiscoveredModel>({
    name,
    contextWindow: smallest(firstTokens(fields, WINDOW_NAMES), tokens(top["context_length"])),
    largestWindow: tokens(asRecord(fields["meta"])?.["n_ctx_train"]),
    maxOutputTokens: firstTokens(top, OUTPUT_NAMES) ?? firstTokens(fields, OUTPUT_NAMES),
    abilities: openAiAbilities(fields),
    price: openRouterPrice(asRecord(fields["pricing"])),
  });
};

/** Embedders, speakers and painters stand in the same lists. */
const answersText = (fields: Fields): boolean => {
  const type = asText(fields["type"]);
  if (type !== undefined && /embed|rerank|image|audio|speech|moderation/i.test(type)) return false;
  const outputs = asRecord(fields["architecture"])?.["output_modalities"];
  return !Array.isArray(outputs) || outputs.includes("text");
};

const openAiAbilities = (fields: Fields): ModelAbilities => {
  const parameters = fields["supported_parameters"];
  const inputs = asRecord(fields["architecture"])?.["input_modalities"];
  const capabilities = asRecord(fields["capabilities"]);
  const takes = (name: string): boolean | undefined =>
    Array.isArray(parameters) ? parameters.includes(name) : undefined;
  const can = (name: string): boolean | undefined => {
    const value = capabilities?.[name];
    return typeof value === "boolean" ? value : undefined;
  };
  return known<ModelAbilities>({
    tools: takes("tools") ?? can("function_calling"),
    images: Array.isArray(inputs) ? inputs.includes("image") : can("vision"),
    reasoning: takes("reasoning"),
    temperature: takes("temperature"),
  });
};

const PER_MILLION = 1_000_000;

/** OpenRouter states dollars per token as texts; below 0 = it depends. */
const openRouterPrice = (pricing: Fields | undefined): ModelPrice | undefined => {
  const usd = (name: string): number | undefined => {
    const text = pricing?.[name];
    const value = typeof text === "string" && text.trim() !== "" ? Number(text) : Number.NaN;
    return value >= 0 && value < 1 ? Number((value * PER_MILLION).toPrecision(10)) : undefined;
  };
  const [input, output] = [usd("prompt"), usd("completion")];
  if (input === undefined || output === undefined) return undefined;
  return known<ModelPrice>({
    input,
    output,
    cacheRead: usd("input_cache_read") || undefined,
    cacheWrite: usd("input_cache_write") || undefined,
  });
};

/** The form of Anthropic. */
export const readAnthropicList: ReadList = (value) =>
  listOf(value, "data", (fields) => {
    const name = asText(fields["id"]);
    if (name === undefined) return undefined;
    const capabilities = asRecord(fields["capabilities"]);
    const can = (ability: string): boolean | undefined => {
      const supported = asRecord(capabilities?.[ability])?.["supported"];
      return typeof supported === "boolean" ? supported : undefined;
    };
    return known<DiscoveredModel>({
      name,
      contextWindow: tokens(fields["max_input_tokens"]),
      maxOutputTokens: tokens(fields["max_tokens"]),
      abilities: known<ModelAbilities>({
        images: can("image_input"),
        reasoning: can("thinking"),
      }),
    });
  });

/** The form of Gemini; its limits of input and output stand side by side. */
export const readGeminiList: ReadList = (value) =>
  listOf(value, "models", (fields) => {
    const name = asText(fields["name"])?.replace(/^models\//, "");
    const methods = fields["supportedGenerationMethods"];
    if (name === undefined || (Array.isArray(methods) && !methods.includes("generateContent"))) return undefined;
    const thinking = fields["thinking"];
    return known<DiscoveredModel>({
      name,
      contextWindow: tokens(fields["inputTokenLimit"]),
      maxOutputTokens: tokens(fields["outputTokenLimit"]),
      abilities: typeof thinking === "boolean" ? { reasoning: thinking } : {},
    });
  });

/** LM Studio's own list (`/api/v0/models`): which models are in memory, and with which window. */
export const readLmStudioList: ReadList = (value) => {
  // The server answers paths that it does not know with a good status and an error.
  const looksLike = asList(asRecord(value)?.["data"]).some((item) => asText(asRecord(item)?.["state"]) !== undefined);
  const isEmpty = asList(asRecord(value)?.["data"]).length === 0 && asRecord(value)?.["object"] === "list";
  if (!looksLike && !isEmpty) return undefined;
  return listOf(value, "data", (fields) => {
    const name = asText(fields["id"]);
    const type = asText(fields["type"]);
    if (name === undefined || type === "embeddings") return undefined;
    const capabilities = fields["capabilities"];
    return known<DiscoveredModel>({
      name,
      contextWindow: tokens(fields["loaded_context_length"]),
      largestWindow: tokens(fields["max_context_length"]),
      abilities: known<ModelAbilities>({
        tools: Array.isArray(capabilities) ? capabilities.includes("tool_use") : undefined,
        images: type === undefined ? undefined : type === "vlm",
      }),
      loaded: fields["state"] === "loaded",
    });
  });
};
