import type { TokenRequest } from "../renew/token-request.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import type { EndpointAnswer } from "./ask-endpoint.ts";
import type { Pkce } from "./pkce.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/** What was asked for: the provider, and what proves that it was us. */
export interface DeviceAsking {
  readonly row: SignInProvider;
  readonly pkce: Pkce;
  readonly state: string;
  /** Wall time, ms UTC. */
  readonly now: number;
}

/** A code that a person enters elsewhere. */
export interface DeviceGrant {
  /** Shown to the person. */
  readonly userCode: string;
  /** Where it is entered. */
  readonly page: string;
  /** The same page with the code filled in. */
  readonly filledPage?: string | undefined;
  /** What the answer is asked for with; secret. */
  readonly handle: string;
  readonly intervalMs: number;
  readonly lifetimeMs: number;
}

/** What asking after a code brought. */
export type DevicePoll =
  | { readonly kind: "pending" }
  /** Asked too often: 5 s more from now on (RFC 8628, 3.5). */
  | { readonly kind: "slow_down" }
  | { readonly kind: "tokens"; readonly body: JsonObject }
  /** The person agreed; the tokens are had for a code and its verifier. */
  | { readonly kind: "code"; readonly code: string; readonly verifier: string }
  | { readonly kind: "denied" }
  | { readonly kind: "expired" }
  /** The endpoint is not well for now. */
  | { readonly kind: "try_again" }
  | { readonly kind: "failed" };

/** One vendor's form of signing in by a code: requests and answers, nothing else. Must not throw. */
export interface DeviceForm {
  ask(asking: DeviceAsking): TokenRequest;
  /** Undefined = the answer is none. */
  readGrant(answer: EndpointAnswer, asking: DeviceAsking): DeviceGrant | undefined;
  poll(asking: DeviceAsking, grant: DeviceGrant): TokenRequest;
  readPoll(answer: EndpointAnswer): DevicePoll;
}

/** A number of a JSON answer that may stand there as text; undefined where it is none or not above 0. */
export const positiveNumber = (value: unknown): number | undefined => {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number > 0 ? number : undefined;
};

/** A status that says nothing about the sign-in itself. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;
