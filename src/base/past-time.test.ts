import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parsePastTime } from "./past-time.ts";

const now = Date.parse("2026-12-01T09:30:00Z");
const read = (text: string, edge: "start" | "end" = "start", timeZone = "Europe/Berlin"): string | undefined => {
  const at = parsePastTime(text, { now, timeZone, edge });
  return at === undefined ? undefined : new Date(at).toISOString();
};

test.each([
  ["30m", "2026-12-01T09:00:00.000Z"],
  ["2h ago", "2026-12-01T07:30:00.000Z"],
  ["2w", "2026-11-17T09:30:00.000Z"],
  ["1Y", "2025-12-01T09:30:00.000Z"],
  ["now", "2026-12-01T09:30:00.000Z"],
  ["today", "2026-11-30T23:00:00.000Z"],
  [" Yesterday ", "2026-11-29T23:00:00.000Z"],
  ["2026-07", "2026-06-30T22:00:00.000Z"],
  ["2026-07-04", "2026-07-03T22:00:00.000Z"],
  ["2026-07-04 10:00", "2026-07-04T08:00:00.000Z"],
  ["2026-07-04T10:00:05", "2026-07-04T08:00:05.000Z"],
  ["2026-07-04T10:00:05.123Z", "2026-07-04T10:00:05.000Z"],
  ["2026-07-04T10:00-0330", "2026-07-04T13:30:00.000Z"],
  ["2026-10-25", "2026-10-24T22:00:00.000Z"],
])("%s", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  ["2026-07", "2026-07-31T21:59:59.999Z"],
  ["2026-07-04", "2026-07-04T21:59:59.999Z"],
  ["2026-10-25", "2026-10-25T22:59:59.999Z"],
  ["today", "2026-12-01T22:59:59.999Z"],
  ["2026-07-04 10:00", "2026-07-04T08:00:59.999Z"],
  ["2026-07-04 10:00:05", "2026-07-04T08:00:05.999Z"],
  ["2d", "2026-11-29T09:30:00.000Z"],
])("the end of %s", (text, expected) => {
  expect(read(text, "end")).toBe(expected);
});

test.each(["", "soon", "2026-02-30", "2026-13", "2026-1-1", "-2d", "2d3h", "25:00", "2026-07-04 25:00", "1e3d", "12"])(
  "%s is no time",
  (text) => {
    expect(read(text)).toBe(undefined);
  },
);

test("no text whatever is an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const at = parsePastTime(text, { now, timeZone: undefined, edge: "end" });
      expect(at === undefined || Number.isFinite(at)).toBe(true);
    }),
  );
});
