import { setKey, unsetKey } from "../../config/edit.ts";
import type { ModelTarget } from "../../llm/model-target.ts";
import { PRACTICE } from "../../llm/practice/practice-id.ts";
import type { Resolution } from "../../llm/resolve/resolve-input.ts";
import type { App } from "../app.ts";

/** What is remembered of a model that was chosen. */
export interface RememberedModel {
  readonly chosen: Exclude<Resolution, { kind: "none" }>;
  /** What the settings mean so far. */
  readonly configured: Resolution;
  /** Set where the choice brought an address of its own, which no setting names yet. */
  readonly baseUrl?: string | undefined;
}

/** Takes out of config.yaml what the `model` section says of the place that answered so far, but for its address where `keepsAddress`. */
export const forgetPlace = (app: App, { keepsAddress }: { readonly keepsAddress: boolean }): Promise<void> =>
  unsetSettings(
    app,
    OF_PLACE.filter((name) => !(keepsAddress && name === "base_url")),
  );

/** Settings of the `model` section about the place that answers, its key above all: they must not go to another one. */
const OF_PLACE = ["base_url", "api_key", "api_mode", "context_length", "max_tokens"] as const;
/** Settings about the model alone. */
const OF_MODEL = ["context_length"] as const;

/** Makes a model the configured one, in config.yaml. Throws what `setKey` throws. */
export const rememberModel = async (app: App, remembered: RememberedModel): Promise<void> => {
  const { chosen, baseUrl } = remembered;
  const target = { home: app.home, clock: app.clock };
  await unsetSettings(app, staleSettings(remembered));
  if (baseUrl !== undefined) await setKey(target, "model.base_url", baseUrl);
  await setKey(target, "model.default", chosen.kind === "practice" ? PRACTICE : chosen.target.model);
  await setKey(target, "model.provider", chosen.kind === "practice" ? PRACTICE : chosen.target.provider);
};

const unsetSettings = async (app: App, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    if (app.config.setting(`model.${name}`)?.from !== "config") continue;
    await unsetKey({ home: app.home, clock: app.clock }, `model.${name}`);
  }
};

const staleSettings = ({ chosen, configured }: RememberedModel): readonly string[] => {
  if (chosen.kind === "practice" || configured.kind !== "model") return OF_PLACE;
  if (!isSamePlace(chosen.target, configured.target)) return OF_PLACE;
  return chosen.target.model === configured.target.model ? [] : OF_MODEL;
};

const isSamePlace = (left: ModelTarget, right: ModelTarget): boolean =>
  left.provider === right.provider && left.baseUrl === right.baseUrl;
