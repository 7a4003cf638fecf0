import { expect, test } from "vitest";
import { createToolContext } from "../testing/tool-context.ts";
import { createClarifyTool } from "./clarify.ts";

const tool = createClarifyTool();

test("clarify puts the question with its distinct choices and returns the answer", async () => {
  const { context, questions } = createToolContext({ cwd: "/", reply: "blue, please" });
  const args = tool.parameters.parse({ question: " Which colour? ", choices: ["red", " blue", "red", ""] });
  expect(await tool.run(args, context)).toEqual({ outcome: "ok", text: "blue, please" });
  expect(questions).toEqual([{ question: "Which colour?", choices: ["red", "blue"] }]);
});

test.each([undefined, "  "])("clarify without an answer (%j) tells the agent to decide", async (reply) => {
  const { context } = createToolContext({ cwd: "/", ...(reply === undefined ? {} : { reply }) });
  const result = await tool.run(tool.parameters.parse({ question: "?" }), context);
  expect(result.outcome).toBe("error");
  expect(result.text).toContain("Decide by yourself");
});

test("clarify asks nothing without a question, and takes four choices at most", async () => {
  const { context, questions } = createToolContext({ cwd: "/", reply: "x" });
  expect((await tool.run(tool.parameters.parse({ question: " " }), context)).outcome).toBe("error");
  expect(questions).toEqual([]);
  expect(tool.parameters.safeParse({ question: "?", choices: ["1", "2", "3", "4", "5"] }).success).toBe(false);
});

test("clarify runs alone", () => {
  expect(tool.concurrency({ question: "?" }, "/")).toEqual({ kind: "nothing" });
});
