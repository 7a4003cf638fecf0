import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sliceCharacters } from "./slice-characters.ts";

test("a pair at either end is left out whole, and a range inside one pair holds nothing", () => {
  expect(sliceCharacters("a😀b", 0, 2)).toBe("a");
  expect(sliceCharacters("a😀b", 2, 4)).toBe("b");
  expect(sliceCharacters("a😀b", 1, 3)).toBe("😀");
  expect(sliceCharacters("a😀b", 2, 2)).toBe("");
});

test("property: what is cut from well-formed text is well formed, part of the plain slice, and at most two units shorter", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), fc.nat(30), (text, from, length) => {
      const plain = text.slice(from, from + length);
      const cut = sliceCharacters(text, from, from + length);
      expect(cut.isWellFormed()).toBe(true);
      expect(plain).toContain(cut);
      expect(plain.length - cut.length).toBeLessThanOrEqual(2);
    }),
  );
});
