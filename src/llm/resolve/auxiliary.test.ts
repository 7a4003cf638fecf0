import { describe, expect, test } from "vitest";
import { resolve, resolveInputOf, type Given } from "../../testing/resolve-rig.ts";
import { keyCredential } from "../credential.ts";
import type { ModelRoute } from "../routing/model-route.ts";
import { auxiliaryRoutes, type AuxiliarySettings } from "./auxiliary.ts";

const KEYS = { OPENROUTER_API_KEY: "or-key", DEEPSEEK_API_KEY: "ds-key", ANTHROPIC_API_KEY: "an-key" };

const routesFor = (given: Given, settings: Partial<AuxiliarySettings> = {}) => {
  const main = resolve(given);
  if (main.kind !== "model") throw new Error(main.kind);
  const auto = { provider: "auto", model: "", timeout: 30 };
  const routes = auxiliaryRoutes({ ...auto, ...settings }, resolveInputOf(given), main.route);
  const nameOf = ({ info }: ModelRoute): string => `${info.provider}:${info.model}`;
  return { routes, names: [routes.first, ...routes.fallbacks()].map(nameOf) };
};

const claude: Given = { model: { default: "claude-opus-4-5", provider: "anthropic" }, environment: KEYS };

describe("who does a small task", () => {
  test.each<[string, Given, Partial<AuxiliarySettings>, readonly string[]]>([
    [
      "auto: the provider's small model, then the conversation's",
      claude,
      {},
      ["anthropic:claude-haiku-4-5", "anthropic:claude-opus-4-5"],
    ],
    [
      "auto at an endpoint of one's own: the conversation's model, whatever keys are there",
      { model: { default: "m", base_url: "http://127.0.0.1:1/v1" }, environment: KEYS },
      {},
      ["custom:m"],
    ],
    [
      "a model at the conversation's provider",
      claude,
      { model: "claude-sonnet-4-5" },
      ["anthropic:claude-sonnet-4-5", "anthropic:claude-opus-4-5"],
    ],
    ["another provider", claude, { provider: "deepseek" }, ["deepseek:deepseek-chat", "anthropic:claude-opus-4-5"]],
    [
      "its chain, of which what cannot be called is passed over",
      claude,
      {
        provider: "openrouter",
        model: "a/b",
        fallback_chain: [
          { provider: "nobody", model: "x" },
          { provider: "zai", model: "glm-4.6" },
          { provider: "deepseek", model: "deepseek-chat" },
        ],
      },
      ["openrouter:a/b", "deepseek:deepseek-chat", "anthropic:claude-opus-4-5"],
    ],
    ["a provider without a key: the conversation's model", claude, { provider: "zai" }, ["anthropic:claude-opus-4-5"]],
  ])("%s", (...[, given, settings, expected]) => {
    expect(routesFor(given, settings).names).toEqual(expected);
  });

  test("an endpoint for the task alone, with its own key, time and members", () => {
    const { routes } = routesFor(claude, {
      base_url: "http://127.0.0.1:9/v1",
      api_key: "own",
      model: "tiny",
      timeout: 12,
      extra_body: { top_p: 0.1 },
    });
    expect(routes.first.targetWith(undefined)).toMatchObject({
      provider: "custom",
      model: "tiny",
      baseUrl: "http://127.0.0.1:9/v1",
      credential: keyCredential("own"),
      requestTimeoutMs: 12_000,
      extraBody: { top_p: 0.1 },
    });
  });

  test("a wrong key or name of the task's own is told; money, quota and connections are not waited for (compat 4.5)", () => {
    const { routes } = routesFor(claude);
    const moves = (kind: "auth" | "model_not_found" | "server" | "billing" | "rate_limit" | "network") =>
      routes.movesOnAfter?.({ kind, message: "" });
    expect((["auth", "model_not_found", "server"] as const).map(moves)).toEqual([false, false, false]);
    expect((["billing", "rate_limit", "network"] as const).map(moves)).toEqual([true, true, true]);
  });
});
