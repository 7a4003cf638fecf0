import { localTimeIn } from "../../base/local-time.ts";

const DAY_MS = 24 * 3_600_000;
/** Longer than any local month. */
const LONGEST_MONTH_MS = 33 * DAY_MS;

/** The owner's calendar: which local day and month a moment is in, and when these end. */
export interface Calendar {
  /** `2026-12-01` */
  day(at: number): string;
  /** `2026-12` */
  month(at: number): string;
  /** The first moment of the next local day or month, ms UTC. Days with 23 or 25 hours are counted as they are. */
  end(period: "day" | "month", at: number): number;
  /** A moment in local time: `2026-12-02 00:00`. */
  format(at: number): string;
  /** The local day so many days before the one of `at`. */
  dayBefore(at: number, days: number): string;
}

/** A calendar of an IANA time zone; undefined = the machine's. */
export const createCalendar = (timeZone: string | undefined): Calendar => {
  const read = localTimeIn(timeZone);
  const format = (at: number): string => {
    const { day, time } = read(at);
    return `${day} ${time}`;
  };
  const day = (at: number): string => read(at).day;
  const month = (at: number): string => day(at).slice(0, 7);
  return {
    day,
    month,
    format,
    end: (period, at) => {
      const keyOf = period === "day" ? day : month;
      return firstAfter(keyOf, { from: at, to: at + (period === "day" ? 2 * DAY_MS : LONGEST_MONTH_MS) });
    },
    dayBefore: (at, days) => shiftDay(day(at), -days),
  };
};

/** The day so many days after another, by the calendar alone. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** Halves the range until the moment is found at which the key changes. */
const firstAfter = (keyOf: (at: number) => string, range: { readonly from: number; readonly to: number }): number => {
  const key = keyOf(range.from);
  let { from, to } = range;
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (keyOf(middle) === key) from = middle;
    else to = middle;
  }
  return to;
};
