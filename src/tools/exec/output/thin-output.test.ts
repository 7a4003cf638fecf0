import { expect, test } from "vitest";
import { createFakeClock } from "../../../testing/fake-clock.ts";
import { createThinOutput } from "./thin-output.ts";
import type { ThinOutput } from "./thin-output.ts";
import type { FakeClock } from "../../../testing/fake-clock.ts";

const setUp = (): { clock: FakeClock; shown: string[]; output: ThinOutput; push: (text: string) => void } => {
  const clock = createFakeClock();
  const shown: string[] = [];
  const output = createThinOutput(clock, (text) => shown.push(text));
  return { clock, shown, output, push: (text) => output.push(Buffer.from(text)) };
};

test("lines are shown together, at most every 100 ms; an unfinished line waits for its end", async () => {
  const { clock, shown, output, push } = setUp();
  push("a\n");
  push("b\nbegun ");
  expect(shown).toEqual([]);
  await clock.advance(100);
  expect(shown).toEqual(["a\nb\n"]);
  push("and ended\n");
  await clock.advance(99);
  expect(shown).toHaveLength(1);
  await clock.advance(1);
  expect(shown).toEqual(["a\nb\n", "begun and ended\n"]);
  push("last");
  output.end();
  expect(shown.at(-1)).toBe("last");
  expect(clock.pending).toBe(0);
});

test("of a flood the newest whole lines are shown, and that some are missing", async () => {
  const { clock, shown, push } = setUp();
  const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`);
  for (const line of lines) push(line);
  push(lines.join(""));
  await clock.advance(100);
  expect(shown).toHaveLength(1);
  const [first, ...rest] = (shown[0] ?? "").split("\n");
  expect(first).toBe("[…]");
  expect(rest.slice(0, -1)).toEqual(lines.slice(-(rest.length - 1)).map((line) => line.trimEnd()));
  expect(shown[0]?.length).toBeLessThanOrEqual(8 * 1024 + 4);
});

test("no part of a line that was too long is shown: a secret in it could not be recognised any more", async () => {
  const { clock, shown, output, push } = setUp();
  push("x".repeat(10_000));
  push("SECRET-TAIL");
  await clock.advance(100);
  push("\nnext\n");
  await clock.advance(100);
  output.end();
  expect(shown).toEqual(["[…]\nnext\n"]);
});

test("a character cut in two is shown whole, and colours are not", async () => {
  const { clock, shown, output } = setUp();
  const bytes = Buffer.from("\u001b[31mé\u001b[0m\n");
  for (const byte of bytes) output.push(Uint8Array.of(byte));
  await clock.advance(100);
  expect(shown).toEqual(["é\n"]);
});
