import { localTimeIn } from "./local-time.ts";

/** How a written time is to be read. */
export interface PastTimeOptions {
  /** ms UTC. */
  readonly now: number;
  /** Undefined = the machine's. */
  readonly timeZone: string | undefined;
  /** Which end of a day, month or minute is meant where no more is said. */
  readonly edge: "start" | "end";
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  y: 365 * DAY_MS,
};

const SPAN = /^(\d{1,6})\s*([smhdwy])(?:\s+ago)?$/i;
const MOMENT = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?)?$/i;

/**
 * Reads when something was, as people write it: a span back from now (`30m`, `2h`, `3d`, `2w`, `1y`), `now`, `today`, `yesterday`,
 * or `2026-11`, `2026-11-30`, `2026-11-30 14:05` with or without seconds and offset. Without an offset it is local time. Undefined
 * = it is none of these.
 */
export const parsePastTime = (text: string, options: PastTimeOptions): number | undefined => {
  const { now, timeZone } = options;
  const written = text.trim().toLowerCase();
  if (written === "now") return now;
  const [, count, unit = ""] = SPAN.exec(written) ?? [];
  if (count !== undefined) return now - Number(count) * (UNIT_MS[unit] ?? 0);
  if (written === "today" || written === "yesterday") {
    const today = localTimeIn(timeZone)(now).day;
    const noon = Date.parse(`${today}T12:00:00Z`) - (written === "yesterday" ? DAY_MS : 0);
    return parseMoment(new Date(noon).toISOString().slice(0, 10), options);
  }
  return parseMoment(written, options);
};

const parseMoment = (text: string, { timeZone, edge }: PastTimeOptions): number | undefined => {
  const match = MOMENT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, offset] = match;
  const clock = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day ?? 1),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  );
  // A date that does not exist would become another one in silence.
  const readBack = new Date(clock).toISOString();
  if (!readBack.startsWith(`${year}-${month}-${day ?? "01"}T${hour ?? "00"}:${minute ?? "00"}`)) return undefined;
  const last = edge === "start" ? clock : endOf(clock, match) - 1;
  return offset === undefined ? fromLocal(last, timeZone) : last - offsetMs(offset);
};

/** The moment after the written day, month, minute or second. */
const endOf = (clock: number, [, , , day, hour, , second]: RegExpExecArray): number => {
  if (second !== undefined) return clock + 1_000;
  if (hour !== undefined) return clock + MINUTE_MS;
  if (day !== undefined) return clock + DAY_MS;
  const month = new Date(clock);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1);
};

const offsetMs = (offset: string): number => {
  if (offset === "z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
};

/** The moment at which a local clock shows this (given as if it were UTC). Asked twice, because the offset may change in between. */
const fromLocal = (clock: number, timeZone: string | undefined): number => {
  const offsetAt = (at: number): number => offsetMs(localTimeIn(timeZone)(at).offset);
  return clock - offsetAt(clock - offsetAt(clock));
};
