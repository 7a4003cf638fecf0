import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScriptedProvider } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { runCli } from "../support/cli.ts";

test("models: listed, set, tested, and taken over by a fallback, with the built program", async () => {
  await using home = createTempDirectory();
  await using provider = await startScriptedProvider();
  provider.answerAlways({ text: "OK" });
  const config = join(home.path, ".hermes", "config.yaml");
  await mkdir(join(home.path, ".hermes"));
  await writeFile(config, `providers: {den: {base_url: "${provider.baseUrl}", models: [scripted, other]}}\n`);
  const hermes = (...args: string[]) => runCli(args, { home: home.path });

  const listed = await hermes("model", "list", "--provider", "anthropic", "--search", "opus-4-5", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { model: "claude-opus-4-5", context_window: 200_000, price_per_million_usd: { input: 5 } },
    { model: "claude-opus-4-5-20251101" },
  ]);
  expect(await hermes("model", "set", "scripted", "--provider", "den")).toMatchObject({ code: 0 });
  expect(await readFile(config, "utf8")).toContain("scripted");
  const tested = await hermes("model", "test", "--json");
  expect(JSON.parse(tested.stdout)).toMatchObject({ ok: true, provider: "den", model: "scripted", answer: "OK" });
  expect(await hermes("fallback", "add", "other", "--provider", "den")).toMatchObject({ code: 0 });
  const fallbacks = await hermes("fallback", "ls", "--json");
  expect(JSON.parse(fallbacks.stdout)).toEqual([{ provider: "den", model: "other", missing: null }]);
  expect((await hermes("model")).stdout).toMatch(/^den scripted\n/);
  expect((await hermes("model", "lst")).stderr).toContain("hermes model list");
  expect(await hermes("model", "list", "-m", "x")).toMatchObject({ code: 2 });
  expect((await hermes("fallback", "clear")).stderr).toContain("--yes");
});
