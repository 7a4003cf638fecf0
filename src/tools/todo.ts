import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Todo, Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import type { TodoList, TodoUpdate } from "./todo-list.ts";
import { answer, fault } from "./tool-answer.ts";

/** What the tool needs: the session's plan. */
export interface TodoDeps {
  readonly todos: TodoList;
}

type TodoArgs = { todos?: TodoUpdate[] | undefined; merge: boolean };

/** `todo`: keeps the agent's plan. Without `todos` it only shows it; the result is always the whole plan. */
export const createTodoTool = ({ todos }: TodoDeps): Tool =>
  defineTool<TodoArgs>({
    name: "todo",
    toolset: "todo",
    description: "Plan work of several steps; without todos shows the plan.",
    parameters: z.object({
      todos: z
        .array(
          z.object({
            id: z.string(),
            content: z.string().optional(),
            status: z.enum(["pending", "in_progress", "completed", "cancelled"]).optional(),
          }),
        )
        .optional(),
      merge: z.boolean().default(false).describe("Update by id instead of replacing"),
    }),
    effects: "state",
    concurrency: () => ({ kind: "nothing" }),
    summarise: (args) => (args.todos === undefined ? "show the plan" : `plan ${args.todos.length} steps`),
    run: (args, context) => Promise.resolve(updateTodos(todos, args, context)),
  });

const updateTodos = (todos: TodoList, args: TodoArgs, context: ToolContext): ToolResult => {
  if (args.todos !== undefined) {
    const isDone = args.merge ? todos.merge(args.todos) : todos.replace(args.todos);
    if (!isDone) return fault("A new step needs content. Nothing was changed.");
    context.publishTodos(todos.items());
  }
  return answer(renderTodos(todos.items()));
};

const SIGNS = { pending: "[ ]", in_progress: "[>]", completed: "[x]", cancelled: "[-]" } as const satisfies Record<
  Todo["status"],
  string
>;

const renderTodos = (items: readonly Todo[]): string =>
  items.length === 0
    ? "The plan is empty."
    : items.map(({ id, content, status }) => `${SIGNS[status]} ${id} ${content}`).join("\n");
