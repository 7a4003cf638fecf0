import { parseJson } from "../../../base/parse-json.ts";
import { asRecord, asText } from "../../wires/json-fields.ts";

/** Numbers above it are milliseconds, below it seconds: 10^11 ms was 1973, 10^11 s will be the year 5138. */
const LEAST_MS = 100_000_000_000;
/** The end of the year 9999: what is later is a slip, and cannot be written as a date in four digits. */
const LATEST_MS = 253_402_300_799_999;

/** A moment as any program writes it (seconds, milliseconds, either as text, ISO): ms UTC; undefined = none. */
export const momentOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return momentOfNumber(value);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  if (!Number.isNaN(number)) return momentOfNumber(number);
  // A time without a zone is UTC: the existing system writes such.
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(value.trim());
  const parsed = Date.parse(hasZone ? value : `${value.trim()}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
};

const momentOfNumber = (value: number): number | undefined => {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  const ms = Math.round(value < LEAST_MS ? value * 1000 : value);
  return ms > LATEST_MS ? undefined : ms;
};

/** The moment so many seconds after `now` (ms UTC), as token endpoints state ends; undefined = later than any date. */
export const momentAfter = (now: number, seconds: number): number | undefined => momentOf(now + seconds * 1000);

/** What a JSON Web Token says of itself, unverified; undefined for a text that is none. */
export const tokenClaims = (token: string | undefined): Readonly<Record<string, unknown>> | undefined => {
  const parts = token?.split(".") ?? [];
  if (parts.length !== 3) return undefined;
  return asRecord(parseJson(Buffer.from(parts[1] ?? "", "base64url").toString("utf8")));
};

/** When a JSON Web Token ends, ms UTC; undefined where it does not say so. */
export const tokenExpiry = (token: string | undefined): number | undefined => momentOf(tokenClaims(token)?.["exp"]);

/** Whose a JSON Web Token is, for a label: a mail address or a name. */
export const tokenOwner = (token: string | undefined): string | undefined => {
  const claims = tokenClaims(token);
  const profile = asRecord(claims?.["https://api.openai.com/profile"]);
  return (
    asText(claims?.["email"]) ??
    asText(profile?.["email"]) ??
    asText(claims?.["preferred_username"]) ??
    asText(claims?.["upn"])
  );
};
