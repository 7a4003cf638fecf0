import { expect, test } from "vitest";
import { redactPii } from "./pii.ts";
import { redactText } from "./redact-text.ts";

test("R-REDACT-3: phone numbers, e-mail addresses and mentions are masked, each value alike", () => {
  const masked = redactPii(
    "Ann <ann.b+x@mail.example.org>, +49 170 1234567 or +14155550123; <@123456789012345678>, <@!123456789012345678>, @ann:matrix.example.org; again ann.b+x@mail.example.org",
  );
  expect(masked.replace(/:[0-9a-f]{4}»/g, "»")).toBe(
    "Ann <«pii:email»>, «pii:phone» or «pii:phone»; «pii:mention», «pii:mention», «pii:mention»; again «pii:email»",
  );
  const emails = masked.match(/«pii:email:[0-9a-f]{4}»/g);
  expect(emails?.[0]).toBe(emails?.[1]);
});

test.each([
  "git clone git@github.com:a/b.git",
  "npm i @types/node@24 react@19.0.0",
  "@decorator() x = 1 + 12345678; y = +5",
  "1.2.3.4:8080 2026-12-01T10:00:00+01:00 id 491701234567",
])("stays: %s", (text) => {
  expect(redactPii(text)).toBe(text);
});

test("masked text does not change, and its masks are no secrets", () => {
  const masked = redactPii("ann@example.org +14155550123 <@123456789012345678>");
  expect(redactPii(masked)).toBe(masked);
  expect(redactText(masked)).toBe(masked);
});
