import { expect, test } from "vitest";
import { formatAge, formatCost, formatCount } from "./format-values.ts";

test("numbers for people", () => {
  expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,567"]);
  expect([null, 0, 0.0123, 1.5].map(formatCost)).toEqual(["unknown", "$0.00", "$0.0123", "$1.50"]);
  expect([0, 60_000, 7_200_000, 200_000_000].map(formatAge)).toEqual(["now", "1m", "2h", "2d"]);
});
