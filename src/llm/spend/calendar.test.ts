import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createCalendar, shiftDay } from "./calendar.ts";

const at = (text: string): number => Date.parse(text);
const iso = (moment: number): string => new Date(moment).toISOString();

test.each([
  ["UTC", "2026-12-01T23:59:59.999Z", "2026-12-01", "2026-12-02T00:00:00.000Z"],
  ["Pacific/Auckland", "2026-12-01T23:30:00Z", "2026-12-02", "2026-12-02T11:00:00.000Z"],
  ["America/Los_Angeles", "2026-12-01T03:00:00Z", "2026-11-30", "2026-12-01T08:00:00.000Z"],
  ["Asia/Kathmandu", "2026-12-01T18:20:00Z", "2026-12-02", "2026-12-02T18:15:00.000Z"],
  // 23 hours, 25 hours, a day that begins at 01:00, and one that never was.
  ["Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29", "2026-03-29T22:00:00.000Z"],
  ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25", "2026-10-25T23:00:00.000Z"],
  ["Asia/Beirut", "2026-03-28T12:00:00Z", "2026-03-28", "2026-03-28T22:00:00.000Z"],
  ["Pacific/Apia", "2011-12-30T05:00:00Z", "2011-12-29", "2011-12-30T10:00:00.000Z"],
])("R-MONEY-2: in %s the day of %s is %s and ends at %s", (...[zone, moment, day, end]) => {
  const calendar = createCalendar(zone);
  expect(calendar.day(at(moment))).toBe(day);
  expect(iso(calendar.end("day", at(moment)))).toBe(end);
});

test.each([
  ["Europe/Berlin", "2026-12-31T22:59:59Z", "2026-12", "2026-12-31T23:00:00.000Z"],
  ["Europe/Berlin", "2026-12-31T23:00:00Z", "2027-01", "2027-01-31T23:00:00.000Z"],
  ["America/New_York", "2028-02-29T12:00:00Z", "2028-02", "2028-03-01T05:00:00.000Z"],
  ["America/New_York", "2026-03-01T05:00:00Z", "2026-03", "2026-04-01T04:00:00.000Z"],
])("R-MONEY-2: in %s the month of %s is %s and ends at %s", (...[zone, moment, month, end]) => {
  const calendar = createCalendar(zone);
  expect(calendar.month(at(moment))).toBe(month);
  expect(iso(calendar.end("month", at(moment)))).toBe(end);
});

test("a period's end is the first moment of the next one, whatever the zone and the time", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/St_Johns",
  ];
  const calendars = zones.map((zone) => createCalendar(zone));
  const moments = fc.integer({ min: at("2015-01-01T00:00:00Z"), max: at("2035-01-01T00:00:00Z") });
  fc.assert(
    fc.property(fc.constantFrom(...calendars), moments, fc.constantFrom("day", "month"), (calendar, moment, period) => {
      const key = (when: number): string => (period === "day" ? calendar.day(when) : calendar.month(when));
      const end = calendar.end(period, moment);
      expect(end).toBeGreaterThan(moment);
      expect([key(end - 1) === key(moment), key(end) > key(moment)]).toEqual([true, true]);
    }),
    { numRuns: 200 },
  );
});

test("days are counted by the calendar, over months, leap days and changes of the clock", () => {
  const berlin = createCalendar("Europe/Berlin");
  expect(berlin.dayBefore(at("2026-03-29T22:30:00Z"), 1)).toBe("2026-03-29");
  expect(berlin.dayBefore(at("2026-12-01T00:00:00Z"), 29)).toBe("2026-11-02");
  expect([shiftDay("2028-03-01", -1), shiftDay("2026-12-31", 1), shiftDay("2026-12-01", 0)]).toEqual([
    "2028-02-29",
    "2027-01-01",
    "2026-12-01",
  ]);
});

test("moments read as the owner's clock shows them", () => {
  expect(createCalendar("Europe/Berlin").format(at("2026-12-01T23:00:00Z"))).toBe("2026-12-02 00:00");
});
