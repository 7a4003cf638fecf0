import type { Todo } from "../chat-state.ts";
import { cleanText } from "../text-safety.ts";
import { cutText } from "../text-width.ts";
import type { ViewContext } from "./view-context.ts";

const renderTodo = (todo: Todo, view: ViewContext): string => {
  const { palette } = view;
  const text = cleanText(todo.content).replaceAll("\n", " ");
  switch (todo.status) {
    case "completed":
      return palette.dim(cutText(`☑ ${text}`, view.width));
    case "cancelled":
      return palette.dim(cutText(`☒ ${text}`, view.width));
    case "in_progress":
      return cutText(`${palette.yellow("▶")} ${palette.bold(text)}`, view.width);
    case "pending":
      return cutText(`☐ ${text}`, view.width);
    default:
      return todo.status satisfies never;
  }
};

/** The plan, a line a step. */
export const renderTodos = (todos: readonly Todo[], view: ViewContext): readonly string[] =>
  todos.map((todo) => renderTodo(todo, view));
