import * as z from "zod";
import { parseJson } from "../base/parse-json.ts";
import { cleanText } from "./chat/text-safety.ts";
import { cliErrors } from "./errors.ts";
import { formatTime } from "./format.ts";

/** Whether a line of a log is to be shown. */
export type LogFilter = (line: string) => boolean;

const LEVELS = ["debug", "info", "warn", "error"] as const;
const LEVEL_NAMES: Readonly<Record<string, (typeof LEVELS)[number]>> = {
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
};

const logRow = z.object({
  time: z.string(),
  level: z.enum(LEVELS),
  component: z.string().optional(),
  session: z.string().optional(),
  pid: z.number().optional(),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()).optional(),
});

/** The filter that `--level`, `--session`, `--component` and `--since` describe. Throws `cli.usage` for values that mean nothing. */
export const createLogFilter = (
  flags: Readonly<Record<string, string | boolean | undefined>>,
  now: number,
): LogFilter => {
  const level = flags["level"] === undefined ? undefined : parseLevel(String(flags["level"]));
  const since = flags["since"] === undefined ? undefined : parseSince(String(flags["since"]), now);
  const { session, component } = flags;
  return (line) => {
    const row = parseRow(line);
    // A line that is none of ours is shown unless something was asked for that it cannot answer.
    if (row === undefined)
      return level === undefined && since === undefined && session === undefined && component === undefined;
    if (level !== undefined && LEVELS.indexOf(row.level) < LEVELS.indexOf(level)) return false;
    if (since !== undefined && Date.parse(row.time) < since) return false;
    if (typeof session === "string" && row.session?.startsWith(session) !== true) return false;
    return typeof component !== "string" || row.component === component;
  };
};

const parseLevel = (text: string): (typeof LEVELS)[number] => {
  const level = LEVEL_NAMES[text.toLowerCase()];
  if (level === undefined)
    throw cliErrors.usage({ message: `--level takes ${Object.keys(LEVEL_NAMES).join(", ")}, not "${text}".` });
  return level;
};

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const parseSince = (text: string, now: number): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (UNIT_MS[unit] ?? 0);
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw cliErrors.usage({ message: `--since takes a span (30m, 2h, 1d) or a date, not "${text}".` });
  return at;
};

/** Undefined = not one of our lines (a crash may have left half of one). */
const parseRow = (line: string): z.infer<typeof logRow> | undefined => logRow.safeParse(parseJson(line)).data;

/** A line for people: local time, level, component, message, then its fields. */
export const renderLogLine = (line: string, timeZone: string | undefined): string => {
  const row = parseRow(line);
  if (row === undefined) return cleanText(line);
  const time = formatTime(Date.parse(row.time), timeZone, "medium");
  const fields = Object.entries(row.fields ?? {}).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return cleanText([time, row.level.toUpperCase().padEnd(5), row.component ?? "-", row.message, ...fields].join(" "));
};
