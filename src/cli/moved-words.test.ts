import { expect, test } from "vitest";
import { movedWords, retryWords } from "./moved-words.ts";

test.each([
  [{ to: "credential", provider: "anthropic", label: "work" }, "going on with another credential of anthropic (work)"],
  [{ to: "model", provider: "openrouter", model: "x/y" }, "going on with openrouter:x/y"],
  [{ to: "less", without: "the images" }, "going on without the images"],
] as const)("%j", (moved, words) => {
  expect(movedWords(moved)).toBe(words);
});

test.each([
  ["the connection was refused.", "den:main-model: the connection was refused; going on with alt:other"],
  ["out of quota; ", "den:main-model: out of quota; going on with alt:other"],
  ["the model refused", "den:main-model: the model refused; going on with alt:other"],
])("R-TIME-3 a hop says which model failed, in one sentence: %j", (message, words) => {
  const from = { provider: "den", model: "main-model" };
  const moved = { to: "model", provider: "alt", model: "other", from } as const;
  expect(retryWords({ type: "retrying", attempt: 1, delayMs: 0, kind: "network", message, moved })).toBe(words);
});

test("R-TIME-3 a repeated attempt says when", () => {
  const event = { type: "retrying", attempt: 1, delayMs: 2400, kind: "server", message: "It broke." } as const;
  expect(retryWords(event)).toBe("It broke; trying again in 2 s");
});
