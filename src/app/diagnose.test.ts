import { expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTempApp } from "../testing/temp-app.ts";
import { diagnose } from "./diagnose.ts";

test("a fallback that cannot be called is found before it is needed", async () => {
  const config = [
    "model: {provider: deepseek, default: deepseek-chat}",
    "fallback_providers: [{provider: nowhere, model: m}, {provider: zai, model: glm-4.6}, {provider: ollama, model: qwen3}]",
  ].join("\n");
  await using temp = createTempApp({ config, environment: { DEEPSEEK_API_KEY: "sk-0123456789" } });
  const findings = (await diagnose(temp.app, { fix: false })).filter(({ check }) => check === "model");
  expect(findings.map(({ status }) => status)).toEqual(["ok", "warning", "warning"]);
  expect(findings.map(({ message }) => message).join("\n")).toMatch(
    /nowhere:m is passed over[^]*zai:glm-4\.6 is passed over/,
  );
});

test("a key that seems to be missing because auth.json is broken: the file is named, not the variable", async () => {
  const config = "model: {provider: openrouter, default: a/b}";
  const prepare = (home: string) => writeFileSync(join(home, "auth.json"), "{", { mode: 0o600 });
  await using temp = createTempApp({ config, prepare });
  expect(temp.models.resolve({})).toMatchObject({ kind: "none", error: { code: "auth.broken_file" } });
  const [model] = (await diagnose(temp.app, { fix: false })).filter(({ check }) => check === "model");
  expect(model).toMatchObject({ status: "warning", message: expect.stringContaining("auth.json") as string });
});
