import type { Message } from "../../llm/message.ts";

/** After this long without a message the model is told the time again. */
const QUIET_MS = 30 * 60 * 1000;

/**
 * The line with volatile facts that a new user message carries (decision 16): local time and zone, when the day changed or 30 minutes
 * passed since the message before, else undefined. Written once and never edited, so it costs no cached prefix.
 */
export const contextLine = (
  now: number,
  before: readonly Message[],
  timeZone: string | undefined,
): string | undefined => {
  const last = lastTold(before);
  if (last !== undefined && now - last < QUIET_MS && localDay(last, timeZone) === localDay(now, timeZone))
    return undefined;
  return `[${localDay(now, timeZone)} ${localTime(now, timeZone)}; ${new Date(now).toISOString().slice(0, 16)}Z]`;
};

/** The time in the newest context line: the UTC part is there so that it can be read back from the transcript alone. */
const lastTold = (messages: readonly Message[]): number | undefined => {
  const told = messages.findLast((message) => message.role === "user" && message.contextLine !== undefined);
  if (told?.role !== "user" || told.contextLine === undefined) return undefined;
  const utc = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})Z\]$/.exec(told.contextLine)?.[1];
  return utc === undefined ? undefined : Date.parse(`${utc}:00Z`);
};

const format = (now: number, timeZone: string | undefined, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-CA", { ...options, ...(timeZone === undefined ? {} : { timeZone }) }).format(now);

const localDay = (now: number, timeZone: string | undefined): string =>
  format(now, timeZone, { weekday: "short", year: "numeric", month: "2-digit", day: "2-digit" });

const localTime = (now: number, timeZone: string | undefined): string =>
  format(now, timeZone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" });
