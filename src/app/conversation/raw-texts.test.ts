import { expect, test } from "vitest";
import type { AgentEvent, AgentEventBody } from "../../agent/event.ts";
import { createRawTexts } from "./raw-texts.ts";

const event = (body: AgentEventBody): AgentEvent => ({ session: "s", turn: "t", sequence: 0, ...body });

const saved = (seq: number, role: "user" | "assistant" | "tool"): AgentEvent =>
  event({ type: "saved", messageId: "m", seq, role });

test("texts are kept by the place at which they were saved", () => {
  const raw = createRawTexts();
  raw.expectUser("question");
  for (const seen of [
    saved(1, "user"),
    event({ type: "text", delta: "loo" }),
    event({ type: "text", delta: "king" }),
    saved(2, "assistant"),
    saved(3, "tool"),
    event({ type: "text", delta: "done" }),
    saved(4, "assistant"),
  ])
    raw.observe(seen);
  expect([1, 2, 3, 4, 5].map((seq) => raw.at(seq))).toEqual(["question", "looking", undefined, "done", undefined]);
});

test("what an earlier turn left open is saved first and takes nobody's text", () => {
  const raw = createRawTexts();
  raw.expectUser("question");
  raw.observe(saved(3, "tool"));
  raw.observe(saved(4, "assistant"));
  raw.observe(saved(5, "user"));
  expect([3, 4, 5].map((seq) => raw.at(seq))).toEqual([undefined, undefined, "question"]);
});

test("streamed text is void when the call is tried again", () => {
  const raw = createRawTexts();
  raw.observe(event({ type: "text", delta: "first try" }));
  raw.observe(event({ type: "retrying", attempt: 2, delayMs: 1, kind: "network", message: "lost" }));
  raw.observe(event({ type: "text", delta: "second try" }));
  raw.observe(saved(2, "assistant"));
  expect(raw.at(2)).toBe("second try");
});

test("a steered message stands at its own place; the program's own words are not taken for it", () => {
  const raw = createRawTexts();
  raw.expectUser("question");
  raw.observe(saved(1, "user"));
  raw.observe(saved(3, "user"));
  raw.observe(event({ type: "steered", text: "and this" }));
  raw.observe(saved(5, "user"));
  expect([1, 3, 5].map((seq) => raw.at(seq))).toEqual(["question", "and this", undefined]);
});

test("a copy knows what stands before its end, and nothing that comes to the original later", () => {
  const raw = createRawTexts();
  raw.expectUser("one");
  raw.observe(saved(1, "user"));
  raw.expectUser("two");
  raw.observe(saved(3, "user"));
  const copy = raw.before(3);
  raw.expectUser("three");
  raw.observe(saved(5, "user"));
  expect([1, 3, 5].map((seq) => copy.at(seq))).toEqual(["one", undefined, undefined]);
});
