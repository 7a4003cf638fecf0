import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quoteForBash } from "./shell-quote.ts";

test("harmless words stay readable, everything else is quoted", () => {
  expect(quoteForBash("/usr/bin/git-log_1.0:x@y,+%")).toBe("/usr/bin/git-log_1.0:x@y,+%");
  expect(quoteForBash("")).toBe("''");
  expect(quoteForBash("A=b")).toBe("'A=b'");
  expect(quoteForBash("it's")).toBe(String.raw`'it'\''s'`);
  expect(() => quoteForBash("a\0b")).toThrow(expect.objectContaining({ code: "shell.unquotable" }));
});

test("bash reads any words back exactly", () => {
  const special = fc.constantFrom(..."'\"\\$`!*?[]{}~#;&|<>() \t\n\r=-".split(""));
  const word = fc.string({ unit: fc.oneof(special, fc.string({ unit: "binary" })) });
  const readable = word.filter((text) => !text.includes("\0") && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(readable, { minLength: 1, maxLength: 40 }), (words) => {
      const script = `printf '%s\\0' ${words.map(quoteForBash).join(" ")}`;
      const printed = execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } });
      expect(printed.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 40 },
  );
});
