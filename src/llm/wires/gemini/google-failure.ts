import type { FailureFacts } from "../classify.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { ProviderErrorKind } from "../../provider-error.ts";

type Fields = Readonly<Record<string, unknown>>;

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Reasons of `google.rpc.ErrorInfo` that say more than the status does. */
const KIND_BY_REASON: ReadonlyMap<string, ProviderErrorKind> = new Map([
  ["API_KEY_INVALID", "auth"],
  ["API_KEY_EXPIRED", "auth"],
  ["API_KEY_SERVICE_BLOCKED", "auth"],
  ["ACCESS_TOKEN_EXPIRED", "auth"],
  ["ACCESS_TOKEN_TYPE_UNSUPPORTED", "auth"],
  ["CREDENTIALS_MISSING", "auth"],
  ["SERVICE_DISABLED", "auth"],
  ["CONSUMER_INVALID", "auth"],
  ["CONSUMER_SUSPENDED", "auth"],
  ["BILLING_DISABLED", "billing"],
  ["MODEL_CAPACITY_EXHAUSTED", "overloaded"],
]);

/** A quota of nothing is not used up but not sold: no wait mends it. */
const NO_QUOTA = /\blimit: 0\b(?![.\d])/;
const TOO_LARGE = /request payload size exceeds the limit/i;
const NOT_HERE = /location is not supported/i;
const CANCELLED = 499;

/**
 * Reads what `google.rpc.Status` says beside status and text: the reason, how long to wait, which quota is used up. The text of a
 * used-up quota speaks of plan and billing whatever the quota is, so it is not asked.
 */
export const refineGoogleFailure = (facts: FailureFacts, body: unknown, now: number | undefined): FailureFacts => {
  const error = asRecord(asRecord(body)?.error) ?? {};
  const details = asList(error.details)
    .map(asRecord)
    .filter((detail) => detail !== undefined);
  const waits = [facts.retryAfterMs, ...details.map((detail) => statedWait(detail, now))];
  const known = waits.filter((wait) => wait !== undefined);
  return {
    ...facts,
    kind: kindOf(facts, error, details),
    retryAfterMs: known.length === 0 ? undefined : Math.max(...known),
  };
};

const kindOf = (
  { status, text }: FailureFacts,
  error: Fields,
  details: readonly Fields[],
): ProviderErrorKind | undefined => {
  for (const { reason } of details) {
    const kind = typeof reason === "string" ? KIND_BY_REASON.get(reason) : undefined;
    if (kind !== undefined) return kind;
  }
  if (error.status === "RESOURCE_EXHAUSTED") return NO_QUOTA.test(text) ? "billing" : "rate_limit";
  if (error.status === "NOT_FOUND") return "model_not_found";
  if (error.status === "CANCELLED" || status === CANCELLED) return "server";
  if (TOO_LARGE.test(text)) return "payload_too_large";
  return NOT_HERE.test(text) ? "policy" : undefined;
};

/** The wait that one detail states: its own, or to the end of the day whose quota is used up. */
const statedWait = (detail: Fields, now: number | undefined): number | undefined => {
  const stated = parseDuration(detail.retryDelay) ?? parseDuration(asRecord(detail.metadata)?.quotaResetDelay);
  const daily = asList(detail.violations).some((violation) => isDaily(asRecord(violation) ?? {}));
  return daily && now !== undefined ? untilPacificMidnight(now) : stated;
};

const isDaily = ({ quotaId, quotaMetric, subject }: Fields): boolean =>
  [quotaId, quotaMetric, subject].some((name) => /per_?day/i.test(asText(name) ?? ""));

/** `34.4s`, `13h19m1.2s`, `539.47ms`, in milliseconds. */
const parseDuration = (value: unknown): number | undefined => {
  const text = asText(value);
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  const pieces = text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g);
  return Math.round(pieces.reduce((all, [, count, unit]) => all + Number(count) * (UNIT_MS[unit ?? ""] ?? 0), 0));
};

/** Daily quotas are given anew at midnight in California. */
const untilPacificMidnight = (now: number): number => {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: "America/Los_Angeles",
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(now);
  const read = (type: "hour" | "minute" | "second"): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  return DAY_MS - (read("hour") * 3_600_000 + read("minute") * 60_000 + read("second") * 1_000);
};
