import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createVirtualTerminal, type VirtualTerminal } from "../../../testing/virtual-terminal.ts";
import { createPalette } from "../../chat/palette.ts";
import { measureText } from "../../chat/text-width.ts";
import { pick } from "./pick.ts";
import { openPicker, stepPicker, visibleItems, type PickerItem } from "./picker-state.ts";
import { renderPicker } from "./picker-view.ts";

const item = (name: string, more: Partial<PickerItem> = {}): PickerItem => ({
  key: name,
  columns: [name, "200k"],
  search: name,
  current: false,
  ...more,
});
const ITEMS = [item("alpha one"), item("beta one"), item("beta two", { current: true }), item("gamma")];
const frame = { title: "Which?", palette: createPalette(false) };

const asked = (terminal: VirtualTerminal, takesText = false): ReturnType<typeof pick> =>
  pick({ items: ITEMS, frame, takesText }, terminal);

const terminalOf = (rows = 12): VirtualTerminal => createVirtualTerminal({ columns: 60, rows });

test("the cursor stands on what counts now; Enter takes it, and the list leaves the screen", async () => {
  const terminal = terminalOf();
  const chosen = asked(terminal);
  await terminal.waitForText("❯ * beta two");
  expect(terminal.screen().join("\n")).toContain("Which?");
  terminal.press("enter");
  expect(await chosen).toEqual({ kind: "chosen", key: "beta two", isTyped: false });
  await terminal.waitFor((rows) => !rows.join("").includes("beta"));
});

test("typing searches, every word counts, in any order", async () => {
  const terminal = terminalOf();
  const chosen = asked(terminal);
  await terminal.waitForText("4 of 4");
  terminal.type("ONE bet");
  await terminal.waitForText("1 of 4");
  expect(terminal.screen().join("\n")).toContain("Search: ONE bet");
  terminal.press("enter");
  expect(await chosen).toMatchObject({ key: "beta one" });
});

test("arrows move, backspace widens the search, Escape first clears it and then goes back", async () => {
  const terminal = terminalOf();
  const chosen = asked(terminal);
  await terminal.waitForText("4 of 4");
  terminal.type("betax");
  await terminal.waitForText("0 of 4");
  terminal.press("backspace");
  await terminal.waitForText("2 of 4");
  terminal.press("down");
  await terminal.waitForText("❯ * beta two");
  terminal.press("escape");
  await terminal.waitForText("4 of 4");
  terminal.press("escape");
  expect(await chosen).toEqual({ kind: "back" });
});

test("Ctrl+C leaves, and so does an input that ends", async () => {
  const terminal = terminalOf();
  const first = asked(terminal);
  await terminal.waitForText("4 of 4");
  terminal.press("ctrl+c");
  expect(await first).toEqual({ kind: "left" });
  const gone = terminalOf();
  const second = asked(gone);
  await gone.waitForText("4 of 4");
  gone.hangUp();
  expect(await second).toEqual({ kind: "left" });
});

test("a text that nothing matches is taken where it may be", async () => {
  const terminal = terminalOf();
  const chosen = asked(terminal, true);
  await terminal.waitForText("4 of 4");
  terminal.type("my/own-model");
  await terminal.waitForText('Enter takes "my/own-model"');
  terminal.press("enter");
  expect(await chosen).toEqual({ kind: "chosen", key: "my/own-model", isTyped: true });
});

test("a narrow, low terminal shows a part of the list around the cursor, and no line is too wide", () => {
  const items = Array.from({ length: 200 }, (_, index) => item(`model-${index} ${"界".repeat(20)}`));
  const state = { ...openPicker(items, false), index: 150 };
  const { lines, cursor } = renderPicker(state, { ...frame, note: "a note ".repeat(20), width: 24, height: 10 });
  expect(lines.length).toBeLessThan(10);
  expect(lines.every((line) => measureText(line) <= 24)).toBe(true);
  expect(lines.some((line) => line.startsWith("❯   model-150"))).toBe(true);
  expect(cursor.column).toBeLessThan(24);
});

test("a note is broken into lines, not cut, and the cursor stands in the search below it", () => {
  const note = "the provider needs a key and SOME_KEY is not set; hermes config set SOME_KEY asks for it";
  const { lines, cursor } = renderPicker(openPicker(ITEMS, false), { ...frame, note, width: 30, height: 20 });
  const at = lines.findIndex((line) => line.startsWith("Search:"));
  expect(lines.slice(1, at).join(" ").replaceAll(/\s+/g, " ").trim()).toBe(note);
  expect(lines.every((line) => measureText(line) <= 30)).toBe(true);
  expect(cursor.row).toBe(at);
});

test("whatever is pressed, the cursor stands on an item that is shown, or nothing is", () => {
  const names = ["enter", "backspace", "up", "down", "home", "end", "tab", "left", "letter", "newline"] as const;
  const key = fc.oneof(
    fc.record({ kind: fc.constant("text" as const), text: fc.constantFrom("a", "be", " ", "one", "zz", "é") }),
    fc.record({
      kind: fc.constant("key" as const),
      name: fc.constantFrom(...names),
      letter: fc.constantFrom("", "u", "n", "p", "x"),
      ctrl: fc.boolean(),
      alt: fc.constant(false),
      shift: fc.constant(false),
    }),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), fc.boolean(), (keys, takesText) => {
      let state = openPicker(ITEMS, takesText);
      for (const each of keys) {
        const step = stepPicker(state, each);
        if (step.kind === "chosen" && !step.isTyped) expect(ITEMS.map((one) => one.key)).toContain(step.key);
        if (step.kind !== "state") return;
        state = step.state;
        const shown = visibleItems(state).length;
        expect(shown === 0 ? state.index : state.index < shown).toBe(shown === 0 ? 0 : true);
      }
    }),
  );
});
