import { expect, test } from "vitest";
import type { AssistantMessage, Message, ToolCallPart } from "../llm/message.ts";
import { missingMessages, toolMessage } from "./history.ts";

const model = { provider: "p", model: "m" };
const user: Message = { role: "user", parts: [{ type: "text", text: "hi" }], origin: { surface: "cli" } };
const call = (id: string): ToolCallPart => ({ type: "tool_call", id, name: "read_file", arguments: "{}" });
const asks = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  parts: ids.map(call),
  ...model,
  finish: "tool_calls",
});
const answers: AssistantMessage = {
  role: "assistant",
  parts: [{ type: "text", text: "done" }],
  ...model,
  finish: "stop",
};

test("a whole transcript lacks nothing", () => {
  expect(missingMessages([], model)).toEqual([]);
  expect(missingMessages([user, answers], model)).toEqual([]);
  expect(missingMessages([user, asks("a"), toolMessage(call("a"), "ok", "x"), answers], model)).toEqual([]);
});

test("a turn that was cut before the answer gets one, so that roles alternate", () => {
  const missing = missingMessages([user, answers, user], model);
  expect(missing).toMatchObject([{ role: "assistant", finish: "interrupted" }]);
});

test("calls that were cut get interrupted results, in the model's order, and only those without one", () => {
  const missing = missingMessages([user, asks("a", "b", "c"), toolMessage(call("b"), "ok", "x")], model);
  expect(missing.map((message) => message.role === "tool" && message.parts[0].callId)).toEqual(["a", "c"]);
  expect(missing.every((message) => message.role === "tool" && message.parts[0].outcome === "interrupted")).toBe(true);
});

test("results of an earlier answer do not count for the newest one", () => {
  const missing = missingMessages([user, asks("a"), toolMessage(call("a"), "ok", "x"), asks("a")], model);
  expect(missing).toHaveLength(1);
});
