import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import { answer, fault } from "./tool-answer.ts";

const MAX_CHOICES = 4;

type ClarifyArgs = { question: string; choices?: string[] | undefined };

/** `clarify`: asks the person, with up to four choices; the person may always answer in own words. */
export const createClarifyTool = (): Tool =>
  defineTool<ClarifyArgs>({
    name: "clarify",
    toolset: "clarify",
    description: "Ask the person a question you cannot answer yourself.",
    parameters: z.object({ question: z.string(), choices: z.array(z.string()).max(MAX_CHOICES).optional() }),
    effects: "state",
    concurrency: () => ({ kind: "nothing" }),
    summarise: ({ question }) => `ask: ${question}`,
    run: ask,
  });

const ask = async (args: ClarifyArgs, context: ToolContext): Promise<ToolResult> => {
  const question = args.question.trim();
  if (question === "") return fault("The question is empty.");
  const choices = [...new Set((args.choices ?? []).map((choice) => choice.trim()))].filter((choice) => choice !== "");
  const reply = await context.clarify(question, choices);
  context.signal.throwIfAborted();
  return reply === undefined || reply.trim() === ""
    ? fault(
        "No answer: nobody is there to ask, or nobody answered in time. Decide by yourself and say what you assumed.",
      )
    : answer(reply);
};
