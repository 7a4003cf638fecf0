import { expect, test } from "vitest";
import { createLoopGuardrail, type FinishedCall, type LoopLimits } from "./loop-guardrail.ts";

const limits: LoopLimits = {
  warnings: true,
  hardStop: true,
  warnAfter: { exactFailure: 2, sameToolFailure: 3, noProgress: 2 },
  stopAfter: { exactFailure: 5, sameToolFailure: 8, noProgress: 5 },
};
const failed = (args: string, tool = "terminal"): FinishedCall => ({
  tool,
  arguments: args,
  outcome: "error",
  text: "no",
});
const ok = (args: string, text = "same"): FinishedCall => ({ tool: "read_file", arguments: args, outcome: "ok", text });
const kinds = (calls: readonly FinishedCall[], with_: LoopLimits = limits): readonly string[] => {
  const guardrail = createLoopGuardrail(with_);
  return calls.map((call) => guardrail.observe(call).kind);
};

test("the same failing call is warned about, then stops the turn", () => {
  expect(kinds([failed("x"), failed("x"), failed("x"), failed("x"), failed("x")])).toEqual([
    "fine",
    "warn",
    "warn",
    "warn",
    "stop",
  ]);
});

test("different failing calls of one tool count together", () => {
  expect(kinds([failed("a"), failed("b"), failed("c")])).toEqual(["fine", "fine", "warn"]);
});

test("a success begins the count anew", () => {
  expect(kinds([failed("a"), { ...failed("a"), outcome: "ok" }, failed("a")])).toEqual(["fine", "fine", "fine"]);
});

test("the same reading call with the same result is no progress; a changed result is", () => {
  expect(kinds([ok("f"), ok("f"), ok("f")])).toEqual(["fine", "fine", "warn"]);
  expect(kinds([ok("f"), ok("f"), ok("f", "changed")])).toEqual(["fine", "fine", "fine"]);
});

test("tools are counted apart, and each part can be switched off", () => {
  expect(kinds([failed("x", "a"), failed("x", "b"), failed("x", "c")])).toEqual(["fine", "fine", "fine"]);
  const off = { ...limits, warnings: false, hardStop: false };
  expect(kinds([failed("x"), failed("x"), failed("x"), failed("x"), failed("x"), failed("x")], off)).not.toContain(
    "warn",
  );
});
