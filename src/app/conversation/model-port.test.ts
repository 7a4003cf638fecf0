import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempApp, type TempAppOptions } from "../../testing/temp-app.ts";
import { createModelPort } from "./model-port.ts";
import { openConversation } from "./open-conversation.ts";

const CONFIG = `# mine
model:
  default: big-one
  provider: box
  api_key: key-of-the-box-only
  base_url: http://127.0.0.1:9/v1
  context_length: 9000 # of big-one
model_aliases:
  fast: box/small-one
  far: {model: remote-one, provider: custom, base_url: "http://127.0.0.1:10/v1"}
providers:
  box: {base_url: "http://127.0.0.1:9/v1", models: {small-one: {}, big-one: {}}}
`;

const openPort = async (options: TempAppOptions = { config: CONFIG }) => {
  const temp = createTempApp(options);
  const conversation = await openConversation(temp.app, temp.request());
  return {
    temp,
    conversation,
    port: createModelPort(conversation),
    config: () => readFileSync(join(temp.app.home.path, "config.yaml"), "utf8"),
    [Symbol.asyncDispose]: async () => {
      await conversation[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
};

test("/model switches by alias, by provider:model and by name, for this session only", async () => {
  await using rig = await openPort();
  const before = rig.config();
  for (const [target, provider, model] of [
    ["fast", "box", "small-one"],
    ["box:big-one", "box", "big-one"],
    ["box/big-one", "box", "big-one"],
    ["far", "custom", "remote-one"],
  ] as const) {
    expect(await rig.port.switchTo(target, { remember: false })).toEqual({ kind: "switched", provider, model });
    expect(rig.conversation.model().info).toMatchObject({ provider, model });
  }
  expect(rig.config()).toBe(before);
});

test("/model of a name that its provider is not known to have switches and says so, with the nearest names", async () => {
  await using rig = await openPort();
  expect(await rig.port.switchTo("small-ome", { remember: false })).toEqual({
    kind: "switched",
    provider: "box",
    model: "small-ome",
    note: "box is not known to have small-ome; near it: small-one",
  });
  expect(rig.conversation.model().info).toMatchObject({ provider: "box", model: "small-ome" });
});

test("/model PROVIDER/MODEL goes to that provider, and to the host that lists the whole name", async () => {
  await using rig = await openPort({
    config: "model: {default: z-ai/glm-5.3, provider: openrouter}\n",
    environment: { OPENROUTER_API_KEY: "sk-or", OPENAI_API_KEY: "sk-test", DEEPSEEK_API_KEY: "sk-d" },
  });
  for (const [target, provider, model] of [
    ["openai-api/gpt-5", "openai-api", "gpt-5"],
    ["deepseek/deepseek-v3.2", "openrouter", "deepseek/deepseek-v3.2"],
  ] as const) {
    expect(await rig.port.switchTo(target, { remember: false })).toEqual({ kind: "switched", provider, model });
  }
});

test("/model of a provider that is not there says so and keeps the model", async () => {
  await using rig = await openPort();
  const { info } = rig.conversation.model();
  const outcome = await rig.port.switchTo("big-one", { provider: "bxo", remember: true });
  expect(outcome).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("bxo") });
  expect(rig.conversation.model().info).toEqual(info);
  expect(rig.config()).toBe(CONFIG);
});

test("/model lists what can answer, each once, the current one marked", async () => {
  await using rig = await openPort();
  const choices = await rig.port.choices();
  expect(choices.filter(({ current }) => current)).toEqual([{ provider: "box", model: "big-one", current: true }]);
  const names = choices.map(({ provider, model }) => `${provider}:${model}`);
  expect(names).toEqual(expect.arrayContaining(["box:small-one", "custom:remote-one", "practice:practice"]));
  expect(new Set(names).size).toBe(names.length);
});

test("every listed model can be chosen by what the list says", async () => {
  await using rig = await openPort();
  for (const { provider, model } of await rig.port.choices()) {
    expect(await rig.port.switchTo(`${provider}:${model}`, { remember: false })).toMatchObject({
      kind: "switched",
      provider,
    });
  }
});

test("--global remembers another model of the same place and drops the window of the one before", async () => {
  await using rig = await openPort();
  await rig.port.switchTo("fast", { remember: true });
  const config = rig.temp.again().config.section("model");
  expect(config).toMatchObject({ default: "small-one", provider: "box", api_key: "key-of-the-box-only" });
  expect(config.context_length).toBeUndefined();
  expect(rig.config()).toContain("# mine");
});

test("--global to another place leaves neither the address nor the key of the one before", async () => {
  await using rig = await openPort();
  await rig.port.switchTo("far", { remember: true });
  const again = rig.temp.again();
  const config = again.config.section("model");
  expect(config).toMatchObject({ default: "remote-one", provider: "custom", base_url: "http://127.0.0.1:10/v1" });
  expect(rig.config()).not.toContain("key-of-the-box-only");
});

test("--global to the practice model can be undone by --global to a real one", async () => {
  await using rig = await openPort();
  expect(await rig.port.switchTo("practice", { remember: true })).toMatchObject({ kind: "switched" });
  expect(rig.temp.again().config.section("model")).toMatchObject({ provider: "practice" });
  await rig.port.switchTo("box:big-one", { remember: true });
  expect(rig.temp.again().config.section("model")).toMatchObject({ default: "big-one", provider: "box" });
});
