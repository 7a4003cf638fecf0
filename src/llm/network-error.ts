import { messageOf } from "../base/app-error.ts";
import { systemErrorCode } from "../base/system-error.ts";
import type { ProviderError } from "./provider-error.ts";

const CERTIFICATE_CODES =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/;

/** What the usual codes mean, said of the host. */
const WORDS: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `nothing answers at ${host} (connection refused)`,
  ENOTFOUND: (host) => `the name of ${host} is unknown (DNS)`,
  EAI_AGAIN: (host) => `the name of ${host} could not be looked up (DNS)`,
  ECONNRESET: (host) => `${host} broke the connection`,
  EPIPE: (host) => `${host} broke the connection`,
  UND_ERR_SOCKET: (host) => `${host} broke the connection`,
  ETIMEDOUT: (host) => `${host} did not accept a connection in time`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} did not accept a connection in time`,
  EHOSTUNREACH: (host) => `there is no way to ${host}`,
  ENETUNREACH: (host) => `there is no way to ${host}; is this machine online?`,
  ENETDOWN: (host) => `there is no way to ${host}; is this machine online?`,
};

/** The code of the failure itself or of the nearest cause that has one. */
const codeOf = (thrown: unknown): string | undefined => {
  if (!(thrown instanceof Error)) return undefined;
  return systemErrorCode(thrown) ?? codeOf(thrown.cause);
};

/** What undici throws for a request that cannot be sent, e.g. a key with a line end in it. */
const UNSENDABLE = "UND_ERR_INVALID_ARG";

/**
 * Classifies what was thrown while `url` was called; the host is named and nothing else of the address. What carries no
 * code did not come from the network and is not tried again.
 */
export const networkError = (thrown: unknown, url: string): ProviderError => {
  const host = URL.canParse(url) ? new URL(url).host : "the provider";
  const code = codeOf(thrown);
  if (code === undefined) return { kind: "protocol", message: `the call to ${host} failed: ${messageOf(thrown)}` };
  if (code === UNSENDABLE)
    return { kind: "invalid_request", message: `the request cannot be sent: ${messageOf(thrown)}` };
  if (CERTIFICATE_CODES.test(code)) {
    const advice = "a company's own authority goes into NODE_EXTRA_CA_CERTS";
    return { kind: "network", message: `the certificate of ${host} is not trusted (${code}); ${advice}` };
  }
  const words = WORDS[code];
  const message = words === undefined ? `the call to ${host} failed: ${messageOf(thrown)} (${code})` : words(host);
  return { kind: "network", message };
};
