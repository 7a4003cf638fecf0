import { expect, test } from "vitest";
import { challengeOf, createPkce, createState, isSameSecret } from "./pkce.ts";

test("the challenge is RFC 7636's (appendix B)", () => {
  expect(challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("verifiers and states are of the allowed letters and length, and never the same", () => {
  const all = Array.from({ length: 200 }, () => [createPkce().verifier, createState()]).flat();
  expect(new Set(all).size).toBe(400);
  for (const text of all) expect(text).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const { verifier, challenge } = createPkce();
  expect(challenge).toBe(challengeOf(verifier));
});

test("texts are the same only if every letter is, whatever their lengths", () => {
  expect(isSameSecret("abc", "abc")).toBe(true);
  for (const other of ["", "ab", "abcd", "abd", "ABC"]) expect(isSameSecret("abc", other)).toBe(false);
});
