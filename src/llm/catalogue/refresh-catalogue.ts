import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/app-error.ts";
import type { HttpClient } from "../http.ts";
import { askJson } from "./discover/ask-json.ts";
import { readFetchedCatalogue, writeFetchedCatalogue, type FetchedCatalogue } from "./fetched-catalogue.ts";
import { readModelsDev, type ModelsByProvider } from "./read-models-dev.ts";

/** `model_catalog` of the settings. */
export interface CatalogueSettings {
  readonly enabled: boolean;
  readonly url: string;
  readonly ttlMs: number;
  /** Other addresses for single providers, by the provider's id. */
  readonly providerUrls: Readonly<Record<string, string>>;
}

/** What a refresh is made with. */
export interface RefreshDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** `cache/model_catalog.json` of the home. */
  readonly file: string;
  readonly settings: CatalogueSettings;
}

/** What became of a refresh. Whatever it was, the catalogue is at least as good as before. */
export type RefreshOutcome =
  | { readonly kind: "refreshed"; readonly providers: number; readonly models: number }
  /** The server says that what is there is current. */
  | { readonly kind: "unchanged" }
  /** It was asked less than `model_catalog.ttl_hours` ago. */
  | { readonly kind: "fresh" }
  | { readonly kind: "disabled" }
  | { readonly kind: "failed"; readonly why: string };

const DEADLINE_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Fetches the public catalogue and keeps what concerns this program's providers. A download that is cut, too large, too slow or of
 * another form changes nothing but the time of the attempt. Throws the signal's reason only.
 */
export const refreshCatalogue = async (deps: RefreshDeps, signal: AbortSignal): Promise<RefreshOutcome> => {
  const { settings, file } = deps;
  if (!settings.enabled) return { kind: "disabled" };
  const before = readFetchedCatalogue(file);
  const etag = before?.url === settings.url ? before.etag : undefined;
  const main = await fetchModels(deps, { url: settings.url, etag }, signal);
  if (main.kind === "failed") return await failed(deps, before, main.why);
  const overrides = await fetchOverrides(deps, signal);
  if (overrides.kind === "failed") return await failed(deps, before, overrides.why);
  const base = main.kind === "unchanged" ? (before?.models ?? {}) : main.models;
  const models = { ...base, ...overrides.models };
  const now = deps.clock.now();
  const newEtag = main.kind === "unchanged" ? etag : main.etag;
  const wrote = await write(file, {
    url: settings.url,
    fetchedAt: now,
    triedAt: now,
    ...(newEtag === undefined ? {} : { etag: newEtag }),
    models,
  });
  if (wrote !== undefined) return { kind: "failed", why: wrote };
  if (main.kind === "unchanged" && Object.keys(overrides.models).length === 0) return { kind: "unchanged" };
  const lists = Object.values(models);
  return { kind: "refreshed", providers: lists.length, models: lists.reduce((sum, list) => sum + list.length, 0) };
};

/**
 * The same, at most once in `model_catalog.ttl_hours`, whether it succeeds or not. Meant to run beside a call, never before one:
 * the caller does not wait for it, and stops it with the signal when it closes.
 */
export const refreshIfStale = async (deps: RefreshDeps, signal: AbortSignal): Promise<RefreshOutcome> => {
  if (!deps.settings.enabled) return { kind: "disabled" };
  const before = readFetchedCatalogue(deps.file);
  const age = deps.clock.now() - (before?.triedAt ?? 0);
  // A time in the future is a wrong clock's.
  if (before !== undefined && before.url === deps.settings.url && age >= 0 && age < deps.settings.ttlMs) {
    return { kind: "fresh" };
  }
  return await refreshCatalogue(deps, signal);
};

type Fetched =
  | { readonly kind: "models"; readonly models: ModelsByProvider; readonly etag: string | undefined }
  | { readonly kind: "unchanged" }
  | { readonly kind: "failed"; readonly why: string };

const fetchModels = async (
  deps: RefreshDeps,
  { url, etag }: { readonly url: string; readonly etag: string | undefined },
  signal: AbortSignal,
): Promise<Fetched> => {
  const headers = { accept: "application/json", ...(etag === undefined ? {} : { "if-none-match": etag }) };
  const answer = await askJson(deps, { url, headers, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES }, signal);
  switch (answer.kind) {
    case "failed":
      return { kind: "failed", why: answer.error.message };
    case "refused":
      return { kind: "failed", why: refusal(url, answer.status, answer.headers.get("location")) };
    case "unchanged":
      return etag === undefined ? { kind: "failed", why: "the server sent nothing" } : { kind: "unchanged" };
    case "json": {
      const models = readModelsDev(answer.value);
      if (Object.keys(models).length > 0) {
        return { kind: "models", models, etag: answer.headers.get("etag") ?? undefined };
      }
      return { kind: "failed", why: `${hostOf(url)} sent no catalogue of models.dev's form` };
    }
  }
};

const fetchOverrides = async (
  deps: RefreshDeps,
  signal: AbortSignal,
): Promise<
  { readonly kind: "models"; readonly models: ModelsByProvider } | { readonly kind: "failed"; readonly why: string }
> => {
  const found: Record<string, ModelsByProvider[string]> = {};
  for (const [provider, url] of Object.entries(deps.settings.providerUrls)) {
    const answer = await fetchModels(deps, { url, etag: undefined }, signal);
    if (answer.kind === "failed") return answer;
    const lines = answer.kind === "models" ? answer.models[provider] : undefined;
    if (lines === undefined) return { kind: "failed", why: `${hostOf(url)} lists no models of ${provider}` };
    found[provider] = lines;
  }
  return { kind: "models", models: found };
};

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "the address");

const refusal = (url: string, status: number, location: string | null): string => {
  const moved = status < 400 && location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  const where = moved === undefined ? "" : `; it has moved to ${moved.origin}${moved.pathname}`;
  return `${hostOf(url)} answered with status ${status}${where}`;
};

const failed = async (
  deps: RefreshDeps,
  before: FetchedCatalogue | undefined,
  why: string,
): Promise<RefreshOutcome> => {
  const { clock, file, settings } = deps;
  const kept = before?.url === settings.url ? before : { fetchedAt: 0, models: before?.models ?? {} };
  // That it was tried is a help, no more: the reason of the failure is what counts.
  await write(file, { ...kept, url: settings.url, triedAt: clock.now() });
  return { kind: "failed", why };
};

/** Why it could not be written; undefined = it was. */
const write = async (file: string, fetched: FetchedCatalogue): Promise<string | undefined> => {
  try {
    await writeFetchedCatalogue(file, fetched);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
};
