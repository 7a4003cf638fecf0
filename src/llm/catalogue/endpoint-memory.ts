import { asRecord } from "../wires/json-fields.ts";
import { readCacheFile, readLineLists, writeCacheFile } from "./cache-file.ts";
import type { DiscoveredModel } from "./discover/discovered-model.ts";
import { nameOfLine, writeModelLine } from "./model-facts.ts";
import { sortLines, type ModelLines } from "./model-lines.ts";

const FORMAT = "hermes-endpoints-1";
const MAX_ENDPOINTS = 50;
/** What an endpoint said longer ago is no longer believed, in milliseconds. */
const BELIEVED_MS = 30 * 24 * 60 * 60 * 1000;

/** What endpoints said of their own models, by address. */
export type EndpointMemory = Readonly<Record<string, EndpointModels>>;

/** What one endpoint said, and when (ms UTC). */
export interface EndpointModels {
  readonly seenAt: number;
  readonly models: ModelLines;
}

/** One spelling for one address. */
export const endpointKey = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").toLowerCase();

/** Reads `cache/endpoint_models.json`, without what is too old; empty for a file that is not there or not of this form. */
export const readEndpointMemory = (file: string, now: number): EndpointMemory => {
  const fields = asRecord(readCacheFile(file));
  if (fields?.["format"] !== FORMAT) return {};
  return Object.fromEntries(
    Object.entries(asRecord(fields["endpoints"]) ?? {}).flatMap(([address, value]): [string, EndpointModels][] => {
      const entry = asRecord(value);
      const seenAt = typeof entry?.["seen_at"] === "string" ? Date.parse(entry["seen_at"]) : Number.NaN;
      const { models = [] } = readLineLists({ models: entry?.["models"] });
      return now - seenAt <= BELIEVED_MS ? [[address, { seenAt, models }]] : [];
    }),
  );
};

/**
 * Remembers what an endpoint said of the windows of its models; those that it says nothing of stay as they were known. The endpoints
 * that were not seen for the longest time are forgotten. Throws `file.write_failed` or the system's error.
 */
export const rememberEndpoint = async (
  { file, now }: { readonly file: string; readonly now: number },
  baseUrl: string,
  models: readonly DiscoveredModel[],
): Promise<void> => {
  const memory = readEndpointMemory(file, now);
  const key = endpointKey(baseUrl);
  const fresh = models.flatMap((model) => lineOf(model) ?? []);
  const names = new Set(models.map(({ name }) => name));
  const kept = (memory[key]?.models ?? []).filter((line) => names.has(nameOfLine(line)));
  const all = { ...memory, [key]: { seenAt: now, models: sortLines([...fresh, ...kept]) } };
  const newest = Object.entries(all)
    .toSorted(([, left], [, right]) => right.seenAt - left.seenAt)
    .slice(0, MAX_ENDPOINTS);
  await writeCacheFile(file, {
    format: FORMAT,
    endpoints: Object.fromEntries(
      newest.map(([address, entry]) => [
        address,
        { seen_at: new Date(entry.seenAt).toISOString(), models: entry.models },
      ]),
    ),
  });
};

const lineOf = (model: DiscoveredModel): string | undefined => {
  const { name, contextWindow, maxOutputTokens, abilities, price } = model;
  if (contextWindow === undefined || /\s/.test(name)) return undefined;
  return writeModelLine({
    name,
    contextWindow,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    abilities,
    ...(price === undefined ? {} : { price }),
  });
};
