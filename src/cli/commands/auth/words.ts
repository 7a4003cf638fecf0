import { keyValueOf } from "../../../llm/credential.ts";
import { hasEnded, isResting } from "../../../llm/auth/pool/availability.ts";
import type { Candidate } from "../../../llm/auth/pool/candidate.ts";
import { formatSeconds } from "../../format.ts";

/** A key is only shown where what is left out is enough to keep it. */
const LEAST_LENGTH = 20;

/** The beginning and the end of a key, to tell it from others; nothing of a login's token. */
export const maskedKey = ({ authType, base }: Candidate): string => {
  const value = keyValueOf(base);
  if (authType !== "api_key" || value === undefined) return "";
  return value.length < LEAST_LENGTH ? "***" : `${value.slice(0, 4)}…${value.slice(-4)}`;
};

/** What hinders a credential at `now`, in a few words; empty = nothing. */
export const stateWords = (candidate: Candidate, now: number): string => {
  const { status } = candidate;
  if (status.kind === "lost") return "sign in again";
  if (status.kind === "resting" && isResting(candidate, now)) {
    const { error, until } = status;
    const reason = error.status === undefined ? error.kind : `${error.kind}, ${error.status}`;
    return `rests ${formatSeconds(until - now)} (${reason})`;
  }
  return hasEnded(candidate, now) ? "ended" : "";
};

/** A credential as JSON; its secret at most masked. Moments in ISO form. */
export const credentialJson = (
  candidate: Candidate,
  facts: { readonly provider: string; readonly index: number; readonly isNext: boolean },
): object => {
  const { id, label, authType, source, priority, requestCount, baseUrl, expiresAt, status, stored } = candidate;
  const moment = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
  return {
    provider: facts.provider,
    index: facts.index,
    id,
    label,
    auth_type: authType,
    source,
    kept_here: stored?.kind === "owned",
    priority,
    request_count: requestCount,
    key: maskedKey(candidate) || null,
    base_url: baseUrl ?? null,
    expires_at: moment(expiresAt),
    is_next: facts.isNext,
    status: status.kind,
    ...(status.kind === "resting"
      ? { rests_until: moment(status.until), error: { kind: status.error.kind, status: status.error.status ?? null } }
      : {}),
    ...(status.kind === "lost" ? { why: status.why } : {}),
  };
};
