import { describe, expect, test } from "vitest";
import { openModelBench as bench, startDen, withKey } from "../../../testing/model-bench.ts";
import { createVirtualTerminal } from "../../../testing/virtual-terminal.ts";
import { chooseModel } from "./choose.ts";

describe("hermes model on a terminal", () => {
  test("a provider by typing, then a model, written into the settings", async () => {
    await using it = bench({ environment: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } });
    const terminal = createVirtualTerminal({ columns: 100, rows: 24 });
    const done = chooseModel(it.context, { ...terminal, ports: [] });
    await terminal.waitForText("Which provider? (now: none)");
    terminal.type("anthropic");
    await terminal.waitForText("needs a key");
    terminal.press("enter");
    await terminal.waitForText("ANTHROPIC_API_KEY");
    terminal.press("escape");
    await terminal.waitForText("Which provider?");
    terminal.type("openai-api");
    await terminal.waitForText("❯   OpenAI");
    terminal.press("enter");
    await terminal.waitForText("Which model of OpenAI?");
    expect(terminal.screen().join("\n")).toContain("Its own list could not be had");
    terminal.type("5.4 nano");
    await terminal.waitForText("gpt-5.4-nano  400k");
    terminal.press("enter");
    expect(await done).toBe(0);
    expect(it.config()).toBe("model: {default: gpt-5.4-nano, provider: openai-api}\n");
  });

  test("a server of this machine that the settings do not name yet", async () => {
    await using server = await startDen();
    await using it = bench({ config: "model: {provider: openai-api, default: gpt-4o, api_key: sk-mine}\n" });
    const terminal = createVirtualTerminal({ columns: 100, rows: 24 });
    const done = chooseModel(it.context, { ...terminal, ports: [server.port] });
    await terminal.waitForText("vLLM (this machine)");
    terminal.type("vllm");
    await terminal.waitForText("1 of");
    terminal.press("enter");
    await terminal.waitForText("qwen3-32b");
    terminal.press("enter");
    expect(await done).toBe(0);
    const { models } = it.again();
    expect(models.resolve({})).toMatchObject({
      target: { baseUrl: `${server.root}/v1`, model: "qwen3-32b", info: { contextWindow: 16_384 } },
    });
    expect(it.config()).not.toContain("sk-mine");
  });

  test("a provider without a key says the whole reason, and is set only by one who wants it all the same", async () => {
    const config = "model: {default: gpt-5.4, provider: openai-api}\n";
    await using it = bench({ ...withKey, config });
    const terminal = createVirtualTerminal({ columns: 50, rows: 24 });
    const done = chooseModel(it.context, { ...terminal, ports: [] });
    await terminal.waitForText("Which provider?");
    terminal.type("deepseek");
    await terminal.waitForText("❯   DeepSeek");
    terminal.press("enter");
    await terminal.waitForText("cannot be called yet");
    const screen = terminal.screen().join(" ").replaceAll(/\s+/g, " ");
    expect(screen).toContain("DEEPSEEK_API_KEY is not set");
    expect(screen).toContain("hermes config set DEEPSEEK_API_KEY -");
    // What Enter does at first is nothing but going back.
    terminal.press("enter");
    await terminal.waitForText("Which provider?");
    expect(it.config()).toBe(config);
    terminal.type("deepseek");
    await terminal.waitForText("❯   DeepSeek");
    terminal.press("enter");
    await terminal.waitForText("cannot be called yet");
    terminal.press("down");
    await terminal.waitForText("❯   Choose a model of it");
    terminal.press("enter");
    await terminal.waitForText("Which model of DeepSeek?");
    terminal.type("own-name");
    await terminal.waitForText('takes "own-name"');
    terminal.press("enter");
    expect(await done).toBe(0);
    expect(it.config()).toBe("model: {default: own-name, provider: deepseek}\n");
    expect(it.stdout()).toContain("cannot be called yet");
  });

  test("an endpoint of one's own by its address, which is asked for its models", async () => {
    await using server = await startDen();
    await using it = bench(withKey);
    const terminal = createVirtualTerminal({ columns: 100, rows: 24 });
    const done = chooseModel(it.context, { ...terminal, ports: [] });
    await terminal.waitForText("Which provider?");
    terminal.type("endpoint of your own");
    await terminal.waitForText("1 of");
    terminal.press("enter");
    await terminal.waitForText("At which address");
    terminal.type("nonsense");
    await terminal.waitForText('takes "nonsense"');
    terminal.press("enter");
    await terminal.waitForText("is no http(s) URL");
    terminal.type(`${server.root}/v1/`);
    await terminal.waitForText(`takes "${server.root}/v1/"`);
    terminal.press("enter");
    await terminal.waitForText(`Which model of ${server.root}/v1?`);
    terminal.type("qwen3");
    await terminal.waitForText("❯   qwen3-32b  16k");
    terminal.press("enter");
    expect(await done).toBe(0);
    expect(it.again().models.resolve({})).toMatchObject({
      target: { provider: "custom", baseUrl: `${server.root}/v1`, model: "qwen3-32b" },
    });
  });

  test("leaving changes nothing", async () => {
    await using it = bench({ ...withKey, config: "model: m\n" });
    const terminal = createVirtualTerminal({ columns: 80, rows: 24 });
    const done = chooseModel(it.context, { ...terminal, ports: [] });
    await terminal.waitForText("Which provider?");
    terminal.press("ctrl+c");
    expect(await done).toBe(0);
    expect(it.config()).toBe("model: m\n");
  });
});
