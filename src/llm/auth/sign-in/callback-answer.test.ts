import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readCallback, readPasted } from "./callback-answer.ts";

const STATE = "the-state-of-this-sign-in";
const code = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_./+~".split("")), minLength: 1, maxLength: 80 });
const anything = fc.string({ unit: "binary", maxLength: 200 });

test("whatever is pasted is read or refused; an answer never comes from another state", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const answer = readPasted(text, STATE);
      expect(["code", "refused", "unusable"]).toContain(answer.kind);
      if (answer.kind === "code") expect(answer.code).toMatch(/^[\x21-\x7e]+$/);
    }),
  );
  fc.assert(
    fc.property(code, code, (given, other) => {
      const parameters = new URLSearchParams({ code: given, state: other }).toString();
      for (const text of [`https://localhost/cb?${parameters}`, `?${parameters}`, `${given}#${other}`]) {
        expect(readPasted(text, STATE).kind).toBe("unusable");
      }
    }),
  );
});

test("a code comes out as it went in, in every form that people paste", () => {
  fc.assert(
    fc.property(code, (given) => {
      const parameters = new URLSearchParams({ code: given, state: STATE }).toString();
      const forms = [`http://localhost:1/cb?${parameters}`, `?${parameters}`, parameters, `${given}#${STATE}`, given];
      for (const text of forms) expect(readPasted(`  ${text}\n`, STATE)).toEqual({ kind: "code", code: given });
    }),
  );
});

test("what a provider says in refusal is one clean line", () => {
  const said = { error: "access_denied", error_description: "no\u001B[31m\r\nway\u202E!", state: STATE };
  expect(readCallback(new URLSearchParams(said), STATE)).toEqual({
    kind: "refused",
    said: "no [31m way ! (access_denied)",
  });
});

test("a parameter that comes twice is none", () => {
  const twice = new URLSearchParams(`code=a&code=b&state=${STATE}`);
  expect(readCallback(twice, STATE)).toEqual({ kind: "unusable", why: "it has no code" });
});
