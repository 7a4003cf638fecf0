import * as z from "zod";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../agent/tool.ts";

const parameters = z.object({
  query: z.string().optional(),
  category: z.string().optional(),
});
/** The arguments of one call. */
export type SkillsListArgs = z.output<typeof parameters>;

/** `skills_list`: the skills as they are now, those included that were made since the session began. `run`'s code is loaded at the first call. */
export const createSkillsListTool = (run: (args: SkillsListArgs, context: ToolContext) => Promise<ToolResult>): Tool =>
  defineTool<SkillsListArgs>({
    name: "skills_list",
    toolset: "skills",
    description: "List skills: instructions for kinds of tasks.",
    parameters,
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ query, category }) => ["list skills", query, category].filter((part) => part !== undefined).join(" "),
    run,
  });
