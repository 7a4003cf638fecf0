import type { ProviderErrorKind } from "../../llm/provider-error.ts";
import { keyCredential, secretTextsOf } from "../../llm/credential.ts";
import { TEST_KEY } from "../scripted-provider/read-call.ts";
import type { WireBodies } from "../wire-bodies/wire-body.ts";
import { answer, once, refuse, sendHead, type Ending, type Exchange, type Hazard } from "./hazard.ts";

/** Some providers repeat the key that they refuse. */
const saidBy = ({ target }: WireBodies, status: number): string => {
  const secret = secretTextsOf(target.credential ?? keyCredential(TEST_KEY)).join();
  return `${status === 404 ? "The model m-1 does not exist for" : "Something is wrong with"} ${secret}.`;
};

/** What the person reads: the provider's words, without the key in them. */
const WORDS = /^(?:Something is wrong with|The model m-1 does not exist for) «key»\.$/;

const always =
  (status: number): Hazard["play"] =>
  (exchange) =>
    refuse(exchange, { status, message: saidBy(exchange.bodies, status) });

const RETRIED = 3;

/** Statuses, what each is taken for, and how often it is asked. */
const STATUSES: readonly (readonly [number, ProviderErrorKind, number])[] = [
  [400, "invalid_request", 1],
  [401, "auth", 1],
  [402, "billing", 1],
  [403, "auth", 1],
  [404, "model_not_found", 1],
  [408, "server", RETRIED],
  [413, "payload_too_large", 1],
  [429, "rate_limit", RETRIED],
  [500, "server", RETRIED],
  [502, "server", RETRIED],
  [503, "overloaded", RETRIED],
  [529, "overloaded", RETRIED],
];

/** Waits that a 429 states, and how long is waited; "never" = it is given up and the wait is named. */
const HINTS: readonly (readonly [string, Readonly<Record<string, string>>, number | "never"])[] = [
  ["retry-after: 45", { "retry-after": "45" }, 45_000],
  ["Retry-After as a date", { "Retry-After": "Thu, 01 Jan 2026 00:00:45 GMT" }, 45_000],
  ["retry-after-ms: 1500", { "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
  ["retry-after: 0", { "retry-after": "0" }, 1_000],
  ["retry-after: soon", { "retry-after": "soon" }, 2_000],
  ["retry-after: -5", { "retry-after": "-5" }, 2_000],
  ["retry-after: 86400", { "retry-after": "86400" }, "never"],
];

const hint = ([name, headers, wait]: (typeof HINTS)[number]): Hazard => ({
  name: `429 with ${name}`,
  play: once((exchange) => refuse(exchange, { status: 429, message: "slow down" }, headers)),
  ends:
    wait === "never"
      ? { kind: "rate_limit", requests: 1, says: /^slow down \(the provider asks to wait 24 hours\)$/ }
      : { kind: "answer", requests: 2, waits: [wait] },
});

/** Waits that stand in the words or fields of the body alone. */
const BODY_HINTS: readonly (readonly [string, string, number])[] = [
  [
    "its wait in words",
    '{"error":{"message":"Rate limit reached for m-1. Please try again in 7.66s.","code":429}}',
    7_660,
  ],
  [
    "its wait in milliseconds",
    '{"error":{"message":"Please try again in 2340ms","code":"rate_limit_exceeded"}}',
    2_340,
  ],
  [
    "its wait in a field",
    '{"error":{"type":"usage_limit_reached","message":"The usage limit is reached","resets_in_seconds":33}}',
    33_000,
  ],
];

const bodyHint = ([name, body, wait]: (typeof BODY_HINTS)[number]): Hazard => ({
  name: `429 with ${name}`,
  play: once(({ response }) => {
    response.writeHead(429, { "content-type": "application/json" });
    response.end(body);
  }),
  ends: { kind: "answer", requests: 2, waits: [wait] },
});

const PAGE = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>nginx</body></html>";

const page =
  (status: number): Hazard["play"] =>
  ({ response }: Exchange) => {
    response.writeHead(status, { "content-type": "text/html" });
    response.end(PAGE);
  };

const inStream =
  (status: number, afterText: boolean): Hazard["play"] =>
  (exchange) => {
    const { response, bodies, mode } = exchange;
    sendHead(exchange);
    const message = saidBy(bodies, status);
    if (mode === "at once") {
      response.end(bodies.failure({ status, message }).body);
      return;
    }
    const begun = bodies.stream({ text: "The answer is", finish: "stop" }).slice(0, 3);
    if (afterText) for (const { bytes } of begun) response.write(bytes);
    response.end(bodies.errorEvent({ status, message }));
  };

/** A status that stands in the body only: Amazon's and Anthropic's bodies name the kind by other names than a status. */
const told = (status: number, kind: ProviderErrorKind, requests: number): readonly Hazard[] =>
  [false, true].map((afterText) => ({
    name: `${status} inside a 200${afterText ? ", after some text" : ""}`,
    ...(afterText ? { modes: ["streamed"] as const } : {}),
    play: inStream(status, afterText),
    ends: (bodies, mode): Ending => {
      // Of an exception that came at once, Amazon's body holds the words but not the name.
      const nameless = bodies.wire === "bedrock_converse" && mode === "at once";
      return nameless ? { kind: "server", requests: RETRIED, says: WORDS } : { kind, requests, says: WORDS };
    },
  }));

/** Everything that is told by a status, by words, or by a page (compat 4.4, B02, B12). */
export const STATUS_HAZARDS: readonly Hazard[] = [
  ...STATUSES.map(([status, kind, requests]) => ({
    name: `${status}`,
    play: always(status),
    ends: { kind, requests, says: WORDS },
  })),
  ...[408, 429, 500, 502, 503, 529].map((status): Hazard => ({
    name: `${status}, once`,
    play: once(always(status)),
    ends: { kind: "answer", requests: 2, waits: [2_000] },
  })),
  ...HINTS.map(hint),
  ...BODY_HINTS.map(bodyHint),
  {
    name: "503 with retry-after: 7",
    play: once((exchange) => refuse(exchange, { status: 503, message: "busy" }, { "retry-after": "7" })),
    ends: { kind: "answer", requests: 2, waits: [7_000] },
  },
  ...told(400, "invalid_request", 1),
  ...told(429, "rate_limit", RETRIED),
  ...told(503, "overloaded", RETRIED),
  {
    name: "503 inside a 200, once",
    modes: ["streamed"],
    play: once(inStream(503, true)),
    ends: { kind: "answer", requests: 2, waits: [2_000] },
  },
  {
    name: "a proxy's page with 200",
    play: page(200),
    ends: { kind: "protocol", requests: 1, says: /answered with a page \(text\/html\).*is base_url right\?$/ },
  },
  {
    name: "a proxy's page with 502",
    play: page(502),
    ends: { kind: "server", requests: RETRIED, says: /^the answer is a web page: Bad gateway$/ },
  },
  {
    name: "a proxy's page with 502, once",
    play: once(page(502)),
    ends: { kind: "answer", requests: 2, waits: [2_000] },
  },
  {
    name: "a status without a body",
    play: ({ response }) => {
      response.writeHead(500);
      response.end();
    },
    ends: { kind: "server", requests: RETRIED, says: /^HTTP 500 without a text$/ },
  },
  {
    name: "404 of a server that has no such address",
    play: ({ response }) => {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("404 page not found");
    },
    ends: {
      kind: "invalid_request",
      requests: 1,
      says: /^404 page not found \(status 404; is base_url right\?\)$/,
    },
  },
  {
    name: "a redirect to another host",
    play: (exchange) => {
      if (exchange.number > 1) answer(exchange);
      exchange.response.writeHead(307, { location: "http://elsewhere.example/v1/x?key=1" });
      exchange.response.end();
    },
    ends: {
      kind: "invalid_request",
      requests: 1,
      says: /^the provider has moved to http:\/\/elsewhere\.example\/v1\/x; .*base_url$/,
    },
  },
];
