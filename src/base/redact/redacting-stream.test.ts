import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretSamples } from "../../testing/secret-samples.ts";
import { createRedactor } from "./redact-text.ts";
import { createRedactingStream } from "./redacting-stream.ts";

const seed = randomInt(1, 2 ** 31);
const samples = createSecretSamples(seed);
const redactor = createRedactor({ enabled: true });

const inPieces = (text: string, cuts: readonly number[]): { out: string; longest: number } => {
  const stream = createRedactingStream(redactor);
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  let out = "";
  let fed = 0;
  let longest = 0;
  for (let index = 1; index < places.length; index += 1) {
    out += stream.push(text.slice(places[index - 1], places[index]));
    fed = places[index] ?? fed;
    longest = Math.max(longest, fed - out.length);
  }
  return { out: out + stream.end(), longest };
};

describe(`createRedactingStream (seed ${seed})`, () => {
  const secretLine = fc.constantFrom(
    () => `export API_KEY=${samples.opaque(32)}`,
    () => `GET https://h/p?token=${samples.opaque(30)}&page=2 200`,
    () => `clone https://ann:${samples.opaque(20)}@h.invalid/x`,
    () => samples.privateKey(6),
    () => samples.privateKey(30).split("\n").slice(0, 12).join("\n"),
    () => `curl \\\n  -u ann:${samples.opaque(18)} https://h`,
    () => `\u001b[31mghp_${samples.opaque(36)}\u001b[0m`,
    () => `Authorization: Bearer ${samples.jwt()}`,
    () => `see -----BEGIN PRIVATE KEY----- in the code (${samples.opaque(9)})`,
  );
  const line = fc.oneof(
    secretLine.map((make) => make()),
    fc.string({ maxLength: 30 }),
    fc.constant("\r"),
    fc.constant(""),
  );
  const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join("\n"));

  test("any cut gives what the whole gives", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
        expect(inPieces(text, cuts).out).toBe(redactor.text(text));
      }),
      { seed, numRuns: 1500 },
    );
  });

  test("character by character, too", () => {
    const whole = `a\nTOKEN=${samples.opaque(30)}\r\n${samples.privateKey(4)}\nb ${samples.jwt()}`;
    expect(
      inPieces(
        whole,
        Array.from({ length: whole.length }, (_, index) => index),
      ).out,
    ).toBe(redactor.text(whole));
  });

  test("a line is shown as soon as it is complete", () => {
    const stream = createRedactingStream(redactor);
    expect(stream.push("progress 1\nprog")).toBe("progress 1\n");
    expect(stream.push("ress 2\r")).toBe("progress 2\r");
    expect(stream.push("-----BEGIN PRIVATE KEY-----\n")).toBe("");
    expect(stream.push("is how it begins (it does).\n!\n")).toBe(
      "-----BEGIN PRIVATE KEY-----\nis how it begins (it does).\n!\n",
    );
    expect(stream.end()).toBe("");
  });

  test("a line without end: bounded, without leak, the same as the whole", () => {
    const secrets = Array.from({ length: 60 }, () => samples.opaque(32));
    const filler = "lorem ipsum dolor, sit = amet; ";
    const text = secrets.map((secret) => `${filler.repeat(200)} api_key = "${secret}" `).join("");
    const { out, longest } = inPieces(
      text,
      Array.from({ length: 300 }, (_, index) => index * 1777),
    );
    expect(out).toBe(redactor.text(text));
    expect(longest).toBeLessThan(140_000);
    for (const secret of secrets) expect(out).not.toContain(secret);
  });

  test("a key block that never ends is not waited for without end", () => {
    const stream = createRedactingStream(redactor);
    const head = samples.privateKey(1).split("\n")[0] ?? "";
    let out = stream.push(`${head}\n`);
    for (let count = 0; count < 2000; count += 1) out += stream.push(`${samples.opaque(60)}\n`);
    expect(out.length).toBeGreaterThan(0);
    expect(out).toMatch(/^«secret:private_key:/);
  });

  test("R-REDACT-2: with a disabled redactor pieces pass as they come", () => {
    const stream = createRedactingStream(createRedactor({ enabled: false }));
    expect(stream.push("TOKEN=abc")).toBe("TOKEN=abc");
    expect(stream.end()).toBe("");
  });
});
