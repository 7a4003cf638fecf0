import * as z from "zod";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../agent/tool.ts";

const parameters = z.object({ name: z.string(), file_path: z.string().optional() });
/** The arguments of one call. */
export type SkillViewArgs = z.output<typeof parameters>;

/** `skill_view`: a skill's instructions, or one of its files. `run`'s code is loaded at the first call. */
export const createSkillViewTool = (run: (args: SkillViewArgs, context: ToolContext) => Promise<ToolResult>): Tool =>
  defineTool<SkillViewArgs>({
    name: "skill_view",
    toolset: "skills",
    description: "Read a skill, or with file_path a file in it.",
    parameters,
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ name, file_path: path }) => `read skill ${name}${path === undefined ? "" : `: ${path}`}`,
    run,
  });
