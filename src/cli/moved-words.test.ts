import { expect, test } from "vitest";
import { movedWords } from "./moved-words.ts";

test.each([
  [{ to: "credential", provider: "anthropic", label: "work" }, "going on with another credential of anthropic (work)"],
  [{ to: "model", provider: "openrouter", model: "x/y" }, "going on with openrouter:x/y"],
  [{ to: "less", without: "the images" }, "going on without the images"],
] as const)("%j", (moved, words) => {
  expect(movedWords(moved)).toBe(words);
});
