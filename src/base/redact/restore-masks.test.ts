import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretSamples } from "../../testing/secret-samples.ts";
import { maskOf } from "./mask.ts";
import { createRedactor } from "./redact-text.ts";
import { restoreMasks } from "./restore-masks.ts";

const seed = randomInt(1, 2 ** 31);
const samples = createSecretSamples(seed);
const redactor = createRedactor({ enabled: true });

/** Two different secrets of one kind with one mask. */
const collision = (): readonly [string, string] => {
  const seen = new Map<string, string>();
  for (let count = 0; count < 5000; count += 1) {
    const secret = samples.opaque(24);
    const mask = maskOf("api_key", secret);
    const other = seen.get(mask);
    if (other !== undefined) return [other, secret];
    seen.set(mask, secret);
  }
  throw new Error("no two masks met");
};

describe(`restoreMasks (seed ${seed})`, () => {
  const file = (): string =>
    `# settings\nAPI_KEY=${samples.opaque(32)}\nHOST=h.invalid\n${samples.privateKey(5)}\nurl: https://ann:${samples.opaque(12)}@h/\n`;

  test("R-REDACT-4: what was read masked and written back is the file again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("API_KEY=", "x\n", "password: ", "token = ", '"', "\n"), { maxLength: 12 }),
        (pieces) => {
          const current = file() + pieces.map((piece) => piece + samples.opaque(20)).join("");
          const masked = redactor.text(current);
          expect(restoreMasks(masked, current, redactor)).toEqual({ kind: "restored", text: current });
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  test("edits around a mask keep the secret, moved, doubled and cut out of its line", () => {
    const current = file();
    const secret = /API_KEY=(.*)/.exec(current)?.[1] ?? "";
    const mask = /API_KEY=(.*)/.exec(redactor.text(current))?.[1] ?? "";
    expect(restoreMasks(`export A="${mask}"\nexport B='${mask}'\n`, current, redactor)).toEqual({
      kind: "restored",
      text: `export A="${secret}"\nexport B='${secret}'\n`,
    });
  });

  test("a mask that the file does not hold is refused with its line", () => {
    const mask = maskOf("token", samples.opaque(20));
    expect(restoreMasks(`a\nb\nTOKEN=${mask}\n`, file(), redactor)).toEqual({ kind: "unknown_mask", mask, line: 3 });
    expect(restoreMasks(mask, "", redactor)).toEqual({ kind: "unknown_mask", mask, line: 1 });
  });

  test("a mask that stands in the file as text stands for itself", () => {
    const current = "A mask looks like «secret:token:ab12».\n";
    expect(restoreMasks(`${current}More.\n`, current, redactor)).toEqual({
      kind: "restored",
      text: `${current}More.\n`,
    });
  });

  test("two secrets under one mask: told apart by line, then by order, else refused", () => {
    const [a, b] = collision();
    const current = `FIRST_API_KEY=${a}\nSECOND_API_KEY=${b}\n`;
    const masked = redactor.text(current);
    const mask = maskOf("api_key", a);
    expect(masked).toBe(`FIRST_API_KEY=${mask}\nSECOND_API_KEY=${mask}\n`);
    expect(restoreMasks(masked, current, redactor)).toEqual({ kind: "restored", text: current });
    const [first, second] = masked.split("\n");
    expect(restoreMasks(`${second}\n${first}\n`, current, redactor)).toEqual({
      kind: "restored",
      text: `SECOND_API_KEY=${b}\nFIRST_API_KEY=${a}\n`,
    });
    expect(restoreMasks(`X_API_KEY=${mask}\nY_API_KEY=${mask}\n`, current, redactor)).toEqual({
      kind: "restored",
      text: `X_API_KEY=${a}\nY_API_KEY=${b}\n`,
    });
    expect(restoreMasks(`X_API_KEY=${mask}\n`, current, redactor)).toEqual({ kind: "unknown_mask", mask, line: 1 });
  });

  test("text without masks, and any text with redaction off, passes", () => {
    expect(restoreMasks("x = 1\n", file(), redactor)).toEqual({ kind: "restored", text: "x = 1\n" });
    const off = createRedactor({ enabled: false });
    expect(restoreMasks("«secret:token:ab12»", "", off)).toEqual({ kind: "restored", text: "«secret:token:ab12»" });
  });
});
