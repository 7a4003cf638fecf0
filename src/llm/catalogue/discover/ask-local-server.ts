import { asCount, asList, asRecord, asText } from "../../wires/json-fields.ts";
import { askJson, type AskDeps } from "./ask-json.ts";
import { askOllama, type OllamaPlace } from "./ask-ollama.ts";
import type { DiscoveredModel, LocalServerKind } from "./discovered-model.ts";
import { readLmStudioList, readOpenAiList } from "./read-lists.ts";

/** A server, told by what it answers, and its models. */
export interface LocalServer {
  readonly server: LocalServerKind;
  readonly models: readonly DiscoveredModel[];
}

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Asks a server of the owner's own what it is and what it serves, all questions at once. They are told apart by their own
 * interfaces, not by their ports: llama.cpp answers Ollama's questions too, so it is asked about itself first.
 * Undefined = nothing that answers like a server of models.
 */
export const askLocalServer = async (
  deps: AskDeps,
  place: OllamaPlace,
  signal: AbortSignal,
): Promise<LocalServer | undefined> => {
  const { root, headers, deadlineMs } = place;
  const get = async (path: string): Promise<unknown> => {
    const answer = await askJson(deps, { url: `${root}${path}`, headers, deadlineMs, maxBytes: MAX_BYTES }, signal);
    return answer.kind === "json" ? answer.value : undefined;
  };
  const [studio, props, list, ollama] = await Promise.all([
    get("/api/v0/models"),
    get("/props"),
    get("/v1/models"),
    askOllama(deps, place, signal),
  ]);
  const inStudio = readLmStudioList(studio);
  if (inStudio !== undefined) return { server: "lmstudio", models: inStudio };
  const listed = readOpenAiList(list);
  const slotWindow = windowOfSlot(props);
  if (slotWindow !== undefined) return { server: "llamacpp", models: withWindow(listed ?? [], slotWindow, props) };
  if (ollama !== undefined) return { server: "ollama", models: ollama };
  if (listed === undefined) return undefined;
  const owners = asList(asRecord(list)?.["data"]).map((item) => asText(asRecord(item)?.["owned_by"]));
  return { server: owners.includes("vllm") ? "vllm" : "other", models: listed };
};

/** The window of one conversation at llama.cpp (`/props`). */
const windowOfSlot = (props: unknown): number | undefined => {
  const settings = asRecord(asRecord(props)?.["default_generation_settings"]);
  return asCount(settings?.["n_ctx"]) || asCount(asRecord(settings?.["params"])?.["n_ctx"]) || undefined;
};

/** llama.cpp serves one model, whatever name it is called by. */
const withWindow = (
  models: readonly DiscoveredModel[],
  contextWindow: number,
  props: unknown,
): readonly DiscoveredModel[] => {
  const images = asRecord(asRecord(props)?.["modalities"])?.["vision"];
  const seen = typeof images === "boolean" ? { images } : {};
  return models.map((model) => ({
    ...model,
    contextWindow,
    loaded: true,
    abilities: { ...model.abilities, ...seen },
  }));
};
