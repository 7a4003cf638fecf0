import * as z from "zod";
import type { ChildTask } from "../agent/delegation/child.ts";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import { fault } from "./tool-answer.ts";

/** What the tool needs. */
export interface DelegateTaskDeps {
  /** Whether a sub-agent may be given the right to delegate: without it `role` is no parameter. */
  readonly orchestrators: boolean;
  /** Runs the tasks to their end. */
  readonly delegate: (tasks: readonly ChildTask[], context: ToolContext) => Promise<ToolResult>;
}

interface TaskArgs {
  goal: string;
  context?: string | undefined;
  toolsets?: string[] | undefined;
  role?: ChildTask["role"] | undefined;
}

interface DelegateArgs extends Omit<TaskArgs, "goal"> {
  goal?: string | undefined;
  tasks?: TaskArgs[] | undefined;
}

const about = {
  context: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
};
const role = z.enum(["leaf", "orchestrator"]).optional().describe("An orchestrator may delegate too");

/** `delegate_task`: gives one goal, or several at the same time, to sub-agents and waits for their answers (compat §4.8, appendix E). */
export const createDelegateTaskTool = ({ orchestrators, delegate }: DelegateTaskDeps): Tool => {
  const more = orchestrators ? { ...about, role } : about;
  const parameters: z.ZodType<DelegateArgs> = z.object({
    goal: z.string().optional(),
    ...more,
    tasks: z
      .array(z.object({ goal: z.string(), ...more }))
      .optional()
      .describe("Run at the same time"),
  });
  return defineTool<DelegateArgs>({
    name: "delegate_task",
    toolset: "delegation",
    description:
      "Gives a goal, or several tasks, to sub-agents. They know only goal and context, work in this directory and answer once. For large or separate work. Default toolsets: terminal, file, web.",
    parameters,
    effects: "exec",
    concurrency: () => ({ kind: "nothing" }),
    summarise: (args) => summaryOf(tasksOf(args)),
    run: async (args, context) => {
      const tasks = tasksOf(args);
      if (tasks.length === 0) return fault("Give a goal, or tasks with a goal each. Nothing was started.");
      if (tasks.some(({ goal }) => goal.trim() === "")) return fault("A task has no goal. Nothing was started.");
      return await delegate(tasks, context);
    },
  });
};

/** What stands beside `tasks` counts for each that does not say otherwise. */
const tasksOf = (args: DelegateArgs): readonly ChildTask[] => {
  const { tasks, goal } = args;
  const single: readonly TaskArgs[] = goal === undefined ? [] : [{ goal }];
  const given = tasks !== undefined && tasks.length > 0 ? tasks : single;
  return given.map((task) => ({
    goal: task.goal,
    context: task.context ?? args.context,
    toolsets: task.toolsets ?? args.toolsets,
    role: task.role ?? args.role ?? "leaf",
  }));
};

const summaryOf = (tasks: readonly ChildTask[]): string => {
  const [first] = tasks;
  if (first === undefined) return "delegate nothing";
  return tasks.length === 1 ? `delegate: ${first.goal}` : `delegate ${tasks.length} tasks: ${first.goal}, …`;
};
