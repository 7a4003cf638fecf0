import { join } from "node:path";
import { expect, test } from "vitest";
import { listSourceFiles, readSourceFiles } from "../../testing/source-corpus.ts";
import { redactText } from "./redact-text.ts";

const MODULES = join(import.meta.dirname, "../../../node_modules");
const EVERY = 12;

// Files that hold tokens indeed: tests of token formats, documentation of what a token service answers, and badges with a coverage
// service's token in their URL.
const HOLDS_TOKENS = /^@aws-sdk\/.*Command\.d\.ts$|^zod\/src\/.*string\.test\.ts$|(?:README|index)\.md$/;

test("other people's source, which holds no secret, stays byte for byte", () => {
  const all = listSourceFiles(MODULES, /\.(?:[cm]?[jt]sx?|md|json)$/);
  const sample = all.filter((path, index) => index % EVERY === 0 && !HOLDS_TOKENS.test(path));
  let characters = 0;
  const changed: string[] = [];
  for (const { path, text } of readSourceFiles(MODULES, sample)) {
    characters += text.length;
    if (redactText(text) !== text) changed.push(path);
  }
  expect(changed).toEqual([]);
  expect(characters).toBeGreaterThan(2_000_000);
});
