import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorReference } from "../../scripts/error-reference.ts";

const page = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, "../../docs/reference", name), "utf8");

test("the error reference is what the tables say (node scripts/generate-error-reference.ts)", async () => {
  expect(await page("errors.md")).toBe(await errorReference());
});
