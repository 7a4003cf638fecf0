import { assert, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProviderError, ProviderErrorKind } from "./provider-error.ts";
import { decideRetry } from "./retry.ts";
import { classifyAnswer } from "./wires/classify.ts";

const NOW = Date.UTC(2026, 10, 30, 8, 0, 0);
const noLuck = { maxAttempts: 3, random: () => 0, elsewhere: false };

const rateLimited = (header: Record<string, string>): ProviderError =>
  classifyAnswer(
    { status: 429, headers: new Headers(header), body: '{"error":{"message":"slow down"}}' },
    { now: NOW, redact: (text) => text },
  );

describe("B12 a stated wait", () => {
  test.each([
    ["seconds", { "retry-after": "45" }, 45_000],
    ["header name in another case", { "Retry-After": "45" }, 45_000],
    ["an HTTP date 45 s ahead", { "retry-after": new Date(NOW + 45_000).toUTCString() }, 45_000],
    ["an HTTP date in the past", { "retry-after": new Date(NOW - 45_000).toUTCString() }, 1_000],
    ["garbage: the own wait", { "retry-after": "abc" }, 2_000],
    ["a word that Date.parse would take: the own wait", { "retry-after": "abc 1" }, 2_000],
    ["zero: the minimum", { "retry-after": "0" }, 1_000],
    ["the longest that is waited", { "retry-after": "120" }, 120_000],
    ["finer milliseconds", { "retry-after": "2", "retry-after-ms": "1500" }, 1_500],
    ["milliseconds that say nothing", { "retry-after": "3", "retry-after-ms": "0" }, 3_000],
    ["a fraction", { "retry-after": "1.5" }, 1_500],
  ])("%s", (_name, headers, delayMs) => {
    expect(decideRetry(rateLimited(headers), { ...noLuck, attempt: 1 })).toEqual({ kind: "wait", delayMs });
  });

  test.each([
    ["86400", "24 hours"],
    ["121", "2 minutes"],
    ["259200", "3 days"],
  ])("%s s is over the cap: the call fails and names the wait", (seconds, words) => {
    const decision = decideRetry(rateLimited({ "retry-after": seconds }), { ...noLuck, attempt: 1 });
    expect(decision.kind).toBe("give_up");
    expect(decision.kind === "give_up" && decision.error.message).toContain(words);
  });
});

describe("the own wait", () => {
  const network: ProviderError = { kind: "network", message: "reset" };

  test("doubles from 2 s to 60 s and chance adds at most half", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => {
      const least = decideRetry(network, { elsewhere: false, attempt, maxAttempts: 99, random: () => 0 });
      const most = decideRetry(network, { elsewhere: false, attempt, maxAttempts: 99, random: () => 0.999_999_9 });
      return [least, most].map((decision) => (decision.kind === "wait" ? decision.delayMs : -1));
    });
    expect(waits).toEqual([
      [2_000, 3_000],
      [4_000, 6_000],
      [8_000, 12_000],
      [16_000, 24_000],
      [32_000, 48_000],
      [60_000, 90_000],
      [60_000, 90_000],
      [60_000, 90_000],
    ]);
  });

  test("never more attempts than configured", () => {
    assert(
      property(integer({ min: 1, max: 20 }), integer({ min: 1, max: 20 }), (attempt, maxAttempts) => {
        const decision = decideRetry(network, { ...noLuck, attempt, maxAttempts });
        return (decision.kind === "wait") === attempt < maxAttempts;
      }),
    );
  });

  test.each([
    ["R-TIME-3 silence is not waited for twice", { kind: "stalled", message: "" }, 1],
    ["nor a call that took too long", { kind: "timeout", message: "" }, 1],
    ["a full credential is tried once more", { kind: "rate_limit", message: "" }, 2],
    ["a long wait is not sat through", { kind: "overloaded", message: "", retryAfterMs: 10_001 }, 1],
  ] as const)("while something else could answer: %s", (_name, error, attempt) => {
    expect(decideRetry(error, { ...noLuck, attempt, elsewhere: true }).kind).toBe("give_up");
    expect(decideRetry(error, { ...noLuck, attempt }).kind).toBe("wait");
  });

  test("and what passes soon is waited for all the same", () => {
    const soon: ProviderError = { kind: "rate_limit", message: "", retryAfterMs: 5_000 };
    const there = { ...noLuck, attempt: 1, elsewhere: true };
    expect(decideRetry(soon, there)).toEqual({ kind: "wait", delayMs: 5_000 });
    expect(decideRetry(network, there)).toEqual({ kind: "wait", delayMs: 2_000 });
  });

  const hopeless: readonly ProviderErrorKind[] = [
    "auth",
    "billing",
    "overflow",
    "payload_too_large",
    "model_not_found",
    "policy",
    "invalid_request",
    "protocol",
  ];
  test.each(hopeless)("%s is not repeated unchanged", (kind) => {
    expect(decideRetry({ kind, message: "no" }, { ...noLuck, attempt: 1 }).kind).toBe("give_up");
  });
});
