import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { CompressionRun } from "./compression.ts";
import { createCompressionPolicy } from "./policy.ts";
import { summaryBudget, thresholdOf, windowAdvice } from "./window.ts";

const WINDOW = { contextWindow: 200_000, outputReserve: 8_000 };
const THRESHOLD = 100_000;

const policyWith = ({
  enabled = true,
  history = [],
}: { readonly enabled?: boolean; readonly history?: readonly CompressionRun[] } = {}) => {
  const clock = createFakeClock();
  return { clock, policy: createCompressionPolicy({ settings: { enabled, threshold: 0.5 }, clock, history }) };
};

const GOOD = { before: 120_000, after: 40_000 };
const POOR = { before: 120_000, after: 115_000 };

describe("the threshold", () => {
  test.each([
    ["half of a large window", 200_000, 8_000, 100_000],
    ["64,000 at least, where the window holds them", 100_000, 8_000, 64_000],
    ["85 % of what a small window leaves", 64_000, 8_000, 47_600],
    ["the smallest window", 8_000, 2_000, 5_100],
    ["half of a million", 1_000_000, 64_000, 500_000],
    ["a reserve that is larger than the window", 8_000, 9_000, 0],
  ])("%s", (...[, contextWindow, outputReserve, expected]) => {
    expect(thresholdOf({ threshold: 0.5 }, { contextWindow, outputReserve })).toBe(expected);
  });

  test("a threshold of the whole window still leaves room for the answer", () => {
    expect(thresholdOf({ threshold: 1 }, WINDOW)).toBe(163_200);
  });
});

test.each([
  [7_999, "refused"],
  [8_000, "small"],
  [31_999, "small"],
  [32_000, "roomy"],
])("a window of %d tokens is %s", (contextWindow, kind) => {
  const advice = windowAdvice(contextWindow);
  expect(advice.kind).toBe(kind);
  if (advice.kind === "small") expect(advice.message).toContain("-t lean");
});

test.each([
  [8_000, 4_000, 1_000],
  [16_000, 100_000, 2_000],
  [64_000, 5_000, 2_000],
  [64_000, 60_000, 3_200],
  [200_000, 20_000, 4_000],
  [200_000, 100_000, 10_000],
  [1_000_000, 400_000, 12_000],
])("in a window of %d, %d tokens are put into %d", (contextWindow, replaced, budget) => {
  expect(summaryBudget(replaced, contextWindow)).toBe(budget);
  expect(budget).toBeLessThan(contextWindow / 4);
});

describe("decide", () => {
  test("R-COMP-1 no below the threshold, yes from it on", () => {
    const { policy } = policyWith();
    expect(policy.decide(THRESHOLD - 1, WINDOW)).toEqual({ kind: "wait", because: "below_threshold", isNews: false });
    expect(policy.decide(THRESHOLD, WINDOW)).toEqual({ kind: "compress" });
  });

  test("R-COMP-1 after two runs in a row that saved less than 10 % it is no at twice the threshold, said once", () => {
    const { policy } = policyWith();
    policy.record(POOR);
    policy.record({ before: 127_000, after: 120_000 });
    expect(policy.decide(2 * THRESHOLD, WINDOW)).toEqual({ kind: "wait", because: "thrashing", isNews: true });
    expect(policy.decide(2 * THRESHOLD, WINDOW)).toEqual({ kind: "wait", because: "thrashing", isNews: false });
    expect(policy.decide(10 * THRESHOLD, WINDOW)).toMatchObject({ because: "thrashing", isNews: false });
  });

  test("R-COMP-1 one good run, a manual one say, and it is yes again; the next no is news again", () => {
    const { policy } = policyWith({ history: [POOR, POOR] });
    expect(policy.decide(2 * THRESHOLD, WINDOW)).toMatchObject({ because: "thrashing", isNews: true });
    policy.record(GOOD);
    expect(policy.decide(2 * THRESHOLD, WINDOW).kind).toBe("compress");
    policy.record(POOR);
    policy.record(POOR);
    expect(policy.decide(2 * THRESHOLD, WINDOW)).toMatchObject({ because: "thrashing", isNews: true });
  });

  test("R-COMP-1 a run that saved exactly 10 % was worth it", () => {
    const { policy } = policyWith({ history: [POOR] });
    policy.record({ before: 120_000, after: 108_000 });
    expect(policy.decide(THRESHOLD, WINDOW).kind).toBe("compress");
  });

  test("B20 after a run that came to nothing it waits until the request has grown by a tenth", () => {
    const { policy } = policyWith();
    policy.recordOutcome({ kind: "too_small", before: 110_000 });
    expect(policy.decide(112_000, WINDOW)).toEqual({ kind: "wait", because: "no_growth", isNews: false });
    expect(policy.decide(121_001, WINDOW).kind).toBe("compress");
    policy.recordOutcome({ kind: "too_small", before: 121_001 });
    expect(policy.decide(200_000, WINDOW)).toMatchObject({ because: "thrashing", isNews: true });
  });

  test("another process decides alike from the runs of the last", () => {
    const { policy } = policyWith();
    for (const run of [GOOD, POOR, { before: 130_000, after: 129_000 }]) policy.record(run);
    expect(policy.runs()).toEqual([POOR, { before: 130_000, after: 129_000 }]);
    const { policy: next } = policyWith({ history: policy.runs() });
    expect(next.decide(2 * THRESHOLD, WINDOW)).toMatchObject({ because: "thrashing" });
  });

  test.each([
    ["no_provider", 600_000],
    ["broken_answer", 30_000],
    ["other", 60_000],
  ] as const)("after %s it waits %d ms, says so once, and not longer", async (failure, ms) => {
    const { policy, clock } = policyWith();
    policy.recordOutcome({ kind: "failed", failure, because: "x" });
    expect(policy.decide(THRESHOLD, WINDOW)).toEqual({ kind: "wait", because: "cooling_down", isNews: true });
    await clock.advance(ms - 1);
    expect(policy.decide(THRESHOLD, WINDOW)).toEqual({ kind: "wait", because: "cooling_down", isNews: false });
    await clock.advance(1);
    expect(policy.decide(THRESHOLD, WINDOW).kind).toBe("compress");
    policy.recordFailure(failure);
    expect(policy.decide(THRESHOLD, WINDOW)).toMatchObject({ because: "cooling_down", isNews: true });
  });

  test("a corrected clock neither shortens nor lengthens the wait", async () => {
    const { policy, clock } = policyWith();
    policy.recordFailure("other");
    clock.jumpWall(3_600_000);
    expect(policy.decide(THRESHOLD, WINDOW)).toMatchObject({ because: "cooling_down" });
    clock.jumpWall(-7_200_000);
    await clock.advance(60_000);
    expect(policy.decide(THRESHOLD, WINDOW).kind).toBe("compress");
  });

  test("a summary by rules counts as a run, and the model's failure starts the wait", () => {
    const { policy } = policyWith();
    const outcome = {
      kind: "compressed",
      messages: [],
      by: "static",
      because: "no key",
      failure: "no_provider",
    } as const;
    policy.recordOutcome({ ...outcome, ...GOOD });
    expect(policy.runs()).toEqual([GOOD]);
    expect(policy.decide(THRESHOLD, WINDOW)).toMatchObject({ because: "cooling_down" });
  });

  test("an interrupted run leaves everything as it was", () => {
    const { policy } = policyWith();
    policy.recordOutcome({ kind: "aborted" });
    expect(policy.runs()).toEqual([]);
    expect(policy.decide(THRESHOLD, WINDOW).kind).toBe("compress");
  });

  test("switched off, it is no and no news", () => {
    const { policy } = policyWith({ enabled: false });
    expect(policy.decide(5 * THRESHOLD, WINDOW)).toEqual({ kind: "wait", because: "disabled", isNews: false });
  });
});

describe("decideOnOverflow", () => {
  test("three times a turn, whatever the runs and waits say", () => {
    const { policy } = policyWith({ history: [POOR, POOR] });
    policy.recordFailure("no_provider");
    expect([1, 2, 3, 4].map((attempt) => policy.decideOnOverflow(attempt).kind)).toEqual([
      "compress",
      "compress",
      "compress",
      "wait",
    ]);
    expect(policy.decideOnOverflow(4)).toEqual({ kind: "wait", because: "attempts_used" });
  });

  test("never where the owner switched it off", () => {
    expect(policyWith({ enabled: false }).policy.decideOnOverflow(1)).toEqual({ kind: "wait", because: "disabled" });
  });
});
