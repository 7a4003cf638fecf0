import { expect, test } from "vitest";
import { createTempApp } from "../testing/temp-app.ts";

test("what was made last is closed first, and one that fails to close keeps none of the others open", async () => {
  await using temp = createTempApp();
  const app = temp.again();
  const closed: string[] = [];
  app.onClose(async () => void closed.push("first"));
  app.onClose(async () => {
    throw new Error("stuck");
  });
  app.onClose(async () => void closed.push("last"));
  const closing = app[Symbol.asyncDispose]();
  await expect(closing).rejects.toThrow("stuck");
  expect(closed).toEqual(["last", "first"]);
  await app[Symbol.asyncDispose]();
  expect(closed).toHaveLength(2);
});
