import { isSameModel, type ModelRoute } from "../routing/model-route.ts";
import type { Routes } from "../routing/call-on-routes.ts";
import type { ProviderError } from "../provider-error.ts";
import { resolveFallback, resolveWanted, type FallbackEntry } from "../resolve-model.ts";
import { findProvider } from "./known-providers.ts";
import type { Resolution, ResolveInput, Wanted } from "./resolve-input.ts";

/** `auxiliary.<task>`: who does a small task beside the conversation. Empty texts = not set. */
export interface AuxiliarySettings {
  readonly provider: string;
  readonly model: string;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  /** Longest time of one call, in seconds. */
  readonly timeout: number;
  readonly extra_body?: Readonly<Record<string, unknown>> | undefined;
  readonly fallback_chain?: readonly FallbackEntry[] | undefined;
}

/**
 * The routes of an auxiliary call: who the settings name, else the small model of the conversation's own provider; behind it the
 * task's `fallback_chain`, last the conversation's model. `auto` never reaches for another provider just because a key for it is
 * there: the text goes only where the owner sends it. What cannot be called is passed over.
 */
export const auxiliaryRoutes = (settings: AuxiliarySettings, input: ResolveInput, main: ModelRoute): Routes => {
  const chosen = routesOf(resolveChosen(settings, input, main));
  const chain = (settings.fallback_chain ?? []).flatMap((entry) => routesOf(resolveFallback(entry, input)));
  const [first = main, ...fallbacks] = [...chosen, ...chain, main].map((route) => withSettings(route, settings));
  return { first, fallbacks: () => fallbacks.filter((route) => !isSameModel(route, first)), movesOnAfter };
};

const routesOf = (resolution: Resolution): readonly ModelRoute[] =>
  resolution.kind === "model" ? [resolution.route] : [];

const resolveChosen = (settings: AuxiliarySettings, input: ResolveInput, main: ModelRoute): Resolution => {
  const { base_url: baseUrl, api_key: key } = settings;
  const isAuto = settings.provider === "" || settings.provider.toLowerCase() === "auto";
  const ownPlace = baseUrl === undefined ? main.info.provider : "custom";
  const provider = isAuto ? ownPlace : settings.provider;
  const model = settings.model === "" ? defaultModel(provider, input, main) : settings.model;
  const wanted: Wanted = { provider, model, baseUrl, key, configured: isAuto && baseUrl === undefined };
  return resolveWanted(wanted, input);
};

/** The provider's small model; else, at the conversation's own provider, the conversation's. */
const defaultModel = (provider: string, input: ResolveInput, main: ModelRoute): string | undefined =>
  findProvider(provider, input)?.row?.smallModel ?? (provider === main.info.provider ? main.info.model : undefined);

const withSettings = (route: ModelRoute, { timeout, extra_body: extraBody }: AuxiliarySettings): ModelRoute => ({
  ...route,
  targetWith: (credential) => {
    const target = route.targetWith(credential);
    return {
      ...target,
      requestTimeoutMs: Math.min(target.requestTimeoutMs, timeout * 1000),
      ...(extraBody === undefined ? {} : { extraBody: { ...target.extraBody, ...extraBody } }),
    };
  },
});

/** Compat 4.5: on a lack of money or quota and on lost connections only; a wrong key or name of the owner's is told, not hidden. */
const movesOnAfter = ({ kind }: ProviderError): boolean =>
  kind === "billing" || kind === "rate_limit" || kind === "network" || kind === "stalled" || kind === "timeout";
