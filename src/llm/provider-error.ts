/**
 * What went wrong with a call, classified once in the wire file. Surfaces turn the kind into words;
 * the call loop turns it into an action.
 */
export type ProviderErrorKind =
  | "auth" // 401/403: the key or login is not accepted
  | "billing" // 402: no money left
  | "rate_limit" // 429
  | "overloaded" // 503, 529
  | "server" // any other 5xx
  | "network" // the request did not reach the provider, or the connection broke
  | "stalled" // no progress for the stall limit
  | "timeout" // the whole call took longer than its request timeout
  | "empty_stream" // a successful status and nothing usable in it
  | "overflow" // the request does not fit the model's window
  | "payload_too_large" // 413
  | "resource" // the (local) server is out of memory; the conversation is not too long
  | "model_not_found"
  | "policy" // refused by the provider's policy
  | "invalid_request" // any other 4xx
  | "budget" // the owner's own cap is reached: no call was made
  | "protocol"; // the answer does not follow the wire's format

/** A failed call. Never holds a key; `message` is the provider's text, redacted and bounded. */
export interface ProviderError {
  readonly kind: ProviderErrorKind;
  readonly message: string;
  readonly status?: number;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number;
  /** The window that the provider stated in its error, in tokens; only from a structured or unambiguous statement. */
  readonly contextWindow?: number;
  /** With `network`: an answer had begun, and the connection broke in it. */
  readonly broken?: true;
}

/** Kinds for which the same request may succeed when it is sent again. */
const RETRYABLE: ReadonlySet<ProviderErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "stalled",
  "timeout",
  "empty_stream",
  "resource",
]);

/** Whether sending the same request again can help. */
export const isRetryable = (error: ProviderError): boolean => RETRYABLE.has(error.kind);
