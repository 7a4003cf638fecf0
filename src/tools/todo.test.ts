import { expect, test } from "vitest";
import { createToolContext } from "../testing/tool-context.ts";
import { createTodoList } from "./todo-list.ts";
import { createTodoTool } from "./todo.ts";

const setUp = (): { call: (args: Record<string, unknown>) => Promise<string>; published: readonly unknown[] } => {
  const tool = createTodoTool({ todos: createTodoList() });
  const { context, published } = createToolContext({ cwd: "/" });
  return { published, call: async (args) => (await tool.run(tool.parameters.parse(args), context)).text };
};

test("todo replaces the plan, shows it, and publishes it", async () => {
  const { call, published } = setUp();
  expect(await call({})).toBe("The plan is empty.");
  const todos = [
    { id: "1", content: "read", status: "completed" },
    { id: "2", content: "write", status: "in_progress" },
    { id: "3", content: "rest" },
    { id: "4", content: "worry", status: "cancelled" },
  ];
  const shown = "[x] 1 read\n[>] 2 write\n[ ] 3 rest\n[-] 4 worry";
  expect(await call({ todos })).toBe(shown);
  expect(await call({})).toBe(shown);
  expect(published).toEqual([[...todos.slice(0, 2), { id: "3", content: "rest", status: "pending" }, todos[3]]]);
  expect(await call({ todos: [{ id: "9", content: "other" }] })).toBe("[ ] 9 other");
});

test("todo merges by id: absent fields stay, new steps are appended, order stays", async () => {
  const { call } = setUp();
  await call({
    todos: [
      { id: "a", content: "first" },
      { id: "b", content: "second" },
    ],
  });
  const merged = await call({
    merge: true,
    todos: [
      { id: "c", content: "third" },
      { id: "a", status: "completed" },
    ],
  });
  expect(merged).toBe("[x] a first\n[ ] b second\n[ ] c third");
});

test("todo refuses a new step without content, and changes nothing", async () => {
  const { call, published } = setUp();
  await call({ todos: [{ id: "a", content: "first" }] });
  expect(
    await call({
      merge: true,
      todos: [
        { id: "a", status: "completed" },
        { id: "zz", content: "  " },
      ],
    }),
  ).toBe("A new step needs content. Nothing was changed.");
  expect(await call({})).toBe("[ ] a first");
  expect(published).toHaveLength(1);
});
