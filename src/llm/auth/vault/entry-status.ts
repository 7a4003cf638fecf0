import type { ProviderError, ProviderErrorKind } from "../../provider-error.ts";
import { asText } from "../../wires/json-fields.ts";
import { momentOf } from "./token-time.ts";

/** What is known of a credential's use. Moments are ms UTC. */
export type EntryStatus =
  | { readonly kind: "ok" }
  /** It was refused or is used up; `stated` = the provider named the end itself. */
  | {
      readonly kind: "resting";
      readonly since: number;
      readonly until: number;
      readonly stated: boolean;
      readonly error: ProviderError;
    }
  /** A login that cannot be renewed any more. */
  | { readonly kind: "lost"; readonly since: number; readonly code: string; readonly why: string };

/** Nothing is held against it. */
export const OK: EntryStatus = { kind: "ok" };

const REST_AFTER_401_MS = 300_000;
const REST_MS = 3_600_000;
/** Weekly limits exist; what asks for more is a slip of the provider's. */
const LONGEST_REST_MS = 31 * 24 * 3_600_000;
const LONGEST_MESSAGE = 500;

/** How long a credential rests: the provider's own time, else 300 s after a 401 and 3,600 s after all else (compat 4.5). */
export const restAfter = (error: ProviderError, now: number): Extract<EntryStatus, { kind: "resting" }> => {
  const stated = error.retryAfterMs;
  const own = error.status === 401 ? REST_AFTER_401_MS : REST_MS;
  const length = stated === undefined ? own : Math.min(Math.max(0, stated), LONGEST_REST_MS);
  return { kind: "resting", since: now, until: now + length, stated: stated !== undefined, error };
};

/** Reasons that a login is gone for good, as token endpoints name them. */
const LOST_CODES: ReadonlySet<string> = new Set([
  "invalid_grant",
  "refresh_token_reused",
  "refresh_token_expired",
  "refresh_token_invalidated",
  "token_revoked",
]);

/** Whether a token endpoint's error code says that the login is gone, and not that something failed for now. */
export const isLostCode = (code: string): boolean => LOST_CODES.has(code);

const ERROR_KINDS: readonly ProviderErrorKind[] = [
  "auth",
  "billing",
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "stalled",
  "timeout",
];

/** The six `last_*` members of an entry on disk as a status (compat 3.4). */
export const readStatus = (raw: Readonly<Record<string, unknown>>): EntryStatus => {
  if (raw["last_status"] !== "exhausted" && raw["last_status"] !== "dead") return OK;
  const since = momentOf(raw["last_status_at"]);
  const reason = asText(raw["last_error_reason"]) ?? "";
  const message = asText(raw["last_error_message"]) ?? "";
  if (raw["last_status"] === "dead" || isLostCode(reason)) {
    return { kind: "lost", since: since ?? 0, code: reason || "invalid_grant", why: message || reason };
  }
  if (since === undefined) return OK;
  const status = typeof raw["last_error_code"] === "number" ? raw["last_error_code"] : undefined;
  const error = { kind: errorKindOf(reason, status), message, ...(status === undefined ? {} : { status }) };
  const stated = momentOf(raw["last_error_reset_at"]);
  if (stated === undefined) return restAfter(error, since);
  return { kind: "resting", since, until: Math.min(stated, since + LONGEST_REST_MS), stated: true, error };
};

const errorKindOf = (reason: string, status: number | undefined): ProviderErrorKind => {
  const known = ERROR_KINDS.find((kind) => kind === reason);
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return "auth";
  return status === 402 ? "billing" : "rate_limit";
};

/** The six members as they are always written; moments in seconds, as the existing system writes them. */
export const writeStatus = (status: EntryStatus): Readonly<Record<string, string | number | null>> => {
  const at = status.kind === "ok" ? null : status.since / 1000;
  switch (status.kind) {
    case "ok":
      return statusMembers({ last_status: "ok" });
    case "resting":
      return statusMembers({
        last_status: "exhausted",
        last_status_at: at,
        last_error_code: status.error.status ?? null,
        last_error_reason: status.error.kind,
        last_error_message: status.error.message.slice(0, LONGEST_MESSAGE),
        last_error_reset_at: status.stated ? status.until / 1000 : null,
      });
    case "lost":
      return statusMembers({
        last_status: "exhausted",
        last_status_at: at,
        last_error_code: 401,
        last_error_reason: isLostCode(status.code) ? status.code : "invalid_grant",
        last_error_message: status.why.slice(0, LONGEST_MESSAGE),
      });
  }
};

const statusMembers = (
  set: Readonly<Record<string, string | number | null>>,
): Readonly<Record<string, string | number | null>> => ({
  last_status: null,
  last_status_at: null,
  last_error_code: null,
  last_error_reason: null,
  last_error_message: null,
  last_error_reset_at: null,
  ...set,
});
