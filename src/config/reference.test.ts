import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { renderConfigReference } from "./reference.ts";
import { listFields } from "./schema/tree.ts";

const PAGE = path.join(import.meta.dirname, "../../docs/reference/config.md");

test("docs/reference/config.md is what the schema says (else run `node scripts/generate-config-reference.ts`)", () => {
  expect(readFileSync(PAGE, "utf8")).toBe(renderConfigReference());
});

test("every field has its line, its values and a sentence", () => {
  const lines = renderConfigReference().split("\n");
  for (const { path: key } of listFields()) {
    const line = lines.find((each) => each.startsWith(`| \`${key.join(".")}\` |`));
    const [values, , meaning] = line?.slice(0, -2).split(" | ").slice(1) ?? [];
    expect(values, key.join(".")).toMatch(/\w/);
    expect(meaning, key.join(".")).toMatch(/^[A-Za-z`].*\.$/);
  }
});
