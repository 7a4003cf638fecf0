import { describe, expect, test } from "vitest";
import { nearProviders } from "./near-providers.ts";
import { PROVIDER_ROWS } from "./rows.ts";

const IDS = PROVIDER_ROWS.map(({ id }) => id);

describe("which provider was meant", () => {
  test.each([
    ["openai", "openai-api"],
    ["OpenAI", "openai-api"],
    ["google", "gemini"],
    ["Claude", "anthropic"],
    ["gpt", "openai-api"],
    ["ChatGPT", "openai-codex"],
    ["grok", "xai"],
    ["kimi", "kimi-coding"],
    ["moonshot", "kimi-coding"],
    ["glm", "zai"],
    ["qwen", "alibaba"],
    ["aws", "bedrock"],
    ["azure", "azure-foundry"],
    ["hf", "huggingface"],
    ["Hugging Face", "huggingface"],
    ["github", "copilot"],
    ["openruoter", "openrouter"],
    ["custom:antropic", "anthropic"],
  ])("%s: %s", (written, id) => {
    expect(nearProviders(written, IDS)[0]).toBe(id);
  });

  test("every name that leads somewhere leads to what there is; a provider that is not there is not offered", () => {
    expect(nearProviders("gpt", ["openai-codex"])).toEqual(["openai-codex"]);
    expect(nearProviders("openai", [])).toEqual([]);
    // A slip in an id of the owner's own.
    expect(nearProviders("dne", ["den", ...IDS])).toEqual(["den"]);
  });

  test.each(["constructor", "__proto__", "nothing-like-it-at-all", ""])("%j: nobody", (written) => {
    expect(nearProviders(written, IDS)).toEqual([]);
  });
});
