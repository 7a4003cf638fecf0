import { hasOpaqueStretch, measure } from "./opacity.ts";
import { isConstantName, isMonotonous, isPlaceholder, isWordy } from "./placeholder.ts";
import type { Evidence } from "./redact-pattern.ts";

const SHORTEST_PASSWORD = 6;
const SHORTEST_RANDOM = 16;
const RANDOM_ENTROPY = 2.75;
const ALPHABET_RUN = /abcdefgh|ABCDEFGH/;

const hasDigitAndLetter = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);
const hasBothCases = (value: string): boolean => /[a-z]/.test(value) && /[A-Z]/.test(value);

const isLikelyPassword = (value: string): boolean => {
  if (value.length < SHORTEST_PASSWORD || isWordy(value) || isConstantName(value)) return false;
  return (
    hasDigitAndLetter(value) ||
    (/[A-Za-z]/.test(value) && /[^A-Za-z0-9\-_./: ,]/.test(value)) ||
    hasOpaqueStretch(value)
  );
};

const decodedHead = (token: string): string =>
  Buffer.from(token.slice(0, token.indexOf(".")), "base64url").toString("utf8");

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    // Not JSON is an answer here, not a failure.
    return false;
  }
};

const isBasicCredentials = (value: string): boolean => {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  return /^[\x20-\x7e]+$/.test(decoded) && /[^:]{2}:|:[^:]{2}/.test(decoded);
};

/** What each level asks beyond `shape`; see `Evidence`. */
const TESTS: Readonly<Record<Evidence, (value: string) => boolean>> = {
  shape: () => true,
  digit: (value) => !isMonotonous(value) && (hasDigitAndLetter(value) || hasBothCases(value)),
  token: (value) => !isMonotonous(value) && hasOpaqueStretch(value),
  random: (value) =>
    value.length >= SHORTEST_RANDOM &&
    measure(value).entropy >= RANDOM_ENTROPY &&
    hasOpaqueStretch(value) &&
    !ALPHABET_RUN.test(value),
  password: (value) => !isMonotonous(value) && isLikelyPassword(value),
  jwt: (value) => isJsonObject(decodedHead(value)),
  basic: isBasicCredentials,
};

/** Whether `value` shows what a row asks for. Pure; linear in the value's length. */
export const showsEvidence = (value: string, evidence: Evidence): boolean =>
  value !== "" && (evidence === "jwt" || evidence === "basic" || !isPlaceholder(value)) && TESTS[evidence](value);
