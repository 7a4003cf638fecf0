import { sliceCharacters } from "../base/slice-characters.ts";
import { formatDollars, formatTokens } from "../llm/spend/amounts.ts";
import type { SessionSummary } from "./ports.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in one unit: `now`, `5m`, `3h`, `12d`. */
export const formatAge = (ms: number): string => {
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
};

/** A number of tokens with thousands parted: `12,345`. */
export const formatCount = formatTokens;

/** US dollars, small sums with more places; an unknown one is said to be so. */
export const formatCost = (dollars: number | null): string => (dollars === null ? "unknown" : formatDollars(dollars));

const LONGEST_OPENING = 40;

/** What a session is known by in a list: its title, else how it begins, in quotation marks. */
const nameOf = ({ title, opening }: SessionSummary): string => {
  if (title !== null || opening === undefined) return title ?? "";
  return `“${opening.length > LONGEST_OPENING ? `${sliceCharacters(opening, 0, LONGEST_OPENING)}…` : opening}”`;
};

/** One row of a list of sessions. */
export const sessionRow = (session: SessionSummary, now: number): readonly string[] => [
  session.id,
  nameOf(session),
  String(session.messageCount),
  formatAge(now - session.activeAt),
];

/** The heads of `sessionRow`. */
export const SESSION_COLUMNS = ["id", "title", "messages", "last"] as const;
