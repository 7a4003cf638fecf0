import { keyValueOf, loginHeadersOf } from "../credential.ts";
import type { WireTarget } from "./wire.ts";

/** What every request with a JSON body carries, whatever the format: how it is read, the row's own headers, the login's. */
export const requestHeaders = ({ credential, quirks, stream }: WireTarget): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  accept: stream ? "text/event-stream, application/json" : "application/json",
  ...quirks.headers,
  ...loginHeadersOf(credential),
});

/** The same, with the key as `authorization: Bearer`. */
export const bearerHeaders = (target: WireTarget): Readonly<Record<string, string>> => {
  const key = keyValueOf(target.credential);
  return { ...requestHeaders(target), ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
};
