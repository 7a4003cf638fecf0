import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askLine } from "./ask-line.ts";

const typed = (keys: string): Promise<string | undefined> => {
  const input = new PassThrough();
  const answer = askLine("Delete it? ", { input, output: new PassThrough() });
  input.write(keys);
  return answer;
};

test("a line is an answer; Ctrl+C and Ctrl+D are none, and no failure", async () => {
  expect(await typed(" yes \r")).toBe("yes");
  expect(await typed("ye\u0003")).toBeUndefined();
  expect(await typed("\u0004")).toBeUndefined();
});

test("input that ends is no answer", async () => {
  const input = new PassThrough();
  const answer = askLine("Delete it? ", { input, output: new PassThrough() });
  input.end();
  expect(await answer).toBeUndefined();
});
