import { describe, expect, test } from "vitest";
import { den, openModelBench as bench, startDen, withKey } from "../../../testing/model-bench.ts";
import { startPathServer, type PathAnswer } from "../../../testing/path-server.ts";
import { startScriptedProvider } from "../../../testing/scripted-provider/scripted-provider.ts";
import { modelList } from "./list.ts";
import { modelRefresh } from "./refresh.ts";
import { modelSet } from "./set.ts";
import { showModel } from "./show.ts";
import { modelTest } from "./test-model.ts";

const list = { local: false, json: false };

describe("hermes model list", () => {
  test("the models of every provider that has a key, from the catalogue, as people and as programs read them", async () => {
    await using it = bench({ ...withKey, config: "model: {default: gpt-5.4, provider: openai-api}\n" });
    expect(await modelList(it.context, list)).toBe(0);
    expect(it.stdout()).toMatch(/^\* +openai-api +gpt-5\.4 +1\.1M +\$2\.5 \/ \$15 \+ +tools, images, reasoning$/m);
    expect(it.stdout()).not.toContain("claude");
    await using json = bench(withKey);
    await modelList(json.context, { ...list, json: true, search: "GPT 5.4-nano" });
    expect(JSON.parse(json.stdout())).toEqual([
      {
        provider: "openai-api",
        model: "gpt-5.4-nano",
        current: false,
        context_window: 400_000,
        context_window_from: "catalogue",
        max_output_tokens: 128_000,
        price_per_million_usd: { input: 0.2, output: 1.25, cacheRead: 0.02 },
        abilities: { tools: true, images: true, reasoning: true },
      },
    ]);
  });

  test("without any key a search looks through all that could be had, and says so", async () => {
    await using it = bench();
    await modelList(it.context, { ...list, search: "sonnet-5" });
    expect(it.stderr()).toContain("No provider has a key yet");
    expect(it.stdout()).toContain("claude-sonnet-5-5");
    await using bare = bench();
    await modelList(bare.context, list);
    expect(bare.stdout()).toContain("--provider ID");
  });

  test("one provider: what its endpoint says now; the window is remembered for calls", async () => {
    await using server = await startDen();
    await using it = bench({ config: den(server) });
    await modelList(it.context, { ...list, provider: "den" });
    expect(it.stdout()).toMatch(/^ +den +qwen3-32b +16k /m);
    expect(it.stdout()).toContain("tiny");
    const resolution = it.again().models.resolve({ provider: "den", model: "qwen3-32b" });
    expect(resolution).toMatchObject({ target: { info: { contextWindow: 16_384, contextWindowFrom: "endpoint" } } });
    const unseen = it.again().models.resolve({ provider: "den", model: "gpt-4o" });
    expect(unseen).toMatchObject({ target: { info: { contextWindow: 128_000, contextWindowFrom: "catalogue" } } });
  });

  test("an endpoint that cannot be asked: the catalogue, with the reason", async () => {
    await using server = await startPathServer({ "GET /v1/models": { status: 401, json: { error: "no" } } });
    await using it = bench({ environment: { OPENAI_API_KEY: "sk-bad", OPENAI_BASE_URL: `${server.root}/v1` } });
    await modelList(it.context, { ...list, provider: "openai-api" });
    expect(it.stderr()).toContain("the endpoint's own list could not be had");
    expect(it.stdout()).toContain("gpt-4o");
    await expect(modelList(it.context, { ...list, provider: "openia-api" })).rejects.toMatchObject({
      code: "llm.unknown_provider",
      message: expect.stringMatching(/did you mean "?openai-api/),
    });
  });

  test("servers on this machine", async () => {
    await using server = await startDen();
    await using it = bench();
    await modelList(it.context, { local: true, json: false, ports: [server.port] });
    expect(it.stderr()).toContain(`vLLM at ${server.root}/v1: 2 models`);
    expect(it.stdout()).toMatch(/custom +qwen3-32b +16k/);
    await using none = bench();
    await modelList(none.context, { local: true, json: false, ports: [] });
    expect(none.stdout()).toContain("No server of models answers");
  });
});

describe("hermes model set", () => {
  test("a listed model is set without a word more", async () => {
    await using it = bench({ ...withKey, config: "# mine\nmodel: {default: old, provider: openai-api}\n" });
    expect(await modelSet(it.context, { name: "gpt-5.4" })).toBe(0);
    expect(it.config()).toBe("# mine\nmodel: {default: gpt-5.4, provider: openai-api}\n");
    expect(it.stderr()).toBe("");
  });

  test("an unknown name of a known provider is taken with a note and the nearest names", async () => {
    await using it = bench(withKey);
    expect(await modelSet(it.context, { name: "gpt-5.4-nanno", provider: "openai-api" })).toBe(0);
    expect(it.config()).toContain("gpt-5.4-nanno");
    expect(it.stderr()).toContain("not known to have gpt-5.4-nanno; near it: gpt-5.4-nano");
  });

  test("a server of one's own is asked: a small window and a missing model are told", async () => {
    await using server = await startDen();
    await using it = bench({ config: den(server) });
    await modelSet(it.context, { name: "qwen3-32b", provider: "den" });
    expect(it.stderr()).toContain("its window holds 16k tokens");
    expect(it.stderr()).not.toContain("not known to have");
    await modelSet(it.again(), { name: "qwen3-32", provider: "den" });
    expect(it.stderr()).toContain("den is not known to have qwen3-32; near it: qwen3-32b");
  });

  test("without a key the choice is kept, and it is said what is missing", async () => {
    await using it = bench({
      config: "model: {base_url: http://old/v1, api_key: secret, provider: custom, default: m}\n",
    });
    expect(await modelSet(it.context, { name: "deepseek-v4-pro", provider: "deepseek" })).toBe(0);
    expect(it.stdout()).toContain("cannot be called yet");
    expect(it.stderr()).toContain("DEEPSEEK_API_KEY");
    expect(it.config()).toBe("model: {provider: deepseek, default: deepseek-v4-pro}\n");
  });

  test("a provider that there is not is refused, and nothing is written", async () => {
    await using it = bench({ config: "model: m\n" });
    await expect(modelSet(it.context, { name: "x", provider: "nowhere" })).rejects.toMatchObject({
      code: "llm.unknown_provider",
    });
    await expect(modelSet(it.context, { name: " " })).rejects.toMatchObject({ code: "cli.usage" });
    expect(it.config()).toBe("model: m\n");
  });

  describe("PROVIDER/MODEL is that provider's, whoever answers now", () => {
    const environment = { OPENROUTER_API_KEY: "sk-or", OPENAI_API_KEY: "sk-test" };
    const config = "model: {default: z-ai/glm-5.3, provider: openrouter}\n";
    test.each([
      ["openai-api/gpt-5", "openai-api", "gpt-5"],
      ["openai-api:gpt-5", "openai-api", "gpt-5"],
      ["OpenAI-API/gpt-5", "openai-api", "gpt-5"],
      ["den/qwen/any-1", "den", "qwen/any-1"],
      ["openai/gpt-5", "openrouter", "openai/gpt-5"],
      ["openrouter/openai/gpt-5", "openrouter", "openai/gpt-5"],
      // A host that lists the whole name has it, though the maker is a provider as well.
      ["deepseek/deepseek-v3.2", "openrouter", "deepseek/deepseek-v3.2"],
      // A new model of a maker that the host has, and no key for the maker itself.
      ["deepseek/deepseek-v99", "openrouter", "deepseek/deepseek-v99"],
    ])("%s", async (name, provider, model) => {
      await using it = bench({
        environment,
        config: `${config}providers: {den: {base_url: "http://127.0.0.1:9/v1"}}\n`,
      });
      expect(await modelSet(it.context, { name })).toBe(0);
      expect(it.stdout()).toBe(`${provider} ${model} answers from now on.\n`);
      expect(it.again().models.resolve({})).toMatchObject({ target: { provider, model } });
    });

    test("a server of one's own that lists the whole name has it", async () => {
      await using server = await startPathServer({
        "GET /v1/models": { json: { data: [{ id: "deepseek/r1-small", owned_by: "vllm" }] } },
      });
      await using it = bench({
        environment: { DEEPSEEK_API_KEY: "sk-d" },
        config: `${den(server)}model: {provider: den, default: m}\n`,
      });
      await modelSet(it.context, { name: "deepseek/r1-small" });
      expect(it.stdout()).toBe("den deepseek/r1-small answers from now on.\n");
      await modelSet(it.again(), { name: "deepseek/deepseek-chat" });
      expect(it.again().models.resolve({})).toMatchObject({ target: { provider: "deepseek", model: "deepseek-chat" } });
    });
  });

  test("the key that counts is the new provider's, not the one's before", async () => {
    await using it = bench({ environment: { DEEPSEEK_API_KEY: "sk-d" } });
    await modelSet(it.context, { name: "anthropic/claude-sonnet-5-5" });
    expect(it.stderr()).toContain("ANTHROPIC_API_KEY");
    const before = it.stderr();
    await modelSet(it.again(), { name: "deepseek/deepseek-chat" });
    expect(it.stdout()).toContain("deepseek deepseek-chat answers from now on.\n");
    expect(it.stderr().slice(before.length)).not.toContain("anthropic");
    await modelSet(it.again(), { name: "xai/grok-5" });
    expect(it.stdout()).toContain("xai grok-5 is the model, but it cannot be called yet.\n");
    expect(it.stderr().slice(before.length)).toContain("XAI_API_KEY");
    expect(it.stderr().slice(before.length)).not.toContain("DEEPSEEK_API_KEY");
  });

  test("an alias of a provider without a key becomes that provider's, not the configured one's", async () => {
    await using it = bench({
      ...withKey,
      config: "model: {default: gpt-5.4, provider: openai-api}\nmodel_aliases: {deep: deepseek/deepseek-chat}\n",
    });
    await modelSet(it.context, { name: "deep" });
    expect(it.stderr()).toContain("DEEPSEEK_API_KEY");
    expect(it.again().app.config.section("model")).toMatchObject({ default: "deep", provider: "deepseek" });
  });

  test("the practice model is a choice too", async () => {
    await using it = bench();
    expect(await modelSet(it.context, { name: "practice" })).toBe(0);
    expect(it.again().models.resolve({}).kind).toBe("practice");
  });
});

describe("hermes model test", () => {
  test("one call: speed, tokens and cost, recorded as a test", async () => {
    await using provider = await startScriptedProvider({ text: "OK", usage: { prompt: 1000, completion: 10 } });
    await using it = bench({ environment: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: provider.baseUrl } });
    expect(await modelTest(it.context, { name: "gpt-4o", provider: "openai-api", json: false })).toBe(0);
    expect(it.stdout()).toMatch(
      /^✓ openai-api gpt-4o answers: OK\n {2}first sign after .+s, .+s in all; 1000 tokens in, 10 out; \$0\.0026\n {2}a window of 128k tokens, from the catalogue\n$/,
    );
    await using other = await startScriptedProvider({ text: "OK", usage: { prompt: 1000, completion: 10 } });
    await using json = bench({ environment: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: other.baseUrl } });
    await modelTest(json.context, { name: "gpt-4o", provider: "openai-api", json: true });
    expect(JSON.parse(json.stdout())).toMatchObject({ ok: true, model: "gpt-4o", cost_usd: 0.0026, answer: "OK" });
    expect(json.stderr()).toBe("");
  });

  test("an unknown price is said, never 0", async () => {
    await using provider = await startScriptedProvider({ text: "OK" });
    await using it = bench({
      config: `model: {provider: custom, base_url: "${provider.baseUrl}", default: mine}\n`,
    });
    expect(await modelTest(it.context, { json: false })).toBe(0);
    expect(it.stdout()).toContain("cost unknown");
    expect(it.stdout()).toContain("assumed: nothing is known of it");
  });

  const failures: readonly (readonly [string, PathAnswer, RegExp, RegExp])[] = [
    ["a wrong key", { status: 401, json: { error: { message: "bad" } } }, /does not accept the key/, /DEN_KEY/],
    ["no money", { status: 402, json: { error: { message: "pay" } } }, /no money or quota/, /Top up/],
    [
      "an unknown model",
      { status: 404, json: { error: { code: "model_not_found", message: "no such model" } } },
      /has no model qwen-32b/,
      /Did you mean qwen3-32b\?/,
    ],
    ["a wrong path", { status: 404, text: "404 page not found" }, /nothing is found/, /base_url/],
    ["a web page", { text: "<html>hello</html>" }, /is not of the format chat_completions/, /web page/],
    ["too many requests", { status: 429, text: "slow down", headers: { "retry-after": "7" } }, /no more/, /Wait 7 s/],
    ["a fault of the server", { status: 500, text: "oops" }, /a fault of its own/, /fallback/],
    ["silence", () => undefined, /did not answer in time/, /loading/],
  ];
  test.each(failures)("%s is explained with the next step, after one attempt", async (...[, answer, meaning, next]) => {
    await using server = await startPathServer({ "POST /v1/chat/completions": answer });
    await using it = bench({
      config: `providers: {den: {base_url: "${server.root}/v1", key_env: DEN_KEY, request_timeout_seconds: 0.3, models: [qwen3-32b]}}\n`,
      environment: { DEN_KEY: "k" },
    });
    expect(await modelTest(it.context, { name: "qwen-32b", provider: "den", json: false })).toBe(1);
    expect(it.stderr()).toMatch(meaning);
    expect(it.stderr()).toMatch(next);
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("nothing listens", async () => {
    const server = await startPathServer();
    await server[Symbol.asyncDispose]();
    await using it = bench({ config: den(server) });
    expect(await modelTest(it.context, { name: "m", provider: "den", json: true })).toBe(1);
    expect(JSON.parse(it.stdout())).toMatchObject({
      ok: false,
      error: { kind: "network", next: expect.stringContaining("model list --local") },
    });
  });

  test("a fallback does not hide that the model itself fails", async () => {
    await using broken = await startPathServer({ "POST /v1/chat/completions": { status: 500, text: "oops" } });
    await using good = await startScriptedProvider({ text: "OK" });
    await using it = bench({
      config: `${den(broken)}fallback_providers: [{provider: custom, model: m, base_url: "${good.baseUrl}"}]\n`,
    });
    expect(await modelTest(it.context, { name: "m", provider: "den", json: false })).toBe(1);
    expect(good.requests).toHaveLength(0);
  });

  test("nothing that could be called", async () => {
    await using it = bench();
    await expect(modelTest(it.context, { json: false })).rejects.toMatchObject({ code: "llm.no_model" });
  });
});

describe("hermes model", () => {
  test("says which model answers and what is known of it", async () => {
    await using it = bench({ ...withKey, config: "model: {default: gpt-4o, provider: openai-api}\n" });
    expect(showModel(it.context, { json: false })).toBe(0);
    expect(it.stdout()).toBe(
      "openai-api gpt-4o\n  128k tokens, from the catalogue\n  $ per million tokens, in / out: $2.5 / $10\n  can: tools, images\n",
    );
    await using json = bench({ ...withKey, config: "model: {default: gpt-4o, provider: openai-api}\n" });
    showModel(json.context, { json: true });
    expect(JSON.parse(json.stdout())).toMatchObject({ provider: "openai-api", context_window: 128_000 });
    await using none = bench();
    expect(() => showModel(none.context, { json: false })).toThrow(expect.objectContaining({ code: "llm.no_model" }));
  });
});

test("hermes model refresh: what came, and a failure that leaves what was there", async () => {
  const models = { "gpt-99": { limit: { context: 5_000_000 }, cost: { input: 1, output: 2 } } };
  await using server = await startPathServer({ "GET /api.json": { json: { openai: { models } } } });
  await using it = bench({ ...withKey, config: `model_catalog: {url: "${server.root}/api.json"}\n` });
  expect(await modelRefresh(it.context, { json: false })).toBe(0);
  expect(it.stdout()).toBe("Fetched 1 model of 1 provider.\n");
  const resolved = { target: { info: { contextWindow: 5_000_000, price: { input: 1, output: 2 } } } };
  expect(it.context.models.resolve({ model: "gpt-99", provider: "openai-api" })).toMatchObject(resolved);
  server.answer("GET /api.json", { status: 503, text: "" });
  expect(await modelRefresh(it.again(), { json: false })).toBe(1);
  expect(it.stderr()).toContain("503");
  expect(it.again().models.resolve({ model: "gpt-99", provider: "openai-api" })).toMatchObject(resolved);
});

test("nothing is asked of anybody before a command or a call wants it", async () => {
  await using server = await startPathServer();
  await using it = bench({
    config: `model_catalog: {url: "${server.root}/api.json"}\n${den(server)}model: {provider: den, default: m}\n`,
  });
  it.context.models.resolve({});
  showModel(it.context, { json: true });
  expect(server.requests).toEqual([]);
});

test("a refresh beside a call ends with the app", async () => {
  await using server = await startPathServer({ "GET /api.json": () => undefined });
  await using it = bench({ config: `model_catalog: {url: "${server.root}/api.json"}\n` });
  it.context.models.catalogue.refreshBeside();
  await it.context.app[Symbol.asyncDispose]();
  expect(it.context.models.catalogue.fetched()).toBeUndefined();
});
