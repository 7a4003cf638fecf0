/** Readers for what a provider sent: each answers undefined for anything of another shape, and none throws. */

/** A JSON object. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;

/** A JSON array; empty for anything else. */
export const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];

/** A string that holds something. */
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** More tokens than any request or window has; a larger number is a provider's slip, and sums of such would be no integers. */
const MOST_TOKENS = 1_000_000_000;

/** A whole number of tokens, 0 or more. */
export const asCount = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= MOST_TOKENS ? Math.floor(value) : undefined;
