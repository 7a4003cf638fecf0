import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parseArguments } from "./parse-arguments.ts";

const tool = {
  parameters: z.object({
    path: z.string(),
    offset: z.int().min(1).default(1),
    ratio: z.number().optional(),
    all: z.boolean().default(false),
    mode: z.enum(["replace", "patch"]).default("replace"),
    choices: z.array(z.string()).optional(),
    todos: z.array(z.object({ id: z.string(), done: z.boolean().optional() })).optional(),
  }),
};

const DEFAULTS = { path: "a", offset: 1, all: false, mode: "replace" };

describe("parseArguments", () => {
  test.each([
    [
      "what fits stays",
      { path: "5", offset: 7, ratio: 0.5, choices: ["1"] },
      { path: "5", offset: 7, ratio: 0.5, choices: ["1"] },
    ],
    ["numbers as text", { offset: "5", ratio: " 1.5 " }, { offset: 5, ratio: 1.5 }],
    ["true and false as text", { all: "True" }, { all: true }],
    ["false as text is no truth", { all: "false" }, { all: false }],
    ["null for what is left out", { offset: null, all: null, choices: null, mode: null }, {}],
    ["parameters that do not exist", { explanation: "because", all: true }, { all: true }],
    ["a number where text is meant", { path: 42 }, { path: "42" }],
    ["a choice in other letters", { mode: "PATCH" }, { mode: "patch" }],
    ["a list as its JSON text", { choices: '["x", "y"]' }, { choices: ["x", "y"] }],
    ["one item for a list", { choices: "x" }, { choices: ["x"] }],
    [
      "objects in lists",
      {
        todos: [
          { id: 1, done: "true" },
          { id: "2", done: null },
        ],
      },
      { todos: [{ id: "1", done: true }, { id: "2" }] },
    ],
    ["a list of objects as text", { todos: '[{"id": 3}]' }, { todos: [{ id: "3" }] }],
  ])("%s", (_name, given, expected) => {
    expect(parseArguments(tool, { path: "a", ...given })).toEqual({ kind: "ok", args: { ...DEFAULTS, ...expected } });
  });

  test("all arguments as one JSON text", () => {
    expect(parseArguments(tool, '{"path": "a"}')).toEqual({ kind: "ok", args: DEFAULTS });
  });

  test.each([
    ["nothing at all", {}, "path"],
    ["null where something is needed", { path: null }, "path"],
    ["a word for a number", { path: "a", offset: "five" }, "offset"],
    ["a number out of range", { path: "a", offset: "0" }, "offset"],
    ["an empty text for a number", { path: "a", offset: "" }, "offset"],
    ["yes is not true", { path: "a", all: "yes" }, "all"],
    ["1 is not true", { path: "a", all: 1 }, "all"],
    ["a choice that does not exist", { path: "a", mode: "merge" }, "mode"],
    ["broken JSON for a list of objects", { path: "a", todos: '[{"id": 3}' }, "todos"],
    ["a list for a text", { path: ["a"] }, "path"],
    ["no object", 7, "expected object"],
  ])("refuses %s and names the place", (_name, given, place) => {
    const parsed = parseArguments(tool, given);
    expect(parsed.kind).toBe("invalid");
    expect(parsed.kind === "invalid" ? parsed.problem : "").toContain(place);
  });
});
