import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, integer, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { isRetryable, type ProviderError } from "../provider-error.ts";
import { classifyAnswer, MAX_ERROR_TEXT } from "./classify.ts";
import type { HeaderLookup } from "./wire.ts";

const noHeaders: HeaderLookup = { get: () => null };

const classify = (status: number, body: unknown): ProviderError =>
  classifyAnswer(
    { status, headers: noHeaders, body: typeof body === "string" ? body : JSON.stringify(body) },
    { now: 0, redact: (text) => text.replaceAll("hunter2", "«secret»") },
  );

const said = (message: string, more: object = {}): unknown => ({ error: { message, ...more } });

describe("overflow", () => {
  const windows: readonly (readonly [string, unknown, number | undefined])[] = [
    [
      "B13 the structured field",
      {
        error: {
          code: 400,
          type: "exceed_context_size_error",
          message: "request (8120 tokens) exceeds the available context size (8000 tokens), try increasing it",
          n_prompt_tokens: 8120,
          n_ctx: 8000,
        },
      },
      8_000,
    ],
    [
      "B13 the structured field wins over prose",
      said("exceeds the available context size (9000 tokens)", { type: "exceed_context_size_error", n_ctx: 8_000 }),
      8_000,
    ],
    ["B13 the prose alone", said("request (8120) exceeds the available context size (8000)"), 8_000],
    [
      "OpenAI",
      said("This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens."),
      128_000,
    ],
    ["OpenAI's code", said("too big", { code: "context_length_exceeded" }), undefined],
    [
      "Anthropic",
      said("prompt is too long: 208310 tokens > 200000 maximum", { type: "invalid_request_error" }),
      200_000,
    ],
    [
      "Gemini",
      said("The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."),
      1_048_576,
    ],
    ["with thousands' commas", said("maximum context length is 131,072 tokens"), 131_072],
    ["B14 a bare number is no window", said("context window exceeds limit (2013)"), undefined],
    ["B14 a code in brackets", said("prompt is too long (code 4096)"), undefined],
    ["too small to be a window", said("maximum context length is 12 tokens"), undefined],
  ];
  test.each(windows)("%s", (_name, body, contextWindow) => {
    const error = classify(400, body);
    expect([error.kind, error.contextWindow]).toEqual(["overflow", contextWindow]);
  });

  test.each([
    [413, "maximum context length is 9000 tokens", "overflow"],
    [413, "request entity too large", "payload_too_large"],
    [500, "the request exceeds the available context size (4096)", "overflow"],
    [429, "Rate limit reached: too many tokens per minute", "rate_limit"],
    [401, "maximum context length is 9000 tokens", "auth"],
    [400, "max_tokens must be positive", "invalid_request"],
  ])("%i %j is %s", (status, text, kind) => {
    expect(classify(status, said(text)).kind).toBe(kind);
  });

  test.each([
    "memory guard: peak 9.4 GB over ceiling 8.0 GB, free memory or reduce context length",
    "CUDA error: out of memory",
    "model requires more system memory (9.0 GiB) than is available (4.0 GiB)",
    "llama_kv_cache: failed to allocate buffer for context of 8192",
  ])("B15 %j is a shortage of memory: tried again, no window learned", (text) => {
    for (const status of [400, 500, 503]) {
      const error = classify(status, said(text));
      expect(error.kind).toBe("resource");
      expect(error.contextWindow).toBeUndefined();
      expect(isRetryable(error)).toBe(true);
    }
  });
});

test("an account's tier that ends before the window is no rate limit: no wait helps", () => {
  const error = classify(429, said("Extra usage is required for long context requests.", { type: "rate_limit_error" }));
  expect(error).toMatchObject({ kind: "overflow", contextWindow: 200_000 });
});

describe("B12 waits that stand in the body", () => {
  test.each([
    [said("Rate limit reached. Please try again in 7.66s. Visit https://x"), 7_660],
    [said("Please try again in 2340ms."), 2_340],
    [said("Please try again in 1m30.5s"), 90_500],
    [said("Please retry in 20 seconds"), 20_000],
    [said("Try again after 2 minutes, 5 seconds"), 125_000],
    [said("Please try again in about 1h"), 3_600_000],
    [said("slow", { retry_after: 3.5 }), 3_500],
    [said("The usage limit has been reached", { resets_in_seconds: 7_200 }), 7_200_000],
    [said("Please try again later"), undefined],
    [said("try again in the morning"), undefined],
    [said("3 tries in 5s were too many"), undefined],
    [said("slow", { retry_after: "soon" }), undefined],
  ])("%j states %j ms", (body, wait) => {
    expect(classify(429, body).retryAfterMs).toBe(wait);
  });

  test("the header's wait counts for more than the body's", () => {
    const error = classifyAnswer(
      {
        status: 429,
        headers: { get: (name) => (name === "retry-after" ? "9" : null) },
        body: '{"error":"try again in 5s"}',
      },
      { now: 0, redact: (text) => text },
    );
    expect(error.retryAfterMs).toBe(9_000);
  });
});

describe("other kinds", () => {
  test.each([
    [401, said("Invalid API Key"), "auth"],
    [401, { detail: "Invalid API Key" }, "auth"],
    [403, said("no access"), "auth"],
    [403, said("blocked by content management policy"), "policy"],
    [400, said("API key not valid. Please pass a valid API key."), "auth"],
    [402, said("insufficient balance"), "billing"],
    [
      429,
      said("You exceeded your current quota, please check your plan and billing details", {
        code: "insufficient_quota",
      }),
      "billing",
    ],
    [429, said("slow down"), "rate_limit"],
    [404, said("The model `x` does not exist", { code: "model_not_found" }), "model_not_found"],
    [
      404,
      said("The API deployment for this resource does not exist", { code: "DeploymentNotFound" }),
      "model_not_found",
    ],
    [404, "404 page not found", "invalid_request"],
    [400, said("foo/bar is not a valid model ID"), "model_not_found"],
    [400, said("The response was filtered", { code: "content_filter" }), "policy"],
    [400, said("bad tool schema", { type: "invalid_request_error" }), "invalid_request"],
    [422, said("unprocessable"), "invalid_request"],
    [408, said("timeout"), "server"],
    [500, said("oops"), "server"],
    [502, "<html><head><title>502 Bad Gateway</title></head></html>", "server"],
    [503, said("try later"), "overloaded"],
    [529, said("Overloaded", { type: "overloaded_error" }), "overloaded"],
    [400, [{ error: { code: 400, message: "x", status: "RESOURCE_EXHAUSTED" } }], "rate_limit"],
  ] as const)("%i %j is %s", (status, body, kind) => {
    expect(classify(status, body)).toMatchObject({ kind, status });
  });

  test("a wrapped error shows what the provider behind said, and is classified by it", () => {
    const raw = JSON.stringify({ error: { message: "maximum context length is 9000 tokens" } });
    const error = classify(400, said("Provider returned error", { code: 400, metadata: { raw, provider_name: "X" } }));
    expect(error).toMatchObject({ kind: "overflow", contextWindow: 9_000 });
    expect(error.message).toBe("Provider returned error: maximum context length is 9000 tokens");
  });

  test.each([
    ["", "HTTP 500 without a text"],
    ["<!doctype html><title> Gateway </title>", "the answer is a web page: Gateway"],
    ["plain words", "plain words"],
    ['{"error":{}}', '{"error":{}}'],
  ])("the text of body %j", (body, text) => {
    expect(classify(500, body).message).toBe(text === '{"error":{}}' ? "{}" : text);
  });

  test("a secret is masked before the text is cut", () => {
    const error = classify(400, said(`${"x".repeat(MAX_ERROR_TEXT - 4)}hunter2 and more`));
    expect(error.message).not.toContain("hunt");
    expect(error.message.length).toBeLessThanOrEqual(MAX_ERROR_TEXT);
  });

  test("property: any answer gets a kind and a bounded text", () => {
    assert(
      property(integer({ min: 300, max: 599 }), string({ maxLength: 2_000, unit: "binary" }), (status, body) => {
        const error = classify(status, body);
        return error.message.length <= MAX_ERROR_TEXT && error.message.isWellFormed() && error.status === status;
      }),
    );
  });
});

const STREAMS = join(import.meta.dirname, "../../../../shared/contracts/streams");
const present = existsSync(STREAMS);

/** What the recordings' own words and statuses mean, the first row that fits. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/maximum context length/, "overflow"],
  [/does not exist|deprecated/, "model_not_found"],
  [/tool_use_failed|invalid_image_url/, "invalid_request"],
  [/^429 /, "rate_limit"],
  [/filtered/, "policy"],
  [/^401 /, "auth"],
];

interface Recorded {
  readonly api: string;
  readonly response: { readonly status: number; readonly body: unknown };
}

describe.skipIf(!present)(`recorded refusals${present ? "" : " (skipped: ../shared is not here)"}`, () => {
  test("every recorded error of this format gets the kind that its provider meant", () => {
    const lines = readdirSync(STREAMS)
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => readFileSync(join(STREAMS, name), "utf8").trim().split("\n"));
    const errors = lines
      .flatMap((line) => (JSON.parse(line) as { interactions: Recorded[] }).interactions)
      .filter((one) => one.api === "chat" && one.response.status !== 200)
      .map(({ response }) => ({
        text: JSON.stringify(response.body),
        error: classify(response.status, response.body),
      }));
    expect(errors.length).toBeGreaterThan(15);
    for (const { text, error } of errors) {
      const meant = MEANT.find(([pattern]) => pattern.test(`${error.status} ${text}`))?.[1];
      expect([error.kind, text]).toEqual([meant, text]);
    }
    expect(
      errors
        .map(({ error }) => error.contextWindow)
        .filter((window) => window !== undefined)
        .toSorted((a, b) => a - b),
    ).toEqual([200_000, 1_048_565]);
  });
});
