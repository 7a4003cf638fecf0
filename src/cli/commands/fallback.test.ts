import { describe, expect, test } from "vitest";
import { openModelBench as bench, withKey } from "../../testing/model-bench.ts";
import { fallbackAdd, fallbackClear, fallbackList, fallbackRemove } from "./fallback.ts";

describe("hermes fallback", () => {
  test("add keeps order and comments, list says what is missing, remove and clear", async () => {
    await using it = bench({
      ...withKey,
      config: "fallback_providers:\n  # cheap\n  - {provider: deepseek, model: deepseek-v4-pro}\n",
    });
    expect(await fallbackAdd(it.context, { name: "openai-api/gpt-5.4" })).toBe(0);
    expect(it.config()).toContain("# cheap");
    const second = it.again();
    await fallbackAdd(second, { name: "z-ai/glm-5.3", provider: "openrouter", keyEnv: "MY_KEY" });
    const third = it.again();
    expect(third.app.config.section("fallback_providers")).toEqual([
      { provider: "deepseek", model: "deepseek-v4-pro" },
      { provider: "openai-api", model: "gpt-5.4" },
      { provider: "openrouter", model: "z-ai/glm-5.3", key_env: "MY_KEY" },
    ]);
    expect(fallbackList(third, { json: false })).toBe(0);
    expect(it.stdout()).toMatch(/^1 +deepseek +deepseek-v4-pro +the provider deepseek needs a key/m);
    await expect(fallbackAdd(third, { name: "openai-api:gpt-5.4" })).rejects.toMatchObject({ code: "cli.usage" });
    await fallbackRemove(third, "openai-api/gpt-5.4");
    const fourth = it.again();
    expect(fourth.app.config.section("fallback_providers").map(({ model }) => model)).toEqual([
      "deepseek-v4-pro",
      "z-ai/glm-5.3",
    ]);
    await expect(fallbackRemove(fourth, "3")).rejects.toMatchObject({ code: "cli.usage" });
    await fallbackClear(fourth);
    expect(it.again().app.config.section("fallback_providers")).toEqual([]);
  });

  test("the older single fallback grows into a list", async () => {
    await using it = bench({ ...withKey, config: "fallback_model: {provider: deepseek, model: deepseek-v4-pro}\n" });
    await fallbackAdd(it.context, { name: "openai-api/gpt-5.4" });
    const { app } = it.again();
    expect(app.config.section("fallback_providers").map(({ provider }) => provider)).toEqual([
      "deepseek",
      "openai-api",
    ]);
    await fallbackRemove(it.again(), "1");
    expect(it.again().app.config.section("fallback_providers")).toEqual([{ provider: "openai-api", model: "gpt-5.4" }]);
    await fallbackRemove(it.again(), "gpt-5.4");
    expect(it.again().app.config.section("fallback_providers")).toEqual([]);
  });

  test("the main model is refused as its own fallback, whether or not it has a key, and nothing is written", async () => {
    const config = "model: {default: gpt-5.4, provider: openai-api}\n";
    for (const environment of [{ OPENAI_API_KEY: "sk-test" }, {}]) {
      await using it = bench({ environment, config });
      for (const options of [
        { name: "openai-api/gpt-5.4" },
        { name: "gpt-5.4", provider: "OpenAI-API", keyEnv: "K" },
      ]) {
        const adding = fallbackAdd(it.context, options);
        await expect(adding).rejects.toMatchObject({ code: "cli.fallback_is_main", exitCode: 1 });
      }
      expect(it.config()).toBe(config);
      expect(await fallbackAdd(it.context, { name: "openai-api/gpt-5.4-nano" })).toBe(0);
    }
  });

  test.each([
    ["no provider", { name: "gpt-5.4" }, "cli.usage"],
    ["a provider that there is not", { name: "nowhere/x" }, "llm.unknown_provider"],
  ])("%s is refused", async (...[, options, code]) => {
    await using it = bench();
    await expect(fallbackAdd(it.context, options)).rejects.toMatchObject({ code });
  });
});
