import { expect, test } from "vitest";
import { configSchema } from "../../config/schema/config.ts";
import { resolveInputOf, type Given } from "../../testing/resolve-rig.ts";
import type { ModelInfo } from "../model-info.ts";
import type { ModelTarget } from "../model-target.ts";
import { resolveDelegated, type DelegatedSettings } from "./delegated.ts";

const MAIN: ModelInfo = {
  provider: "openrouter",
  model: "acme/large",
  wire: "chat_completions",
  contextWindow: 100_000,
  contextWindowFrom: "config",
};
const KEYS = { OPENROUTER_API_KEY: "or-key", ANTHROPIC_API_KEY: "an-key" };

const delegated = (settings: Partial<DelegatedSettings>, given: Given = {}, main = MAIN) =>
  resolveDelegated(
    { ...configSchema.parse({}).delegation, ...settings },
    resolveInputOf({ environment: KEYS, ...given }),
    main,
  );
const targetOf = (...given: Parameters<typeof delegated>): ModelTarget => {
  const resolution = delegated(...given);
  if (resolution?.kind !== "model") throw new Error(`resolved to ${resolution?.kind}`);
  return resolution.target;
};

test("compat 3.2 delegation: nothing set means the conversation's model", () => {
  expect(delegated({})).toBeUndefined();
  expect(delegated({ api_key: "unused" })).toBeUndefined();
});

test("a model alone is one of the conversation's provider, not of the configured one", () => {
  const given: Given = { model: { provider: "anthropic", default: "claude-opus-4.5" } };
  expect(targetOf({ model: "acme/small" }, given)).toMatchObject({ provider: "openrouter", model: "acme/small" });
});

test("a provider alone needs a model, unless it is the conversation's own", () => {
  expect(targetOf({ provider: "openrouter" })).toMatchObject({ provider: "openrouter", model: "acme/large" });
  expect(targetOf({ provider: "anthropic", model: "claude-haiku-4.5" })).toMatchObject({ provider: "anthropic" });
  expect(delegated({ provider: "anthropic" })).toMatchObject({ kind: "none", error: { code: "llm.no_model_name" } });
  expect(delegated({ provider: "nobody", model: "x" })).toMatchObject({ kind: "none" });
});

test("an address is called with its own key and format, never with the key of another place", () => {
  const given: Given = { model: { provider: "custom", base_url: "http://main.test/v1", api_key: "main-key" } };
  const place = { model: "m", base_url: "http://small.test/v1" };
  const withKey = targetOf({ ...place, api_key: "own", api_mode: "anthropic_messages" }, given);
  expect(withKey).toMatchObject({
    provider: "custom",
    model: "m",
    baseUrl: "http://small.test/v1",
    wire: "anthropic_messages",
  });
  expect(JSON.stringify(withKey.credential)).toContain("own");
  expect(JSON.stringify(targetOf(place, given).credential)).not.toContain("main-key");
});

test("in practice sub-agents practise too, whatever model is named", () => {
  const main: ModelInfo = { ...MAIN, provider: "practice", model: "practice", wire: "practice" };
  expect(delegated({ model: "x" }, {}, main)).toEqual({ kind: "practice" });
});
