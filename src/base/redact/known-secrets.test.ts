import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./redact-text.ts";
import { createRedactingStream } from "./redacting-stream.ts";
import { restoreMasks } from "./restore-masks.ts";

const seed = 20_261_201;
const KEY = "plain-9f8e7d6c5b4a39281706";
const PASSWORD = "Tr0ub4dor&3+correct(horse)";
const ownValues = [
  { name: "OPENROUTER_API_KEY", value: KEY },
  { name: "MY_DB_PASSWORD", value: PASSWORD },
  { name: "POSTGRES_PASSWORD", value: "postgres" },
  { name: "SHORT_TOKEN", value: "a1b2c3" },
  { name: "API_TOKEN", value: "your-token-here-1" },
  { name: "TERM", value: "xterm-256color9x8y7z6w" },
  { name: "NOTE_SECRET", value: "several words 12345678" },
];
const redactor = createRedactor({ enabled: true, ownValues });
const KEY_MASK = expect.stringMatching(/^«secret:api_key:[0-9a-f]{4}»$/);

describe(`the owner's own secrets (seed ${seed})`, () => {
  test.each([
    ["alone", KEY, ""],
    ["in a sentence", `the key is ${KEY}, use it`, ""],
    ["inside a word", `x${KEY}x`, ""],
    ["in code of another name", `const x = "${KEY}";`, ""],
    ["in a URL", `https://h.invalid/?q=${encodeURIComponent(PASSWORD)}`, encodeURIComponent(PASSWORD)],
    ["with what a pattern reads", `password is ${PASSWORD}!`, ""],
  ])("R-REDACT-1: masked %s", (_where, text, form) => {
    const masked = redactor.text(text);
    for (const secret of [KEY, PASSWORD, form]) if (secret !== "") expect(masked).not.toContain(secret);
    expect(masked).toContain("«secret:");
    expect(redactor.text(masked)).toBe(masked);
  });

  test("the mask is the one that its assignment gets", () => {
    expect(redactor.text(KEY)).toEqual(KEY_MASK);
    expect(redactor.text(`OPENROUTER_API_KEY=${KEY}`)).toBe(`OPENROUTER_API_KEY=${redactor.text(KEY)}`);
  });

  test.each(["postgres", "a1b2c3", "your-token-here-1", "xterm-256color9x8y7z6w", "several words 12345678"])(
    "%j stays: a word, too short, a placeholder, no secret by its name, or a sentence",
    (value) => {
      expect(redactor.text(`say ${value} again`)).toBe(`say ${value} again`);
    },
  );

  test("R-REDACT-4: what was read masked is written back as it was", () => {
    const file = `a: ${KEY}\nb: ${PASSWORD}\n`;
    expect(restoreMasks(`${redactor.text(file)}c: 1\n`, file, redactor)).toEqual({
      kind: "restored",
      text: `${file}c: 1\n`,
    });
  });

  test("R-REDACT-2: switched off, they stay", () => {
    expect(createRedactor({ enabled: false, ownValues }).text(KEY)).toBe(KEY);
  });

  test("a stream of pieces is masked as the whole, wherever it is cut", () => {
    const word = constantFrom(KEY, PASSWORD, "a ", "\n", "token=", KEY.slice(0, 9), KEY.slice(9), '"', "x=");
    assert(
      property(array(word, { maxLength: 12 }), array(constantFrom(1, 2, 7, 30), { minLength: 1 }), (words, sizes) => {
        const text = words.join("");
        const stream = createRedactingStream(redactor);
        let shown = "";
        for (let at = 0, index = 0; at < text.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          shown += stream.push(text.slice(at, at + size));
          at += size;
        }
        expect(shown + stream.end()).toBe(redactor.text(text));
        expect(shown).not.toContain(KEY);
      }),
      { seed, numRuns: 2_000 },
    );
  });
});
