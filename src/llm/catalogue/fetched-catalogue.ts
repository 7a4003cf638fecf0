import { asRecord, asText } from "../wires/json-fields.ts";
import { readCacheFile, readLineLists, writeCacheFile } from "./cache-file.ts";
import type { ModelsByProvider } from "./read-models-dev.ts";

const FORMAT = "hermes-catalogue-1";

/** What the last refreshes brought. */
export interface FetchedCatalogue {
  /** Where the models are from. */
  readonly url: string;
  /** When they were last known to be current, ms UTC; 0 = nothing was ever fetched. */
  readonly fetchedAt: number;
  /** When it was last tried, ms UTC. */
  readonly triedAt: number;
  /** The server's mark of this version. */
  readonly etag?: string;
  readonly models: ModelsByProvider;
}

/** Reads `cache/model_catalog.json`; undefined for a file that is not there, or is not of this form. */
export const readFetchedCatalogue = (file: string): FetchedCatalogue | undefined => {
  const fields = asRecord(readCacheFile(file));
  if (fields?.["format"] !== FORMAT) return undefined;
  const etag = asText(fields["etag"]);
  return {
    url: asText(fields["url"]) ?? "",
    fetchedAt: asTime(fields["fetched_at"]),
    triedAt: asTime(fields["tried_at"]),
    ...(etag === undefined ? {} : { etag }),
    models: readLineLists(fields["models"]),
  };
};

/** Times are written as people read them. */
const asTime = (value: unknown): number => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : 0;
};

/** Replaces the file. */
export const writeFetchedCatalogue = async (file: string, fetched: FetchedCatalogue): Promise<void> => {
  const { url, fetchedAt, triedAt, etag, models } = fetched;
  const time = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());
  await writeCacheFile(file, {
    format: FORMAT,
    url,
    fetched_at: time(fetchedAt),
    tried_at: time(triedAt),
    ...(etag === undefined ? {} : { etag }),
    models,
  });
};
