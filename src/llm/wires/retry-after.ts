import type { HeaderLookup } from "./wire.ts";

const SECONDS = /^\d+(?:\.\d+)?$/;

/** Milliseconds of a `Retry-After` value: seconds, or an HTTP date seen from `now` (ms UTC). Undefined for anything else. */
const parseRetryAfter = (value: string, now: number): number | undefined => {
  const text = value.trim();
  if (SECONDS.test(text)) return Math.round(Number(text) * 1000);
  // `Date.parse` takes bare numbers and words like "abc 1"; every HTTP date begins with a day's name and ends with GMT.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .+(?: GMT| \d{4})$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
};

/** How long the provider asks to wait, in milliseconds; `retry-after-ms` (Azure, OpenAI) is the finer of the two. */
export const readRetryAfter = (headers: HeaderLookup, now: number): number | undefined => {
  const fine = headers.get("retry-after-ms")?.trim();
  if (fine !== undefined && SECONDS.test(fine) && Number(fine) > 0) return Math.round(Number(fine));
  const value = headers.get("retry-after");
  return value === null ? undefined : parseRetryAfter(value, now);
};

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const IN_WORDS =
  /\b(?:try again|retry)\b[^.]{0,20}?\b(?:in|after) (?:about |approximately )?((?:\d+(?:\.\d+)?\s?(?:ms|milli|[hms])[a-z]*[\s,]*)+)/i;
const LENGTH = /(\d+(?:\.\d+)?)\s?(ms|milli|[hms])/gi;

/**
 * The wait in milliseconds that stands in an error's body: in a field of its own (`resets_in_seconds`, `retry_after`), or in its
 * words ("Please try again in 7.66s", "1m30s", "20 seconds"). Undefined where there is none.
 */
export const readStatedWait = (error: Readonly<Record<string, unknown>>, text: string): number | undefined => {
  const seconds = [error["resets_in_seconds"], error["retry_after_seconds"], error["retry_after"]].find(
    (value) => typeof value === "number" && value >= 0,
  );
  if (typeof seconds === "number") return Math.round(seconds * 1_000);
  const said = IN_WORDS.exec(text)?.[1];
  if (said === undefined) return undefined;
  const pieces = said.toLowerCase().matchAll(LENGTH);
  return Math.round(
    pieces.reduce(
      (all, [, count, unit = ""]) => all + Number(count) * (UNIT_MS[unit === "milli" ? "ms" : unit] ?? 0),
      0,
    ),
  );
};
