import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { resolveHome } from "./home.ts";
import { loadConfig } from "./load.ts";

test("R-REDACT-1: masking learns of every variable and of every text of config.yaml, also of settings that this version does not have", async () => {
  await using temp = createTempDirectory();
  const config = "stt:\n  openai:\n    api_key: k1\nnonsense:\n  - tokens: [a, 1]\n";
  writeFileSync(join(temp.path, "config.yaml"), config);
  writeFileSync(join(temp.path, ".env"), "DEN_KEY=k2\nOTHER=k3\n", { mode: 0o600 });
  const environment = { HERMES_HOME: temp.path, OTHER: "k4" };
  const loaded = loadConfig({ home: resolveHome({ environment }), environment });
  for (const [name, value] of [
    ["api_key", "k1"],
    ["tokens", "a"],
    ["DEN_KEY", "k2"],
    ["OTHER", "k3"],
    ["OTHER", "k4"],
  ]) {
    expect(loaded.namedValues()).toContainEqual(expect.objectContaining({ name, value }));
  }
});

test("a config.yaml that cannot be read leaves the variables", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "config.yaml"), "a: [");
  const environment = { HERMES_HOME: temp.path };
  expect(loadConfig({ home: resolveHome({ environment }), environment }).namedValues()).toEqual([
    { name: "HERMES_HOME", value: temp.path },
  ]);
});
