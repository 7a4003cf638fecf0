import type { Todo } from "../agent/tool.ts";

/** One step as the model gives it; what is absent stays as it was. */
export interface TodoUpdate {
  readonly id: string;
  readonly content?: string | undefined;
  readonly status?: Todo["status"] | undefined;
}

/** The agent's plan of one session. */
export interface TodoList {
  /** The steps in their order. */
  readonly items: () => readonly Todo[];
  /** Replaces the plan; false and no change if a step has no content. */
  readonly replace: (updates: readonly TodoUpdate[]) => boolean;
  /** Changes known steps and appends new ones; false and no change if a new step has no content. */
  readonly merge: (updates: readonly TodoUpdate[]) => boolean;
}

/** A plan that starts with `initial`, for example that of a resumed session. */
export const createTodoList = (initial: readonly Todo[] = []): TodoList => {
  let items = [...initial];
  const apply = (base: readonly Todo[], updates: readonly TodoUpdate[]): boolean => {
    const next = new Map(base.map((todo) => [todo.id, todo]));
    for (const update of updates) {
      const known = next.get(update.id);
      const content = update.content?.trim() || known?.content;
      if (content === undefined) return false;
      next.set(update.id, { id: update.id, content, status: update.status ?? known?.status ?? "pending" });
    }
    items = [...next.values()];
    return true;
  };
  return { items: () => items, replace: (updates) => apply([], updates), merge: (updates) => apply(items, updates) };
};
