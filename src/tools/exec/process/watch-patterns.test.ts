import { expect, test } from "vitest";
import { createEventQueue } from "./event-queue.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createPatternMatcher } from "./watch-patterns.ts";

test("expressions, plain words and invalid expressions find their lines, each line once", () => {
  const matcher = createPatternMatcher([String.raw`listening on :\d+`, "ERROR", "f(x", "E.ROR"]);
  const lines = ["ok", "now listening on :80", "ERROR in f(x)", "call f(x", "EXROR", ""];
  expect(matcher.match(lines)).toEqual([
    { pattern: String.raw`listening on :\d+`, line: "now listening on :80" },
    { pattern: "ERROR", line: "ERROR in f(x)" },
    { pattern: "f(x", line: "call f(x" },
    { pattern: "E.ROR", line: "EXROR" },
  ]);
});

test("a pattern that takes exponential time is given up after two looks; the others go on", () => {
  const matcher = createPatternMatcher(["(a+)+$", "b$"]);
  const line = `${"a".repeat(40)}b`;
  expect(matcher.match([line])).toEqual([{ pattern: "b$", line }]);
  expect(matcher.tooSlow).toEqual([]);
  matcher.match([line]);
  expect(matcher.tooSlow).toEqual(["(a+)+$"]);
  expect(matcher.match(["aaa", "b"])).toEqual([{ pattern: "b$", line: "b" }]);
});

test("only the beginning of a very long line is looked at", () => {
  const matcher = createPatternMatcher(["needle"]);
  expect(matcher.match([`${"x".repeat(3_000)}needle`])).toEqual([]);
});

test("a limit lets so many through per window and tells how many it held back", () => {
  const limit = createRateLimit(2, 1_000);
  expect([0, 10, 20, 30].map((now) => limit.admit(now).pass)).toEqual([true, true, false, false]);
  expect(limit.admit(1_000)).toEqual({ pass: true, suppressed: 2 });
  expect(limit.admit(1_010)).toEqual({ pass: true, suppressed: 0 });
});

test("a queue keeps order, wakes its reader, drops what may be dropped first, and ends when closed", async () => {
  const queue = createEventQueue<string>(3, (event) => event.startsWith("hit"));
  const read: string[] = [];
  for (const event of ["exit 1", "hit 1", "hit 2", "exit 2", "exit 3", "exit 4"]) queue.push(event);
  const reading = (async () => {
    for await (const event of queue) read.push(event);
  })();
  await Promise.resolve();
  queue.push("late");
  queue.close();
  queue.push("after the end");
  await reading;
  expect(read).toEqual(["exit 2", "exit 3", "exit 4", "late"]);
});
