/** A moment as people at one place write it. */
export interface LocalTime {
  /** `Tue` */
  readonly weekday: string;
  /** `2026-12-01` */
  readonly day: string;
  /** `09:05` */
  readonly time: string;
  /** `+01:00` */
  readonly offset: string;
}

/** Reads moments (ms UTC) as local time in a named zone, or in the machine's own. */
export const localTimeIn = (timeZone: string | undefined): ((now: number) => LocalTime) => {
  const offsetAt = timeZone === undefined ? (now: number) => -new Date(now).getTimezoneOffset() : offsetsOf(timeZone);
  return (now) => {
    const offset = offsetAt(now);
    // A clock shifted by the offset reads, in UTC, what the local clock reads.
    const shifted = new Date(now + offset * 60_000);
    const [day = "", time = ""] = shifted.toISOString().split("T");
    return { weekday: WEEKDAYS[shifted.getUTCDay()] ?? "", day, time: time.slice(0, 5), offset: formatOffset(offset) };
  };
};

/** Local time in a named zone, or in the machine's own. `now` in ms UTC. */
export const localTime = (now: number, timeZone: string | undefined): LocalTime => localTimeIn(timeZone)(now);

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

const formatOffset = (minutes: number): string => {
  const size = Math.abs(minutes);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};

/** Minutes east of UTC at a moment. Only for a named zone: the first use of the formatter costs 60 ms and 8 MiB. */
const offsetsOf = (timeZone: string): ((now: number) => number) => {
  const formatter = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (now) => {
    const name = formatter.formatToParts(now).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
    return sign === "-" ? -size : size;
  };
};
