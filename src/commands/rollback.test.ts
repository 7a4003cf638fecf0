import { expect, test } from "vitest";
import { rollbackLines } from "./rollback.ts";

test("what was left, blocked and taken back is told by name; long lists are cut with their number", () => {
  const lines = rollbackLines({
    kind: "restored",
    restored: Array.from({ length: 12 }, (_, index) => `/w/f${index}`),
    removed: ["/w/made"],
    left: ["/w/mine"],
    blocked: [{ path: "/w/big", why: "too large" }],
    undone: "please change it\nand more",
  });
  const text = lines.join("\n");
  expect(text).toContain("  /w/f9\n  … and 2 more");
  expect(text).not.toContain("/w/f10");
  expect(text).toContain("--delete-new removes it):\n  /w/mine");
  expect(text).toContain("  /w/big: too large");
  expect(lines.at(-1)).toBe("Taken back: please change it");
});

test("nothing to do is said", () => {
  expect(rollbackLines({ kind: "restored", restored: [], removed: [], left: [], blocked: [] })).toEqual([
    "The files are as they were then already.",
  ]);
});
