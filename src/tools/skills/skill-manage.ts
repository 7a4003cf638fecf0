import * as z from "zod";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../agent/tool.ts";

const parameters = z.object({
  action: z.enum(["create", "edit", "patch", "delete", "write_file", "remove_file"]),
  name: z.string().describe("lower-case letters, digits, hyphens"),
  content: z.string().optional().describe("create, edit: all of SKILL.md: ---, name:, description:, ---, instructions"),
  category: z.string().optional(),
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  replace_all: z.boolean().default(false),
  file_path: z.string().optional().describe("In the skill, e.g. references/x.md; patch: default SKILL.md"),
  file_content: z.string().optional(),
  absorbed_into: z.string().optional().describe("delete: the skill that has it now"),
});
/** The arguments of one call. */
export type SkillManageArgs = z.output<typeof parameters>;

/** `skill_manage`: makes and changes skills of the home (compat Appendix E). `run`'s code is loaded at the first call. */
export const createSkillManageTool = (
  run: (args: SkillManageArgs, context: ToolContext) => Promise<ToolResult>,
): Tool =>
  defineTool<SkillManageArgs>({
    name: "skill_manage",
    toolset: "skills",
    description:
      "Make or change a skill: how a kind of task is done, in general steps with checks and pitfalls; no secrets, no facts of one occasion. edit replaces SKILL.md, patch a unique old_string.",
    parameters,
    effects: "state",
    concurrency: () => ({ kind: "nothing" }),
    summarise: ({ action, name, file_path: path }) => `${action} skill ${name}${path === undefined ? "" : `: ${path}`}`,
    run,
  });
