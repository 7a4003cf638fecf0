import type { ModelAbilities } from "../../model-info.ts";
import { asCount, asList, asRecord, asText } from "../../wires/json-fields.ts";
import { askJson, type AskDeps } from "./ask-json.ts";
import { known } from "../known.ts";
import { MAX_DISCOVERED, type DiscoveredModel } from "./discovered-model.ts";

/** A server that may be Ollama. */
export interface OllamaPlace {
  /** Its address without a path. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest time for one answer, in milliseconds. */
  readonly deadlineMs: number;
}

/** Models whose details are asked for; of further ones only the names are known. */
const MAX_SHOWN = 64;
const AT_ONCE = 4;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Ollama's models with the windows that their requests get: that of a loaded model, else the `num_ctx` of its Modelfile. Else the
 * server's own default applies, which it does not tell; `largestWindow` is then all that is known. Undefined = this is no Ollama.
 */
export const askOllama = async (
  deps: AskDeps,
  place: OllamaPlace,
  signal: AbortSignal,
): Promise<readonly DiscoveredModel[] | undefined> => {
  const get = async (path: string, body?: string): Promise<unknown> => {
    const { root, headers, deadlineMs } = place;
    const url = `${root}${path}`;
    const answer = await askJson(
      deps,
      {
        url,
        headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
        deadlineMs,
        maxBytes: MAX_BYTES,
      },
      signal,
    );
    return answer.kind === "json" ? answer.value : undefined;
  };
  const [tags, running] = await Promise.all([get("/api/tags"), get("/api/ps")]);
  const names = namesIn(tags);
  if (names === undefined) return undefined;
  const loaded = loadedIn(running);
  const shown = await inGroups(names.slice(0, MAX_SHOWN), async (name) =>
    readShown(name, await get("/api/show", JSON.stringify({ model: name })), loaded.get(name)),
  );
  const unshown = names.slice(MAX_SHOWN).map((name): DiscoveredModel => ({ name, abilities: {} }));
  return [...shown.filter((model) => model !== undefined), ...unshown];
};

const namesIn = (tags: unknown): readonly string[] | undefined => {
  const models = asRecord(tags)?.["models"];
  if (!Array.isArray(models)) return undefined;
  return models.slice(0, MAX_DISCOVERED).flatMap((item: unknown) => {
    const fields = asRecord(item);
    return asText(fields?.["name"]) ?? asText(fields?.["model"]) ?? [];
  });
};

/** The windows of the models in memory; undefined for one whose window an older server does not tell. */
const loadedIn = (running: unknown): ReadonlyMap<string, number | "unknown"> =>
  new Map(
    asList(asRecord(running)?.["models"]).flatMap((item): [string, number | "unknown"][] => {
      const fields = asRecord(item);
      const name = asText(fields?.["name"]) ?? asText(fields?.["model"]);
      return name === undefined ? [] : [[name, asCount(fields?.["context_length"]) || "unknown"]];
    }),
  );

const inGroups = async <T>(
  names: readonly string[],
  ask: (name: string) => Promise<T | undefined>,
): Promise<readonly (T | undefined)[]> => {
  const results: (T | undefined)[] = [];
  for (let start = 0; start < names.length; start += AT_ONCE) {
    results.push(...(await Promise.all(names.slice(start, start + AT_ONCE).map(ask))));
  }
  return results;
};

/** What `/api/show` says of a model; undefined = one that holds no conversation (embeddings). */
const readShown = (
  name: string,
  shown: unknown,
  loaded: number | "unknown" | undefined,
): DiscoveredModel | undefined => {
  const fields = asRecord(shown);
  const capabilities = fields?.["capabilities"];
  if (Array.isArray(capabilities) && !capabilities.includes("completion")) return undefined;
  const has = (ability: string): boolean | undefined =>
    Array.isArray(capabilities) ? capabilities.includes(ability) : undefined;
  const largestWindow = trainedWindow(asRecord(fields?.["model_info"]) ?? {});
  const set = numCtx(asText(fields?.["parameters"]) ?? "");
  return known<DiscoveredModel>({
    name,
    contextWindow: typeof loaded === "number" ? loaded : within(set, largestWindow),
    largestWindow,
    abilities: known<ModelAbilities>({ tools: has("tools"), images: has("vision"), reasoning: has("thinking") }),
    loaded: loaded !== undefined,
  });
};

/** More than a model was made for is not given. */
const within = (asked: number | undefined, largest: number | undefined): number | undefined =>
  asked === undefined || largest === undefined ? asked : Math.min(asked, largest);

/** `<architecture>.context_length` of the model's own data. */
const trainedWindow = (info: Readonly<Record<string, unknown>>): number | undefined => {
  const own = asText(info["general.architecture"]);
  const value =
    (own === undefined ? undefined : info[`${own}.context_length`]) ??
    Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1];
  return asCount(value) || undefined;
};

const numCtx = (parameters: string): number | undefined => {
  const [, digits] = /^num_ctx\s+(\d{1,9})\s*$/m.exec(parameters) ?? [];
  return digits === undefined ? undefined : Number(digits) || undefined;
};
