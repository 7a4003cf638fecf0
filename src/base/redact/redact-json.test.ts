import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretSamples } from "../../testing/secret-samples.ts";
import { redactJson, redactValue } from "./redact-json.ts";
import { createRedactor } from "./redact-text.ts";

const seed = randomInt(1, 2 ** 31);
const samples = createSecretSamples(seed);
const redactor = createRedactor({ enabled: true });

describe(`redactJson (seed ${seed})`, () => {
  const secret = samples.opaque(32);
  const token = `ghp_${samples.opaque(36)}`;

  test("secrets behind escapes, under keys, in arrays and in inner JSON", () => {
    const value = {
      command: `echo "a"\n${token}\nexport API_KEY='${secret}'`,
      password: secret,
      env: [{ name: "DB_PASSWORD", value: secret }],
      argv: ["--api-key", secret, "plain"],
      inner: JSON.stringify({ headers: { Authorization: `Bearer ${secret}` } }),
      [token]: 1,
    };
    const masked = redactJson(JSON.stringify(value), redactor);
    expect(masked).not.toContain(secret);
    expect(masked).not.toContain(token);
    const parsed: unknown = JSON.parse(masked);
    expect(parsed).toMatchObject({
      argv: ["--api-key", expect.stringMatching(/^«secret:/), "plain"],
      env: [{ name: "DB_PASSWORD" }],
    });
  });

  test("what holds no secret keeps its bytes, white space and number forms included", () => {
    const text = ` {"a" : 1.0e3 ,\n"b":"\\u0041\\/", "max_tokens": 4096, "c":[ ] , "password": null}`;
    expect(redactJson(text, redactor)).toBe(text);
    const masked = redactJson(text.replace("null", JSON.stringify(secret)), redactor);
    expect(masked.startsWith(text.slice(0, text.indexOf("null")))).toBe(true);
  });

  test("text that is no JSON is masked as text", () => {
    expect(redactJson(`{"token": "${secret}`, redactor)).toBe(redactor.text(`{"token": "${secret}`));
    expect(redactJson(`{"password": "${secret}", `, redactor)).not.toContain(secret);
  });

  test("valid JSON stays valid and keeps its shape", () => {
    const key = fc.constantFrom("password", "token", "name", "value", "text", "api_key", "a", '"', "é");
    const leaf = fc.oneof(
      fc.string(),
      fc.constantFrom(secret, token, `x=${token}\n"y"`, "--token"),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(key, tie("json"), { maxKeys: 4 }),
      ),
    }));
    const shape = (value: unknown): unknown => {
      if (typeof value === "string") return "s";
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]));
      return value;
    };
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const masked = redactJson(text, redactor);
        expect(shape(JSON.parse(masked))).toEqual(shape(JSON.parse(text)));
        expect(masked).not.toContain(token);
        expect(redactJson(masked, redactor)).toBe(masked);
      }),
      { seed, numRuns: 1000 },
    );
  });

  test("redactValue does the same for parsed values", () => {
    const value = { a: [{ password: secret }, `x ${token}`], n: 1, b: null, t: true };
    const masked = redactValue(value, redactor);
    expect(JSON.stringify(masked)).not.toContain(secret);
    expect(JSON.stringify(masked)).not.toContain(token);
    expect(masked).toMatchObject({ n: 1, b: null, t: true });
    expect(redactValue(value, createRedactor({ enabled: false }))).toEqual(value);
  });

  test("R-REDACT-2: switched off, nothing changes", () => {
    const text = JSON.stringify({ password: secret });
    expect(redactJson(text, createRedactor({ enabled: false }))).toBe(text);
  });
});
