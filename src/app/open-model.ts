import type { AppError } from "../base/app-error.ts";
import { createModelClient, type ModelClientDeps } from "../llm/create-model-client.ts";
import { createTokenEstimator, type TokenEstimator } from "../llm/estimate.ts";
import { createHttpClient, proxySettingsOf } from "../llm/http.ts";
import type { Config } from "../config/schema/config.ts";
import type { ModelClient } from "../llm/model-client.ts";
import { resolveFallback, resolveModel, type Resolution, type ResolveInput } from "../llm/resolve-model.ts";
import { auxiliaryRoutes } from "../llm/resolve/auxiliary.ts";
import { resolveDelegated } from "../llm/resolve/delegated.ts";
import { isSameModel, type ModelRoute } from "../llm/routing/model-route.ts";
import type { App } from "./app.ts";
import { openModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { openCredentials, type Credentials } from "./open-credentials.ts";
import { openSpending, type Spending } from "./open-spend.ts";

/** A task that `auxiliary` has settings for. */
export type AuxiliaryTask = keyof Config["auxiliary"];

/** Makes clients for the models of one home; they share connections. */
export interface Models {
  readonly estimator: TokenEstimator;
  readonly catalogue: ModelCatalogue;
  readonly credentials: Credentials;
  readonly spending: Spending;
  /** Which model the settings and flags mean. */
  readonly resolve: (flags: {
    readonly model?: string | undefined;
    readonly provider?: string | undefined;
  }) => Resolution;
  /** The entries of `fallback_providers`, those that cannot be called included. */
  readonly fallbacks: () => readonly ConfiguredFallback[];
  /** How an address that no setting names yet would be called, as an endpoint of the owner's own; `none` = it is no address. */
  readonly resolveAt: (baseUrl: string) => Resolution;
  /** A client of a resolved model, with the configured fallbacks behind it; `alone` = without them. */
  readonly clientFor: (route: ModelRoute, options?: { readonly alone: boolean }) => ModelClient;
  /** The client for a small task beside a conversation; the conversation's own where the settings name no other. */
  readonly auxiliary: (task: AuxiliaryTask, main: ModelClient) => ModelClient;
  /** The client of sub-agents: who `delegation` names, without fallbacks; `main` where it names nobody. */
  readonly delegated: (main: ModelClient) => Promise<ChosenModel>;
  /**
   * For surfaces that live for a while: starts the refresh of the public catalogue beside the first call of a model that is not on the
   * owner's own network. Again and again is harmless.
   */
  readonly refreshBeside: (client: ModelClient) => void;
  /** The embedded practice model. */
  readonly practice: () => Promise<ModelClient>;
}

/** A client, or why there is none. */
export type ChosenModel =
  | { readonly kind: "model"; readonly client: ModelClient }
  | { readonly kind: "none"; readonly error: AppError };

/** A name that no provider has, for asking how an address is called. */
const ANY_MODEL = "any";

/** Nothing is connected before the first call. */
export const createModels = (app: App): Models => {
  const estimator = createTokenEstimator();
  const http = createHttpClient({
    forceIpv4: app.config.section("network").force_ipv4,
    proxy: proxySettingsOf(app.environment),
    extraCaFile: app.environment["NODE_EXTRA_CA_CERTS"],
  });
  app.onClose(() => http.close());
  const credentials = openCredentials(app, { http });
  const { pool } = credentials;
  const spending = openSpending(app);
  const catalogue = openModelCatalogue(app, http);
  const inputFor = (flags: ResolveInput["flags"]): ResolveInput => ({
    config: {
      model: app.config.section("model"),
      providers: app.config.section("providers"),
      model_aliases: app.config.section("model_aliases"),
      bedrock: app.config.section("bedrock"),
      agent: app.config.section("agent"),
      environment: app.config.section("environment"),
    },
    flags,
    variable: (name) => app.config.secret(name),
    peek: (name) => pool.peek(name),
    catalogue: catalogue.catalogue,
    rows: app.providerRows,
  });
  const deps = clientDeps(app, { http, estimator, pool, ledger: spending.ledger });
  let isRefreshing = false;
  const routes = new WeakMap<ModelClient, ModelRoute>();
  let fallbacks: readonly ModelRoute[] | undefined;
  const fallbacksOf = (route: ModelRoute): readonly ModelRoute[] => {
    fallbacks ??= fallbackRoutes(app, inputFor({}));
    return fallbacks.filter((fallback) => !isSameModel(fallback, route));
  };
  const models: Models = {
    estimator,
    catalogue,
    credentials,
    spending,
    resolve: (flags) => withVaultProblem(resolveModel(inputFor(flags)), credentials),
    resolveAt: (baseUrl) => resolveFallback({ provider: "custom", model: ANY_MODEL, base_url: baseUrl }, inputFor({})),
    fallbacks: () => configuredFallbacks(app, inputFor({})),
    clientFor: (route, { alone } = { alone: false }) => {
      const client = createModelClient(deps, { first: route, fallbacks: () => (alone ? [] : fallbacksOf(route)) });
      routes.set(client, route);
      return client;
    },
    auxiliary: (task, main) => {
      const route = routes.get(main);
      if (route === undefined) return main;
      const auxiliary = auxiliaryRoutes(app.config.section("auxiliary")[task], inputFor({}), route);
      return isSameModel(auxiliary.first, route) ? main : createModelClient(deps, auxiliary);
    },
    refreshBeside: (client) => {
      if (isRefreshing || routes.get(client)?.targetWith(undefined).local !== false) return;
      isRefreshing = true;
      catalogue.refreshBeside();
    },
    delegated: (main) => {
      const settings = app.config.section("delegation");
      const resolve = (): Resolution | undefined => {
        const resolution = resolveDelegated(settings, inputFor({}), main.info);
        return resolution && withVaultProblem(resolution, credentials);
      };
      return delegatedModel(models, main, resolve);
    },
    practice: async () => {
      const { createPracticeModel } = await import("../llm/practice/practice-model.ts");
      return createPracticeModel();
    },
  };
  return models;
};

const clientDeps = (
  app: App,
  parts: Pick<ModelClientDeps, "http" | "estimator" | "pool" | "ledger">,
): ModelClientDeps => ({
  ...parts,
  clock: app.clock,
  loadImage: async (hash) => await (await app.store()).blobs.get(hash),
  log: app.log.child({ component: "llm" }),
  redact: (text) => app.redactor.text(text),
  random: Math.random,
});

/** The model of sub-agents: the one that the settings name for them, else the caller's. */
const delegatedModel = async (
  models: Models,
  main: ModelClient,
  resolve: () => Resolution | undefined,
): ReturnType<Models["delegated"]> => {
  const first = resolve();
  if (first === undefined) return { kind: "model", client: main };
  const learned = first.kind === "model" && (await models.catalogue.learnWindow(first.target));
  const resolution = learned ? (resolve() ?? first) : first;
  switch (resolution.kind) {
    case "model":
      return { kind: "model", client: models.clientFor(resolution.route, { alone: true }) };
    case "practice":
      return { kind: "model", client: await models.practice() };
    case "none":
      return resolution;
  }
};

/** A key that seems to be missing may stand in a file that cannot be read: that is the reason then. */
const withVaultProblem = (resolution: Resolution, { problem }: Credentials): Resolution => {
  if (resolution.kind !== "none" || !MISSING_CREDENTIAL.has(resolution.error.code)) return resolution;
  return { kind: "none", error: problem() ?? resolution.error };
};

const MISSING_CREDENTIAL: ReadonlySet<string> = new Set(["llm.no_key", "llm.no_login", "llm.no_model"]);

/** One entry of `fallback_providers`: what it is called by, or why it is passed over. */
export interface ConfiguredFallback {
  readonly name: string;
  readonly route: ModelRoute | undefined;
  readonly why: string | undefined;
}

const configuredFallbacks = (app: App, input: ResolveInput): readonly ConfiguredFallback[] =>
  app.config.section("fallback_providers").map((entry) => {
    const name = `${entry.provider}:${entry.model}`;
    const resolution = resolveFallback(entry, input);
    if (resolution.kind === "model") return { name, route: resolution.route, why: undefined };
    const why = resolution.kind === "none" ? resolution.error.message : "the practice model takes over for none";
    return { name, route: undefined, why };
  });

/** The configured fallbacks that can be called; of the others the log says why not. */
const fallbackRoutes = (app: App, input: ResolveInput): readonly ModelRoute[] =>
  configuredFallbacks(app, input).flatMap(({ name, route, why }) => {
    if (why !== undefined) app.log.warn(`the fallback ${name} is passed over: ${why}`);
    return route === undefined ? [] : [route];
  });

/** The client that answers. The practice model stands in only where it may, and only if nothing at all is configured. */
export const chooseModel = async (
  models: Models,
  wanted: {
    readonly model?: string | undefined;
    readonly provider?: string | undefined;
    readonly practiceAllowed: boolean;
  },
): Promise<ChosenModel> => {
  const first = models.resolve(wanted);
  const learned = first.kind === "model" && (await models.catalogue.learnWindow(first.target));
  const resolution = learned ? models.resolve(wanted) : first;
  switch (resolution.kind) {
    case "model":
      return { kind: "model", client: models.clientFor(resolution.route) };
    case "practice":
      return { kind: "model", client: await models.practice() };
    case "none": {
      const isUnconfigured = resolution.error.code === "llm.no_model";
      if (isUnconfigured && wanted.practiceAllowed) return { kind: "model", client: await models.practice() };
      return { kind: "none", error: resolution.error };
    }
  }
};
