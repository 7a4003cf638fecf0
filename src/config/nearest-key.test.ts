import { expect, test } from "vitest";
import { editDistance, nearestKey } from "./nearest-key.ts";

test.each([
  ["", "", 0],
  ["abc", "abc", 0],
  ["abc", "abd", 1],
  ["abc", "acb", 1],
  ["abc", "ab", 1],
  ["kitten", "sitting", 3],
  ["", "four", 4],
])("editDistance(%j, %j) is %i", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

const KEYS = [
  "agent.max_turns",
  "agent.api_max_retries",
  "display.streaming",
  "model.default",
  "timezone",
  "logging.level",
];

test.each([
  ["agent.max_turn", "agent.max_turns"],
  ["agent.maxTurns", "agent.max_turns"],
  ["agnet.max-turns", "agent.max_turns"],
  ["max_turns", "agent.max_turns"],
  ["TIMEZONE", "timezone"],
  ["streaming", "display.streaming"],
  ["something.else", undefined],
  ["", undefined],
])("the key nearest to %j is %j", (typed, expected) => {
  expect(nearestKey(typed, KEYS)).toBe(expected);
});
