import * as fc from "fast-check";
import { expect, test } from "vitest";
import { envValues, parseEnvFile, setEnvValue, unsetEnvValue } from "./env-file.ts";

const values = (text: string): Record<string, string> => Object.fromEntries(envValues(parseEnvFile(text)));

const set = (text: string, name: string, value: string): string => {
  const result = setEnvValue(text, name, value);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

test.each([
  ["A=1\nB=2\n", { A: "1", B: "2" }],
  ["export A=1", { A: "1" }],
  ["  A = spaced out  # why\n", { A: "spaced out" }],
  ["A=no#comment\nB=x #comment\nC=#all\n", { A: "no#comment", B: "x", C: "" }],
  ["A='single $X \\n'\n", { A: "single $X \\n" }],
  [`A='it\\'s'\n`, { A: "it's" }],
  ['A="tab\\there \\"q\\" \\\\ end"\n', { A: 'tab\there "q" \\ end' }],
  ['A="first\nsecond # kept\n"\nB=2\n', { A: "first\nsecond # kept\n", B: "2" }],
  ["A=a=b==\n", { A: "a=b==" }],
  ["\uFEFFA=1\r\nB='2'\r\n", { A: "1", B: "2" }],
  ["A=1\nA=2\n", { A: "2" }],
  ["A=${B}\nB=x\n", { A: "${B}", B: "x" }],
  ["A=\nB=''\n", { A: "", B: "" }],
  ["# A=1\n\n#\n", {}],
])("%j is read as python-dotenv reads it", (text, expected) => {
  expect(values(text)).toEqual(expected);
  expect(parseEnvFile(text).faults).toEqual([]);
});

test("lines that are none are reported with their numbers and hide no other line", () => {
  const file = parseEnvFile('A="1\n2"\nnonsense\nB=2\n1C=3\nD="ok" trailing\nE="never\nF=6\n');
  expect(file.faults).toEqual([
    { line: 3, kind: "no_assignment" },
    { line: 5, kind: "no_assignment" },
    { line: 6, kind: "no_assignment" },
    { line: 7, kind: "unterminated" },
  ]);
  expect(Object.fromEntries(envValues(file))).toEqual({ A: "1\n2", B: "2", F: "6" });
  expect(file.entries.map((entry) => entry.line)).toEqual([1, 4, 8]);
});

test("set replaces the last assignment in place and keeps comments, export and line ends", () => {
  const text = "# keys\r\nexport A=old # mine\r\n\r\nA='newer'\r\nB=2\r\n";
  expect(set(text, "A", "x y")).toBe("# keys\r\nexport A=old # mine\r\n\r\nA='x y'\r\nB=2\r\n");
  expect(set(text, "B", "")).toBe("# keys\r\nexport A=old # mine\r\n\r\nA='newer'\r\nB=\r\n");
  expect(set(text, "C", "3")).toBe(`${text}C=3\r\n`);
  expect(set("A=1", "B", "2")).toBe("A=1\nB=2\n");
});

test.each([
  ["A=1 # one\n", "", "A= # one\n"],
  ["A= # one\n", "", "A= # one\n"],
  ["A= # one\n", "x", "A= x # one\n"],
  ["A=#one\n", "x", "A=x #one\n"],
])("set in %j to %j doesn't touch the comment", (before, value, after) => {
  expect(set(before, "A", value)).toBe(after);
  expect(values(after).A).toBe(value);
});

test("unset takes every assignment of the name and nothing else", () => {
  expect(unsetEnvValue("# k\nA=1\nB=2\nexport A='3\n4'\n# end", "A")).toEqual({ ok: true, value: "# k\nB=2\n# end" });
  expect(unsetEnvValue("B=2\n", "A")).toEqual({ ok: true, value: undefined });
});

test("a file with a quote that never closes is not edited, and the line is named", () => {
  expect(setEnvValue('A=1\nB="x\n', "C", "1")).toEqual({ ok: false, error: { kind: "unterminated", line: 2 } });
  expect(unsetEnvValue('A=1\nB="x\n', "A")).toEqual({ ok: false, error: { kind: "unterminated", line: 2 } });
});

test("names and values that no .env can hold are refused", () => {
  expect(setEnvValue("", "A B", "1")).toMatchObject({ ok: false, error: { kind: "bad_name" } });
  expect(setEnvValue("", "A", "x\0y")).toMatchObject({ ok: false, error: { kind: "bad_value" } });
});

const seed = 20_260_101 + process.pid;
const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
const value = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("'", '"', "\\", "\n", "\r", "#", " ", "=", "$", "{", "n", "\t") }),
  )
  .filter((text) => !text.includes("\0"));
const line = fc.constantFrom("# note", "", "Z=1 # one", "export Y='y y'", 'X="a\nb"', "W=", "garbage line");

test(`what is set reads back, and every other byte stays (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.record({ lines: fc.array(line), crlf: fc.boolean(), key: name, text: value }),
      ({ lines, crlf, key, text }) => {
        const before = lines
          .map((each) => `${each}\n`)
          .join("")
          .replaceAll("\n", crlf ? "\r\n" : "\n");
        const after = set(before, key, text);
        expect(values(after)[key]).toBe(text);
        expect({ ...values(after), [key]: "" }).toEqual({ ...values(before), [key]: "" });
        const isNew = values(before)[key] === undefined;
        if (isNew) {
          expect(after.startsWith(before)).toBe(true);
          expect(unsetEnvValue(after, key)).toEqual({ ok: true, value: before });
        }
        expect(set(after, key, text)).toBe(after);
      },
    ),
    { seed, numRuns: 500 },
  );
});

test(`any text parses without throwing, in linear steps (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("A", "=", '"', "'", "\\", "\n", "\r", "#", " ", "export ") }),
      (text) => {
        const { entries } = parseEnvFile(text);
        for (const entry of entries) expect(entry.start <= entry.valueStart && entry.valueEnd <= entry.end).toBe(true);
      },
    ),
    { seed, numRuns: 500 },
  );
});
