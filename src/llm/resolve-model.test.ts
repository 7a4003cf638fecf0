import { describe, expect, test } from "vitest";
import type { Config } from "../config/schema/config.ts";
import { refusal, resolve, resolveInputOf, target, type Given } from "../testing/resolve-rig.ts";
import type { ModelTarget } from "./model-target.ts";
import { keyCredential, NO_CREDENTIAL } from "./credential.ts";
import { resolveFallback } from "./resolve-model.ts";

const KEYS = { OPENROUTER_API_KEY: "or-key", DEEPSEEK_API_KEY: "ds-key", OPENAI_API_KEY: "oa-key" };
const entry = (changes: Partial<Config["providers"][string]>): Config["providers"][string] => ({
  models: {},
  ...changes,
});

describe("which provider and model", () => {
  const cases: readonly [string, Given, string, string][] = [
    [
      "auto takes the first provider of the table that has a key",
      { model: { default: "m" }, environment: KEYS },
      "openrouter",
      "m",
    ],
    [
      "auto passes over what has none",
      { model: { default: "m" }, environment: { DEEPSEEK_API_KEY: "k" } },
      "deepseek",
      "m",
    ],
    [
      "a configured provider",
      { model: { default: "deepseek-chat", provider: "deepseek" }, environment: KEYS },
      "deepseek",
      "deepseek-chat",
    ],
    [
      "a configured host of many makers keeps the slash",
      { model: { default: "deepseek/deepseek-chat", provider: "openrouter" }, environment: KEYS },
      "openrouter",
      "deepseek/deepseek-chat",
    ],
    [
      "provider/model under auto",
      { model: { default: "deepseek/deepseek-chat" }, environment: KEYS },
      "deepseek",
      "deepseek-chat",
    ],
    [
      "maker/model under auto when only OpenRouter has a key",
      { model: { default: "anthropic/claude-sonnet-4.5" }, environment: KEYS },
      "openrouter",
      "anthropic/claude-sonnet-4.5",
    ],
    [
      "provider:model wins over the configured provider",
      {
        model: { default: "x", provider: "openrouter" },
        flags: { model: "deepseek:deepseek-chat" },
        environment: KEYS,
      },
      "deepseek",
      "deepseek-chat",
    ],
    [
      "a colon in a model's name is none of that",
      { model: { default: "llama3:8b", provider: "ollama" } },
      "ollama",
      "llama3:8b",
    ],
    [
      "the own prefix is taken off",
      { flags: { model: "deepseek/deepseek-chat", provider: "deepseek" }, environment: KEYS },
      "deepseek",
      "deepseek-chat",
    ],
    [
      "-m beats the configuration",
      { model: { default: "a", provider: "deepseek" }, flags: { model: "b" }, environment: KEYS },
      "deepseek",
      "b",
    ],
    [
      "--provider beats the configuration",
      {
        model: { default: "a", provider: "deepseek" },
        flags: { provider: "openrouter", model: "b/c" },
        environment: KEYS,
      },
      "openrouter",
      "b/c",
    ],
    [
      "an alias",
      {
        aliases: { fast: { model: "deepseek-chat", provider: "deepseek" } },
        flags: { model: "fast" },
        environment: KEYS,
      },
      "deepseek",
      "deepseek-chat",
    ],
    [
      "a name that every object has as a member, and no alias",
      { flags: { provider: "deepseek", model: "constructor" }, environment: KEYS },
      "deepseek",
      "constructor",
    ],
    [
      "an alias of an alias",
      {
        aliases: { a: { model: "b" }, b: { model: "deepseek-chat", provider: "deepseek" } },
        flags: { model: "a" },
        environment: KEYS,
      },
      "deepseek",
      "deepseek-chat",
    ],
    [
      "an alias of maker/model at a host of many makers",
      {
        model: { provider: "openrouter" },
        aliases: { s: { model: "claude-sonnet-4.5", provider: "anthropic" } },
        flags: { model: "s" },
        environment: KEYS,
      },
      "openrouter",
      "anthropic/claude-sonnet-4.5",
    ],
    [
      "an entry of one's own, with its one model",
      {
        providers: { mine: entry({ base_url: "http://127.0.0.1:9/v1", models: { big: {} } }) },
        model: { provider: "mine" },
      },
      "mine",
      "big",
    ],
    [
      "an entry's default model",
      {
        providers: { mine: entry({ base_url: "http://h/v1", default_model: "d", models: { a: {}, b: {} } }) },
        model: { provider: "mine" },
      },
      "mine",
      "d",
    ],
    [
      "custom:<name>",
      {
        providers: { "my-box": entry({ base_url: "http://127.0.0.1:9/v1", default_model: "d" }) },
        model: { provider: "custom:My Box" },
      },
      "my-box",
      "d",
    ],
    [
      "custom:<name>/model",
      { providers: { box: entry({ base_url: "http://127.0.0.1:9/v1" }) }, flags: { model: "custom:box/qwen/q3" } },
      "box",
      "qwen/q3",
    ],
    [
      "the name of an entry with blanks, as its pool of keys is named",
      { providers: { "My Box": entry({ base_url: "http://127.0.0.1:9/v1" }) }, flags: { model: "custom:my-box/m" } },
      "My Box",
      "m",
    ],
    [
      "name/model of an entry wins over the configured provider",
      {
        providers: { box: entry({ base_url: "http://127.0.0.1:9/v1" }) },
        model: { provider: "openrouter", default: "z" },
        flags: { model: "box/m" },
        environment: KEYS,
      },
      "box",
      "m",
    ],
    [
      "base_url alone is a custom endpoint",
      { model: { default: "q", base_url: "http://127.0.0.1:8000/v1" } },
      "custom",
      "q",
    ],
  ];
  test.each(cases)("%s", (...[, given, provider, model]) => {
    expect(target(given)).toMatchObject({ provider, model });
  });

  test("practice is asked for by name, as provider or model", () => {
    expect(resolve({ model: { provider: "practice" } }).kind).toBe("practice");
    expect(resolve({ flags: { model: "practice" }, environment: KEYS }).kind).toBe("practice");
    expect(resolve({ flags: { provider: "practice" }, model: { provider: "deepseek" } }).kind).toBe("practice");
  });
});

describe("where and with which key", () => {
  test("the row's address, its variable, the entry, model.base_url, in rising order", () => {
    const base = { model: { default: "m", provider: "deepseek" }, environment: KEYS };
    const variable = { ...KEYS, DEEPSEEK_BASE_URL: "http://one/v1/" };
    const providers = { deepseek: entry({ base_url: "http://two/v1" }) };
    expect(target(base).baseUrl).toBe("https://api.deepseek.com/v1");
    expect(target({ ...base, environment: variable }).baseUrl).toBe("http://one/v1");
    expect(target({ ...base, environment: variable, providers }).baseUrl).toBe("http://two/v1");
    const own = { ...base.model, base_url: "http://three/v1/chat/completions" };
    expect(target({ ...base, model: own, environment: variable, providers }).baseUrl).toBe("http://three/v1");
  });

  test("keys: the row's variables in order, the entry's own, the variable it names, model.api_key", () => {
    const zai = { model: { default: "glm-4.6", provider: "zai" } };
    expect(target({ ...zai, environment: { ZAI_API_KEY: "b", Z_AI_API_KEY: "c" } }).credential).toEqual(
      keyCredential("b"),
    );
    expect(
      target({ ...zai, providers: { zai: entry({ api_key: " own " }) }, environment: { ZAI_API_KEY: "b" } }).credential,
    ).toEqual(keyCredential("own"));
    const named = { ...zai, providers: { zai: entry({ key_env: "MINE" }) } };
    expect(target({ ...named, environment: { MINE: "m", ZAI_API_KEY: "b" } }).credential).toEqual(keyCredential("m"));
    expect(refusal({ ...named, environment: { ZAI_API_KEY: "b" } }).message).toContain("MINE");
    expect(
      target({ model: { ...zai.model, api_key: "direct" }, environment: { ZAI_API_KEY: "b" } }).credential,
    ).toEqual(keyCredential("direct"));
  });

  test("model.api_key and model.base_url follow their own provider only", () => {
    const model = { default: "m", provider: "mine", api_key: "secret", base_url: "http://mine/v1" };
    const providers = { mine: entry({}) };
    const other = target({ model, providers, flags: { provider: "deepseek", model: "x" }, environment: KEYS });
    expect(other).toMatchObject({
      baseUrl: "https://api.deepseek.com/v1",
      credential: { kind: "key", value: "ds-key" },
    });
    const auto = target({ model: { default: "m", api_key: "secret" }, environment: KEYS });
    expect(auto.credential).toEqual(keyCredential("or-key"));
    const alias = target({
      model,
      providers,
      aliases: { there: { model: "x", base_url: "http://there/v1" } },
      flags: { model: "there", provider: "custom" },
    });
    expect(alias).toMatchObject({ baseUrl: "http://there/v1", credential: { kind: "none" } });
  });

  test("an endpoint of one's own gets no provider's key", () => {
    expect(
      target({ model: { default: "m", base_url: "https://elsewhere.example/v1" }, environment: KEYS }).credential,
    ).toEqual(NO_CREDENTIAL);
  });

  test.each([
    ["a local server needs no key", { model: { default: "m", provider: "lmstudio" } }, undefined, true],
    [
      "and uses one that is set",
      { model: { default: "m", provider: "lmstudio" }, environment: { LM_API_KEY: "k" } },
      "k",
      true,
    ],
    [
      "nor a provider behind a local address",
      { model: { default: "m", provider: "openai-api", base_url: "http://10.0.0.5/v1" } },
      undefined,
      true,
    ],
  ])("%s", (...[, given, key, local]) => {
    expect(target(given)).toMatchObject({ credential: keyCredential(key), local });
  });
});

describe("times, sizes, attempts", () => {
  test("R-TIME-2 R-TIME-3 the model's setting, then the provider's, then the variable, then the default", () => {
    const given: Given = {
      model: { default: "m", provider: "p" },
      times: { request_timeout_seconds: 30, stale_timeout_seconds: 3 },
    };
    const at = (changes: Partial<Config["providers"][string]>): ModelTarget =>
      target({ ...given, providers: { p: entry({ base_url: "http://127.0.0.1/v1", ...changes }) } });
    expect(at({})).toMatchObject({ requestTimeoutMs: 30_000, staleTimeoutMs: 3_000 });
    const own = { request_timeout_seconds: 20, stale_timeout_seconds: 2.5 };
    expect(at(own)).toMatchObject({ requestTimeoutMs: 20_000, staleTimeoutMs: 2_500 });
    expect(at({ ...own, models: { m: { timeout_seconds: 10, stale_timeout_seconds: 1 } } })).toMatchObject({
      requestTimeoutMs: 10_000,
      staleTimeoutMs: 1_000,
    });
    const plain = target({ ...given, times: {}, providers: { p: entry({ base_url: "http://127.0.0.1/v1" }) } });
    expect(plain.requestTimeoutMs).toBe(1_800_000);
    expect(plain.staleTimeoutMs).toBeUndefined();
  });

  test.each([0, -1, Number.POSITIVE_INFINITY, Number.NaN, true as unknown as number])(
    "B18 R-TIME-2 a time of %s is dropped",
    (bad) => {
      const providers = {
        p: entry({ base_url: "http://127.0.0.1/v1", request_timeout_seconds: bad, stale_timeout_seconds: bad }),
      };
      const found = target({ model: { default: "m", provider: "p" }, providers });
      expect(found.requestTimeoutMs).toBe(1_800_000);
      expect(found.staleTimeoutMs).toBeUndefined();
    },
  );

  test("the window: the entry's model, model.context_length, the entry, the catalogue, an assumption", () => {
    const windowOf = (given: Given): unknown => {
      const { contextWindow, contextWindowFrom } = target(given).info;
      return [contextWindow, contextWindowFrom];
    };
    const model = { default: "deepseek-chat", provider: "deepseek" };
    expect(windowOf({ model, environment: KEYS })).toEqual([128_000, "catalogue"]);
    expect(windowOf({ model: { ...model, default: "new-thing" }, environment: KEYS })).toEqual([256_000, "assumed"]);
    const providers = { deepseek: entry({ context_length: 9_000 }) };
    expect(windowOf({ model, providers, environment: KEYS })).toEqual([9_000, "config"]);
    expect(windowOf({ model: { ...model, context_length: 8_000 }, providers, environment: KEYS })).toEqual([
      8_000,
      "config",
    ]);
    expect(
      windowOf({
        model: { ...model, context_length: 8_000 },
        flags: { model: "deepseek-reasoner" },
        environment: KEYS,
      }),
    ).toEqual([128_000, "catalogue"]);
    const single = {
      deepseek: entry({ context_length: 9_000, models: { "deepseek-chat": { context_length: 7_000 } } }),
    };
    expect(windowOf({ model: { ...model, context_length: 8_000 }, providers: single, environment: KEYS })).toEqual([
      7_000,
      "config",
    ]);
  });

  test.each([
    [0, 1],
    [1, 1],
    [3, 3],
  ])("api_max_retries %i: %i attempts", (retries, attempts) => {
    expect(target({ model: { default: "m", provider: "ollama" }, retries }).maxAttempts).toBe(attempts);
  });

  test("max_tokens and extra_body reach the target", () => {
    const providers = { p: entry({ base_url: "http://127.0.0.1/v1", extra_body: { top_k: 5 } }) };
    expect(target({ model: { default: "m", provider: "p", max_tokens: 77 }, providers })).toMatchObject({
      maxOutputTokens: 77,
      extraBody: { top_k: 5 },
    });
  });
});

describe("refusals", () => {
  test.each([
    ["nothing at all", {}, "llm.no_model", "hermes auth add PROVIDER"],
    ["no key", { model: { default: "m", provider: "deepseek" } }, "llm.no_key", "hermes auth add deepseek"],
    [
      "no key, by its variable",
      { model: { default: "m", provider: "deepseek" } },
      "llm.no_key",
      "set DEEPSEEK_API_KEY",
    ],
    ["no model's name", { model: { provider: "openrouter" }, environment: KEYS }, "llm.no_model_name", "model.default"],
    [
      "a slip in the provider",
      { model: { default: "m", provider: "openruoter" } },
      "llm.unknown_provider",
      "hermes auth list --all",
    ],
    ["custom without an address", { model: { default: "m", provider: "custom" } }, "llm.no_base_url", "model.base_url"],
    [
      "an entry without an address",
      { model: { default: "m", provider: "p" }, providers: { p: entry({}) } },
      "llm.no_base_url",
      "providers.p.base_url",
    ],
    [
      "an address with a login",
      { model: { default: "m", base_url: "https://me:pw@host/v1" } },
      "llm.bad_base_url",
      "https",
    ],
    ["an address that is none", { model: { default: "m", base_url: "localhost:8000" } }, "llm.bad_base_url", "https"],
    [
      "a circle of aliases",
      { aliases: { a: { model: "b" }, b: { model: "a" } }, flags: { model: "a" } },
      "llm.alias_loop",
      "model_aliases",
    ],
  ] as readonly [string, Given, string, string][])("%s", (...[, given, code, hint]) => {
    const error = refusal(given);
    expect(error.code).toBe(code);
    expect(error.hint).toContain(hint);
    expect(error.message).not.toContain("pw");
  });

  test("a fallback that names its variable takes no other key, so none is offered", () => {
    const found = resolveFallback({ provider: "deepseek", model: "m", key_env: "SPARE_KEY" }, resolveInputOf({}));
    expect(found).toMatchObject({ kind: "none", error: { code: "llm.no_key" } });
    const hint = found.kind === "none" ? found.error.hint : "";
    expect(hint).toContain("hermes config set SPARE_KEY");
    expect(hint).not.toContain("auth add");
  });

  test("the nearest provider is named", () => {
    expect(refusal({ model: { default: "m", provider: "openruoter" } }).message).toContain("mean openrouter?");
  });
});
