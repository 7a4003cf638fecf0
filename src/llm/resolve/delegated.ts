import type { WireId } from "../message.ts";
import type { ModelInfo } from "../model-info.ts";
import { resolveWanted } from "../resolve-model.ts";
import type { Resolution, ResolveInput } from "./resolve-input.ts";

/** The part of `delegation` that says which model sub-agents have. Empty texts = not set. */
export interface DelegatedSettings {
  readonly model: string;
  readonly provider: string;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly api_mode?: WireId | undefined;
}

/**
 * The model of sub-agents; undefined = that of the conversation, `main`. What is not named is the conversation's: a model alone is one
 * of its provider, an address alone is an endpoint of the owner's own. Pure.
 */
export const resolveDelegated = (
  { model, provider, base_url: baseUrl, api_key: key, api_mode: wire }: DelegatedSettings,
  input: ResolveInput,
  main: ModelInfo,
): Resolution | undefined => {
  if (model === "" && provider === "" && baseUrl === undefined) return undefined;
  const isOwn = provider === "" || provider.toLowerCase() === "auto";
  const ownPlace = baseUrl === undefined ? main.provider : "custom";
  const place = isOwn ? ownPlace : provider;
  const own = place === main.provider && baseUrl === undefined ? main.model : undefined;
  const configured = isOwn && baseUrl === undefined;
  return resolveWanted({ provider: place, model: model === "" ? own : model, baseUrl, key, wire, configured }, input);
};
