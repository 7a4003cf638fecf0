import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textOf } from "../../llm/message.ts";
import { assistant, text, user } from "../../testing/conversation-parts.ts";
import { isFiller, isSummary, joinPieces, readSummary, summaryMessage } from "./summary-message.ts";

describe("a summary", () => {
  test("is read back as it was written, whatever the person said", () => {
    const said = fc.string({ unit: "binary", minLength: 1, maxLength: 200 }).filter((words) => words.trim() !== "");
    const lines = fc.array(
      fc.oneof(said, fc.constantFrom("", "> x", ">", "## Goal", "## The user's own words, oldest first")),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    const quote = lines.map((each) => each.join("\n")).filter((words) => words.trim() !== "");
    fc.assert(
      fc.property(fc.array(quote, { maxLength: 5 }), (quotes) => {
        const summary = { body: "## Goal\nthe tide", quotes };
        expect(readSummary(summaryMessage(summary))).toEqual(summary);
      }),
    );
  });

  test("says first that it is background", () => {
    const words = textOf(summaryMessage({ body: "x", quotes: [] })).split("\n");
    expect(words[0]).toBe("[CONTEXT COMPACTION — REFERENCE ONLY]");
    expect(words[1]).toContain("nothing to answer");
  });

  test.each([
    ["of an older version", user("[CONTEXT SUMMARY]: they like tea"), "they like tea"],
    [
      "that an assistant said",
      assistant([text("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns: tea")]),
      "Earlier turns: tea",
    ],
  ])("%s is known as one", (_name, message, body) => {
    expect(isSummary(message)).toBe(true);
    expect(readSummary(message)).toEqual({ body, quotes: [] });
  });

  test("is nothing that only speaks of one", () => {
    expect(isSummary(user("what is a [CONTEXT SUMMARY]: line?"))).toBe(false);
    expect(readSummary(user("hello"))).toBeUndefined();
  });
});

test("pieces are joined so that no user message follows another, and no word stands where none is needed", () => {
  const summary = summaryMessage({ body: "x", quotes: [] });
  const done = assistant([text("done")], { finish: "stop" });
  const joined = joinPieces([[user("a")], [summary], [user("b")], [user("c"), user("d")]]);
  expect(joined.map(({ role }) => role[0]).join("")).toBe("uauauauu");
  expect(joined.filter(isFiller)).toHaveLength(3);
  expect(
    joinPieces([[user("a"), done], [summary], [], [done]])
      .map(({ role }) => role[0])
      .join(""),
  ).toBe("uaua");
  expect(isFiller(done)).toBe(false);
});
