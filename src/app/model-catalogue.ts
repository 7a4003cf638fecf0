import { messageOf } from "../base/app-error.ts";
import { createCatalogue, type Catalogue } from "../llm/catalogue.ts";
import type { Discovery } from "../llm/catalogue/discover/discover-models.ts";
import type { DiscoveredModel } from "../llm/catalogue/discover/discovered-model.ts";
import { LOCAL_PORTS, type FoundServer } from "../llm/catalogue/discover/local-ports.ts";
import {
  endpointKey,
  readEndpointMemory,
  rememberEndpoint,
  type EndpointMemory,
} from "../llm/catalogue/endpoint-memory.ts";
import { readFetchedCatalogue, type FetchedCatalogue } from "../llm/catalogue/fetched-catalogue.ts";
import type { RefreshDeps, RefreshOutcome } from "../llm/catalogue/refresh-catalogue.ts";
import type { HttpClient } from "../llm/http.ts";
import type { ModelTarget } from "../llm/model-target.ts";
import type { App } from "./app.ts";

/** Where models are looked up when the settings name no other address. */
const DEFAULT_CATALOGUE_URL = "https://models.dev/api.json";

/** What one home knows of models, and how it learns more. Nothing is read or asked before it is needed. */
export interface ModelCatalogue {
  readonly catalogue: Catalogue;
  /** What the last refresh brought, and when. */
  readonly fetched: () => FetchedCatalogue | undefined;
  /** Fetches the public catalogue. Throws the signal's reason only. */
  readonly refresh: (signal: AbortSignal) => Promise<RefreshOutcome>;
  /** The same, at most once in `model_catalog.ttl_hours`. */
  readonly refreshIfStale: (signal: AbortSignal) => Promise<RefreshOutcome>;
  /**
   * Starts `refreshIfStale` beside whatever goes on; it ends with the app. For programs that live for a while: what is begun and cut
   * off is begun again by the next one.
   */
  readonly refreshBeside: () => void;
  /** Asks a target's endpoint for its models and remembers their windows. Throws the signal's reason only. */
  readonly discover: (target: ModelTarget, signal: AbortSignal) => Promise<Discovery>;
  /** Looks for servers of models on this machine and remembers their windows. Throws the signal's reason only. */
  readonly localServers: (signal: AbortSignal, ports?: readonly number[]) => Promise<readonly FoundServer[]>;
  /**
   * Asks the server of a target on the owner's own machine for the window that it has loaded, if it stands at one of the usual ports.
   * True = the catalogue knows more than before. Waits for a moment at most.
   */
  readonly learnWindow: (target: ModelTarget) => Promise<boolean>;
}

/** A server on this machine answers in a few milliseconds; a start waits no longer for a busy one. */
const LEARN_DEADLINE_MS = 400;
const MS_PER_HOUR = 3_600_000;

/** Opens the catalogue of a home. `usualPorts` = where servers of models on this machine are looked for. */
export const openModelCatalogue = (
  app: App,
  http: HttpClient,
  usualPorts: readonly number[] = LOCAL_PORTS,
): ModelCatalogue => {
  const { clock } = app;
  const log = app.log.child({ component: "llm" });
  const fetched = remembered(() => readFetchedCatalogue(app.paths.modelCatalog));
  const endpoints = remembered(() => readEndpointMemory(app.paths.endpointModels, clock.now()));
  const discoverDeps = { http, clock, redact: (text: string) => app.redactor.text(text) };

  const remember = async (baseUrl: string, models: readonly DiscoveredModel[]): Promise<void> => {
    try {
      await rememberEndpoint({ file: app.paths.endpointModels, now: clock.now() }, baseUrl, models);
      endpoints.forget();
    } catch (thrown) {
      // A memory that cannot be written costs a question the next time, nothing else.
      log.warn("what an endpoint said cannot be remembered", { why: messageOf(thrown) });
    }
  };
  const discover = async (target: ModelTarget, signal: AbortSignal): Promise<Discovery> => {
    const { discoverModels } = await import("../llm/catalogue/discover/discover-models.ts");
    const found = await discoverModels(discoverDeps, target, signal);
    if (found.kind === "models") await remember(target.baseUrl, found.models);
    return found;
  };

  return {
    catalogue: createCatalogue({
      fetched: () => fetched.read()?.models,
      endpoint: (baseUrl) => linesAt(endpoints.read(), baseUrl),
    }),
    fetched: fetched.read,
    ...refreshing(app, http, fetched.forget),
    discover,
    localServers: async (signal, ports = usualPorts) => {
      const { findLocalServers } = await import("../llm/catalogue/discover/find-local-servers.ts");
      const servers = await findLocalServers(discoverDeps, signal, ports);
      for (const { baseUrl, models } of servers) await remember(baseUrl, models);
      return servers;
    },
    learnWindow: async (target) => {
      const { port } = new URL(target.baseUrl);
      if (!target.local || target.info.contextWindowFrom === "config" || !usualPorts.includes(Number(port)))
        return false;
      using deadline = clock.deadline(LEARN_DEADLINE_MS);
      try {
        return (await discover(target, deadline.signal)).kind === "models";
      } catch (thrown) {
        if (deadline.signal.aborted) return false;
        throw thrown;
      }
    },
  };
};

/** The three ways to a newer catalogue; `forget` drops what was read of the old one. */
const refreshing = (
  app: App,
  http: HttpClient,
  forget: () => void,
): Pick<ModelCatalogue, "refresh" | "refreshIfStale" | "refreshBeside"> => {
  const log = app.log.child({ component: "llm" });
  const run = async (how: "refreshCatalogue" | "refreshIfStale", signal: AbortSignal): Promise<RefreshOutcome> => {
    const refreshers = await import("../llm/catalogue/refresh-catalogue.ts");
    const deps = { http, clock: app.clock, file: app.paths.modelCatalog, settings: settingsOf(app) };
    const outcome = await refreshers[how](deps, signal);
    forget();
    return outcome;
  };
  const runQuietly = async (signal: AbortSignal): Promise<void> => {
    try {
      const outcome = await run("refreshIfStale", signal);
      if (outcome.kind === "failed") log.info("the model catalogue was not refreshed", { why: outcome.why });
    } catch (thrown) {
      if (!signal.aborted) log.warn("refreshing the model catalogue failed", { why: messageOf(thrown) });
    }
  };
  return {
    refresh: (signal) => run("refreshCatalogue", signal),
    refreshIfStale: (signal) => run("refreshIfStale", signal),
    refreshBeside: () => {
      const ended = new AbortController();
      const running = runQuietly(ended.signal);
      app.onClose(async () => {
        ended.abort(new Error("the app is closed"));
        await running;
      });
    },
  };
};

/** A file's content that is read when it is first asked for, and again after it has changed. */
const remembered = <T>(read: () => T): { readonly read: () => T; readonly forget: () => void } => {
  let held: { readonly value: T } | undefined;
  return {
    read: () => {
      held ??= { value: read() };
      return held.value;
    },
    forget: () => {
      held = undefined;
    },
  };
};

const linesAt = (memory: EndpointMemory, baseUrl: string): EndpointMemory[string]["models"] | undefined => {
  const key = endpointKey(baseUrl);
  return Object.hasOwn(memory, key) ? memory[key]?.models : undefined;
};

const settingsOf = (app: App): RefreshDeps["settings"] => {
  const { enabled, url, ttl_hours: hours, providers } = app.config.section("model_catalog");
  const urls = Object.entries(providers).flatMap(([id, entry]) => (entry.url === undefined ? [] : [[id, entry.url]]));
  return {
    enabled,
    url: url ?? DEFAULT_CATALOGUE_URL,
    ttlMs: hours * MS_PER_HOUR,
    providerUrls: Object.fromEntries(urls),
  };
};
