import { expect, test } from "vitest";
import type { Message } from "../../llm/message.ts";
import { assistant, call, result, text, user } from "../../testing/conversation-parts.ts";
import { unitsOf } from "./units.ts";

const done = assistant([text("done")], { finish: "stop" });
const asks = (...ids: readonly string[]) => assistant(ids.map((id) => call(id)));
const shapeOf = (messages: readonly Message[]): string =>
  unitsOf(messages)
    .map(({ start, end }) =>
      messages
        .slice(start, end)
        .map(({ role }) => role[0])
        .join(""),
    )
    .join(" ");

test.each<[string, readonly Message[], string]>([
  ["nothing", [], ""],
  ["a question and an answer", [user("x"), done], "u a"],
  [
    "B19 parallel results stay with their calls",
    [user("x"), asks("1", "2", "3"), result("1", []), result("2", []), result("3", []), done],
    "u attt a",
  ],
  ["calls without results", [user("x"), asks("1"), user("y"), done], "u a u a"],
  ["a steering word behind the results", [asks("1"), result("1", []), user("no"), done], "at u a"],
  [
    "a user message between results belongs to them",
    [asks("1", "2"), result("1", []), user("no"), result("2", []), user("so"), done],
    "atut u a",
  ],
  [
    "results without their call stay with what is before",
    [result("1", []), user("x"), result("2", []), done],
    "t ut a",
  ],
  ["answers in a row", [done, done, asks("1"), result("1", [])], "a a at"],
])("%s", (_name, messages, shape) => {
  expect(shapeOf(messages)).toBe(shape);
});
