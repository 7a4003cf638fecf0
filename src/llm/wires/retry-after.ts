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
