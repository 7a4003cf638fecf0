import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatDollars, formatTokens, toDollars, toMicros, toMicrosUp } from "./amounts.ts";
import { describeCapNear, describeCapReached, formatUse } from "./describe-cap.ts";

test.each([
  [0, "$0.00"],
  [1e-9, "<$0.000001"],
  [0.000001, "$0.000001"],
  [0.00003, "$0.000030"],
  [0.0123, "$0.0123"],
  [0.0999, "$0.0999"],
  [0.1, "$0.10"],
  [1.5, "$1.50"],
  [999.999, "$1,000.00"],
  [1_234_567.891, "$1,234,567.89"],
])("R-MONEY-1: %d dollars read as %s", (dollars, text) => {
  expect(formatDollars(dollars)).toBe(text);
});

test("what is not nothing never reads as nothing", () => {
  fc.assert(
    fc.property(fc.double({ min: Number.MIN_VALUE, max: 1e9, noNaN: true }), (dollars) => {
      expect(formatDollars(dollars)).toMatch(/[1-9]/);
    }),
  );
});

test("tokens are parted by thousands", () => {
  expect([0, 999, 1_000, 1_234_567].map(formatTokens)).toEqual(["0", "999", "1,000", "1,234,567"]);
});

test("micro-dollars: exact back and forth; an estimate is never rounded down, nor up for nothing", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), (micros) => {
      expect([toMicros(toDollars(micros)), toMicrosUp(toDollars(micros))]).toEqual([micros, micros]);
    }),
  );
  expect([toMicros(0.0000014), toMicrosUp(0.0000014), toMicrosUp(0.0011)]).toEqual([1, 2, 1_100]);
  expect([toMicros(Number.POSITIVE_INFINITY), toMicros(-1)]).toEqual([1e15, 0]);
});

const cap = { period: "day", unit: "usd", used: 3.8, cap: 5, resets: "2026-12-02 00:00" } as const;

test("R-MONEY-2: a reached cap names itself, what is used, when it begins anew and the command that raises it", () => {
  expect(describeCapReached({ ...cap, needs: 1.5 })).toBe(
    "today's budget does not allow another call: $3.80 of $5.00 used or reserved, and this call may take $1.50; it begins anew at 2026-12-02 00:00; `hermes budget set day AMOUNT` raises it",
  );
  expect(
    describeCapReached({ period: "session", unit: "tokens", used: 12_000, cap: 12_000, needs: 9, resets: null }),
  ).toBe(
    "this session's budget does not allow another call: 12,000 of 12,000 tokens used or reserved; `hermes budget set session TOKENS --tokens` raises it",
  );
});

test("R-MONEY-2: a near cap says how near", () => {
  expect(describeCapNear(cap, 75)).toBe("75 % of today's budget is used ($3.80 of $5.00)");
  expect([
    formatUse(cap),
    formatUse({ ...cap, cap: 0 }),
    formatUse({ ...cap, unit: "tokens", used: 1_500, cap: 2_000 }),
  ]).toEqual(["$3.80 of $5.00 (76 %)", "$3.80 of $0.00", "1,500 of 2,000 tokens (75 %)"]);
});
