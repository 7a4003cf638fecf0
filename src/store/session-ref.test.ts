import { expect, test } from "vitest";
import { parseSessionRef } from "./session-ref.ts";

test.each([
  ["20261201_090000_abcdef", "20261201_090000_abcdef"],
  ["[20261201_090000_abcdef]", "20261201_090000_abcdef"],
  ["<id>", "id"],
  ['"Tide tables"', "Tide tables"],
  ["'Tide tables'", "Tide tables"],
  ["  [ id ]  ", "id"],
  ["[draft", "[draft"],
  ["draft]", "draft]"],
  ["[id>", "[id>"],
  ['"it', '"it'],
  ["[[id]]", "[id]"],
  ["[]", "[]"],
  ['"', '"'],
  ["", ""],
])("R-SESS-1 %s names %s", (text, name) => {
  expect(parseSessionRef(text)).toBe(name);
});
