import { expect, test } from "vitest";
import type { ProcessId, SessionId } from "../../base/ids.ts";
import { oneLine, processWords } from "./process-words.ts";

const about = { id: "proc_1" as ProcessId, session: "s" as SessionId, command: "make all\nmake more" };

test.each([
  [{ code: 0, signal: null }, "info", "is done"],
  [{ code: 2, signal: null }, "warning", "has failed with exit code 2"],
  [{ code: null, signal: "SIGKILL" }, "warning", "was ended by SIGKILL"],
  [{ code: null, signal: null }, "warning", "has ended"],
] as const)("an exit %j is told as %s", (exit, tone, words) => {
  expect(processWords({ ...about, type: "exited", ...exit, tail: "" })).toEqual({
    tone,
    text: `proc_1 (make all…) ${words}`,
  });
});

test("of the last lines five are shown", () => {
  const { text } = processWords({ ...about, type: "exited", code: 0, signal: null, tail: "1\n2\n3\n4\n5\n6\n" });
  expect(text.split("\n")).toEqual(["proc_1 (make all…) is done", "  2", "  3", "  4", "  5", "  6"]);
});

test("a hit is told with its line, and how many were not", () => {
  const hit = { ...about, type: "matched" as const, pattern: "err.*", line: "error: no", suppressed: 3 };
  expect(processWords(hit).text).toBe(
    'proc_1 (make all…) printed what matches "err.*" (3 more before it):\n  error: no',
  );
  expect(processWords({ ...hit, suppressed: 0 }).text).not.toContain("more before");
});

test("a pattern that is given up is a warning", () => {
  expect(processWords({ ...about, type: "pattern_too_slow", pattern: "(a+)+" })).toMatchObject({
    tone: "warning",
    text: expect.stringContaining('"(a+)+"'),
  });
});

test("a long command is cut without half a character", () => {
  const cut = oneLine(`${"x".repeat(79)}😀 rest`);
  expect(cut.isWellFormed()).toBe(true);
  expect(cut.endsWith("…")).toBe(true);
  expect(oneLine("  ls -l  ")).toBe("ls -l");
});
