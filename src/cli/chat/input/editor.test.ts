import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { graphemesOf } from "../text-width.ts";
import { editKey } from "./edit-key.ts";
import { continueLine, type EditorState, EMPTY_EDITOR, expandText, insertPaste, insertText } from "./editor.ts";
import { layoutInput, moveRow } from "./input-layout.ts";
import type { KeyName, KeyPress } from "./key-press.ts";

const chord = (name: string): KeyPress => {
  const parts = name.split("+");
  const last = parts.at(-1) ?? "";
  return {
    kind: "key",
    name: last.length === 1 ? "letter" : (last as KeyName),
    letter: last.length === 1 ? last : "",
    ctrl: parts.includes("ctrl"),
    alt: parts.includes("alt"),
    shift: false,
  };
};

/** A text with `|` where the cursor stands. */
const at = (marked: string): EditorState => ({
  ...EMPTY_EDITOR,
  text: marked.replace("|", ""),
  cursor: marked.indexOf("|"),
});
const show = (state: EditorState): string => `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
const after = (state: EditorState, ...keys: readonly string[]): EditorState =>
  keys.reduce((current, key) => editKey(current, chord(key)) ?? current, state);

describe("keys of the editor", () => {
  test.each([
    ["ctrl+a", "one\ntw|o", "one\n|two"],
    ["ctrl+e", "o|ne\ntwo", "one|\ntwo"],
    ["home", "ab|", "|ab"],
    ["end", "|ab", "ab|"],
    ["left", "é👨‍👩‍👧|x", "é|👨‍👩‍👧x"],
    ["right", "|🇩🇪x", "🇩🇪|x"],
    ["left", "|x", "|x"],
    ["right", "x|", "x|"],
    ["ctrl+left", "foo bar.baz|", "foo |bar.baz"],
    ["alt+b", "foo bar |", "foo |bar "],
    ["alt+f", "|foo bar", "foo| bar"],
    ["backspace", "e\u0301|", "|"],
    ["backspace", "|", "|"],
    ["delete", "|👍x", "|x"],
    ["ctrl+d", "a|bc", "a|c"],
    ["ctrl+k", "a|bc\nd", "a|\nd"],
    ["ctrl+k", "a|\nd", "a|d"],
    ["ctrl+u", "x\nab|c", "x\n|c"],
    ["ctrl+w", "run ./a/b.sh |", "run |"],
    ["alt+d", "a| bc d", "a| d"],
    ["alt+backspace", "foo bar|", "foo |"],
    ["newline", "a|b", "a\n|b"],
  ])("%s: %j becomes %j", (key, before, expected) => {
    expect(show(after(at(before), key))).toBe(expected);
  });

  test("Chinese has words of its own", () => {
    const moved = after(at("我喜欢吃苹果|"), "ctrl+left");
    expect(moved.cursor).toBeGreaterThan(0);
    expect(moved.cursor).toBeLessThan(6);
  });

  test("what a kill took is yanked back, what one character was is not", () => {
    expect(show(after(at("one two|"), "ctrl+w", "home", "ctrl+y"))).toBe("two|one ");
    expect(show(after(at("one two|"), "ctrl+w", "backspace", "ctrl+y"))).toBe("onetwo|");
  });

  test("a key that is not the editor's changes nothing and says so", () => {
    expect(editKey(EMPTY_EDITOR, chord("up"))).toBeUndefined();
    expect(editKey(EMPTY_EDITOR, chord("ctrl+q"))).toBeUndefined();
  });

  test("a backslash at the end makes a new line of Enter, two are two", () => {
    expect(continueLine(at("a\\|"))?.text).toBe("a\n");
    expect(continueLine(at("a\\\\|"))).toBeUndefined();
    expect(continueLine(at("a|\\"))).toBeUndefined();
  });
});

describe("pastes", () => {
  test("a large one stands as a label, moves and goes as one, and is whole when sent", () => {
    const pasted = Array.from({ length: 120 }, (_, line) => `l${line}`).join("\r\n");
    const state = insertText(insertPaste(insertText(EMPTY_EDITOR, "a "), pasted), " b");
    expect(layoutInput(state, 60).rows[0]?.text).toBe("a [pasted 120 lines] b");
    expect(expandText(state)).toBe(`a ${pasted.replaceAll("\r\n", "\n")} b`);
    const gone = after(state, "left", "left", "backspace");
    expect(expandText(gone)).toBe("a  b");
  });

  test("a long line is counted in characters, a short paste is text", () => {
    expect(layoutInput(insertPaste(EMPTY_EDITOR, "x".repeat(5000)), 60).rows[0]?.text).toBe("[pasted 5000 characters]");
    expect(insertPaste(EMPTY_EDITOR, "two\nlines").text).toBe("two\nlines");
  });

  test("escape sequences in a paste do not get in, marks of direction do", () => {
    expect(insertPaste(EMPTY_EDITOR, "a\u001B[31mb\u0007\u202Ec").text).toBe("ab\u202Ec");
    expect(layoutInput(insertText(EMPTY_EDITOR, "a\u202Eb"), 60).rows[0]?.text).toBe("a⟦U+202E⟧b");
  });

  test("two pastes stay apart", () => {
    const [first, second] = ["1\n".repeat(9), "2\n".repeat(9)];
    expect(expandText(insertPaste(insertPaste(EMPTY_EDITOR, first), second))).toBe(first + second);
  });
});

describe("the rows of the input box", () => {
  test("a wide glyph that does not fit goes to the next row, and the cursor with it", () => {
    const layout = layoutInput(at("abc漢|"), 4);
    expect(layout.rows.map((row) => row.text)).toEqual(["abc", "漢"]);
    expect([layout.row, layout.column]).toEqual([1, 2]);
  });

  test("the cursor after a full row stands on the next", () => {
    const layout = layoutInput(at("abcd|"), 4);
    expect([layout.row, layout.column]).toEqual([1, 0]);
  });

  test("up and down keep the column over rows and lines", () => {
    expect(show(moveRow(at("abcdefg\nxy|z"), 4, -1) ?? EMPTY_EDITOR)).toBe("abcdef|g\nxyz");
    expect(show(moveRow(at("ab|\n漢字"), 10, 1) ?? EMPTY_EDITOR)).toBe("ab\n漢|字");
    expect(moveRow(at("ab|"), 10, -1)).toBeUndefined();
    expect(moveRow(at("ab|"), 10, 1)).toBeUndefined();
  });
});

test("property: whatever is typed, the cursor stands between graphemes and on the screen", () => {
  const key = fc.oneof(
    fc
      .constantFrom(
        "left",
        "right",
        "home",
        "end",
        "backspace",
        "delete",
        "ctrl+left",
        "ctrl+right",
        "ctrl+k",
        "ctrl+u",
        "ctrl+w",
        "ctrl+y",
        "alt+d",
        "newline",
      )
      .map(chord),
    fc.constantFrom("a", "漢", "👨‍👩‍👧", "e\u0301", "\t", " ", "🇩🇪").map((text): KeyPress => ({ kind: "text", text })),
    fc.constantFrom("x\n".repeat(8), "pasted").map((text): KeyPress => ({ kind: "paste", text })),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (keys, width) => {
      let state: EditorState = EMPTY_EDITOR;
      for (const next of keys) state = editKey(state, next) ?? state;
      const offsets = [0];
      for (const grapheme of graphemesOf(state.text)) offsets.push((offsets.at(-1) ?? 0) + grapheme.length);
      expect(offsets).toContain(state.cursor);
      const layout = layoutInput(state, width);
      expect(layout.row).toBeLessThan(layout.rows.length);
      expect(layout.column).toBeLessThanOrEqual(width);
    }),
    { numRuns: 300 },
  );
});
