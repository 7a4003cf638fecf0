import type { Message } from "../../llm/message.ts";
import { localTime } from "../../base/local-time.ts";

/** After this long without a message the model is told the time again. */
const QUIET_MS = 30 * 60 * 1000;

/**
 * The line with volatile facts that a new user message carries (decision 16): local time and offset, when the day changed or 30 minutes
 * passed since it was last told, else undefined. Written once and never edited, so it costs no cached prefix.
 */
export const contextLine = (
  now: number,
  before: readonly Message[],
  timeZone: string | undefined,
): string | undefined => {
  const here = localTime(now, timeZone);
  const last = lastTold(before);
  if (last !== undefined && now - last.at < QUIET_MS && last.day === here.day) return undefined;
  return `[${here.weekday} ${here.day} ${here.time} ${here.offset}]`;
};

const TOLD = /^\[\w{3} (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) ([+-]\d{2}:\d{2})\]$/;

/** The time in the newest context line: the transcript alone is enough to know it. */
const lastTold = (messages: readonly Message[]): { readonly at: number; readonly day: string } | undefined => {
  const told = messages.findLast((message) => message.role === "user" && message.contextLine !== undefined);
  if (told?.role !== "user") return undefined;
  const [, day, time, offset] = TOLD.exec(told.contextLine ?? "") ?? [];
  return day === undefined ? undefined : { at: Date.parse(`${day}T${time}${offset}`), day };
};
