import { expect, test } from "vitest";
import { createGeminiWire } from "./gemini.ts";

const wire = createGeminiWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });

const RPC = "type.googleapis.com/google.rpc.";
type ErrorFacts = readonly [code: number, status: string, message: string, ...details: object[]];
const errorOf = (...[code, status, message, ...details]: ErrorFacts): object => ({
  error: { code, message, status, ...(details.length === 0 ? {} : { details }) },
});
const info = (reason: string, metadata: object = {}): object => ({ "@type": `${RPC}ErrorInfo`, reason, metadata });
const retry = (retryDelay: string): object => ({ "@type": `${RPC}RetryInfo`, retryDelay });
const quota = (quotaId: string): object => ({ "@type": `${RPC}QuotaFailure`, violations: [{ quotaId }] });

const classify = (status: number, body: unknown, { headers = {}, now = 0 } = {}) =>
  wire.classify(
    { status, headers: new Headers(headers), body: typeof body === "string" ? body : JSON.stringify(body) },
    now,
  );

const QUOTA = "You exceeded your current quota, please check your plan and billing details.";

test.each([
  [
    400,
    errorOf(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", info("API_KEY_INVALID")),
    "auth",
  ],
  [400, errorOf(400, "INVALID_ARGUMENT", "no words about it", info("API_KEY_INVALID")), "auth"],
  [400, errorOf(400, "INVALID_ARGUMENT", "Request contains an invalid argument."), "invalid_request"],
  [
    400,
    errorOf(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    "payload_too_large",
  ],
  [400, errorOf(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "policy"],
  [401, errorOf(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."), "auth"],
  [403, errorOf(403, "PERMISSION_DENIED", "Your API key was reported as leaked."), "auth"],
  [403, errorOf(403, "PERMISSION_DENIED", "This API method requires billing.", info("BILLING_DISABLED")), "billing"],
  [404, errorOf(404, "NOT_FOUND", "models/gemini-x is not found for API version v1beta."), "model_not_found"],
  [404, errorOf(404, "NOT_FOUND", "Publisher Model `projects/p/models/gemini-x` not found."), "model_not_found"],
  [429, errorOf(429, "RESOURCE_EXHAUSTED", QUOTA), "rate_limit"],
  [429, errorOf(429, "RESOURCE_EXHAUSTED", `${QUOTA}\n* metric: free_tier_requests, limit: 0\n`), "billing"],
  [429, errorOf(429, "RESOURCE_EXHAUSTED", `${QUOTA}\n* metric: free_tier_requests, limit: 0.5\n`), "rate_limit"],
  [429, errorOf(429, "RESOURCE_EXHAUSTED", "No capacity available", info("MODEL_CAPACITY_EXHAUSTED")), "overloaded"],
  [499, errorOf(499, "CANCELLED", "The operation was cancelled."), "server"],
  [500, errorOf(500, "INTERNAL", "An internal error has occurred."), "server"],
  [503, errorOf(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "overloaded"],
  [504, errorOf(504, "DEADLINE_EXCEEDED", "The request timed out."), "server"],
  [502, "<html><title>502 Bad Gateway</title></html>", "server"],
])("%i %j is %s, in a list too", (status, body, kind) => {
  expect(classify(status, body)).toMatchObject({ kind, status });
  if (typeof body !== "string") expect(classify(status, [body])).toEqual(classify(status, body));
});

test.each([
  ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
  ["The input token count is 1200000 but model only supports up to 1048576.", 1_048_576],
  ["The input token count exceeds the maximum number of tokens allowed 1048576.", undefined],
])("B13 too long: %s", (message, contextWindow) => {
  const error = classify(400, errorOf(400, "INVALID_ARGUMENT", message));
  expect([error.kind, error.contextWindow]).toEqual(["overflow", contextWindow]);
});

test.each([
  [[retry("34.4s")], {}, 34_400],
  [[quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), retry("34s")], {}, 34_000],
  [[retry("3s")], { "retry-after": "45" }, 45_000],
  [[info("RATE_LIMIT_EXCEEDED", { quotaResetDelay: "13h19m1.5s" })], {}, 47_941_500],
  [[info("RATE_LIMIT_EXCEEDED", { quotaResetDelay: "539.4ms" })], {}, 539],
  [[retry("soon")], {}, undefined],
  [[], { "retry-after": "7" }, 7_000],
  [[], {}, undefined],
])("B12 the wait of %j with %j is %s ms", (details, headers, expected) => {
  expect(classify(429, errorOf(429, "RESOURCE_EXHAUSTED", QUOTA, ...details), { headers }).retryAfterMs).toBe(expected);
});

test("a quota of the day comes back at midnight in California, in summer and in winter", () => {
  const daily = errorOf(
    429,
    "RESOURCE_EXHAUSTED",
    QUOTA,
    quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
    retry("21s"),
  );
  const at = (now: string): number | undefined => classify(429, daily, { now: Date.parse(now) }).retryAfterMs;
  expect(at("2026-12-01T07:00:00Z")).toBe(3_600_000);
  expect(at("2026-07-01T08:30:00Z")).toBe(81_000_000);
});

test("secrets in the provider's words are masked", () => {
  expect(classify(400, errorOf(400, "INVALID_ARGUMENT", "bad hunter2")).message).toBe("bad «secret»");
});
