import type { ProviderError } from "../provider-error.ts";

/**
 * What may help after a call failed for good with one credential.
 * `credential` = another key or login of the provider; `rest` = the failed one rests meanwhile. `route` = another model.
 */
export interface NextStep {
  /** A login is renewed first, once. */
  readonly renew: boolean;
  readonly credential: boolean;
  readonly rest: boolean;
  readonly route: boolean;
}

const NOTHING: NextStep = { renew: false, credential: false, rest: false, route: false };
const ROUTE: NextStep = { ...NOTHING, route: true };
const CREDENTIAL: NextStep = { renew: false, credential: true, rest: true, route: true };

/**
 * The kinds of failure and what may help (compat 4.4, 4.5). A request that is itself wrong, or too long, would fail everywhere;
 * one that the owner's own cap refused must not be made elsewhere.
 */
export const nextStepAfter = (error: ProviderError): NextStep => {
  switch (error.kind) {
    case "auth":
      return error.status === 401 ? { ...CREDENTIAL, renew: true } : CREDENTIAL;
    case "billing":
    case "rate_limit":
      return CREDENTIAL;
    case "stalled":
    case "timeout":
      // R-TIME-3: the next credential, else the fallback. The key is not to blame.
      return { ...CREDENTIAL, rest: false };
    case "overloaded":
    case "server":
    case "network":
    case "empty_stream":
    case "protocol":
    case "resource":
    case "model_not_found":
    case "policy":
      return ROUTE;
    case "overflow":
    case "payload_too_large":
    case "invalid_request":
    case "budget":
      return NOTHING;
  }
};
