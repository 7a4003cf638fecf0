import { expect, test } from "vitest";
import { needsEnforcement, type ToolUseEnforcement } from "./tool-use-enforcement.ts";

test.each<[string, ToolUseEnforcement, boolean]>([
  ["openai/GPT-5.2", "auto", true],
  ["qwen3-coder", "auto", true],
  ["claude-opus-4.5", "auto", false],
  ["claude-opus-4.5", "on", true],
  ["gpt-5.2", "off", false],
  ["my-llama", ["LLAMA"], true],
  ["gpt-5.2", ["llama"], false],
  ["gpt-5.2", [], false],
  ["gpt-5.2", [""], false],
])("%s with %j: %s", (model, setting, needed) => {
  expect(needsEnforcement(model, setting)).toBe(needed);
});
