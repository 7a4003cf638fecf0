import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { toToolSchema } from "../agent/tool-schema.ts";
import { createFileToolDeps } from "../testing/file-tools.ts";
import { createClarifyTool } from "./clarify.ts";
import { createPatchTool } from "./patch.ts";
import { createReadFileTool } from "./read-file.ts";
import { createSearchFilesTool } from "./search-files.ts";
import { createTodoList } from "./todo-list.ts";
import { createTodoTool } from "./todo.ts";
import { createWriteFileTool } from "./write-file.ts";

test("R-PROMPT-1 the schemas of the file tools, todo and clarify are small", () => {
  const deps = createFileToolDeps("/home/ann");
  const tools = [
    createReadFileTool(deps),
    createWriteFileTool(deps),
    createPatchTool(deps),
    createSearchFilesTool({ ...deps, ripgrep: () => Promise.resolve(undefined) }),
    createTodoTool({ todos: createTodoList() }),
    createClarifyTool(),
  ];
  expect(tools.map(({ name }) => name)).toEqual([
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "todo",
    "clarify",
  ]);
  expect(encode(JSON.stringify(tools.map(toToolSchema))).length).toBeLessThan(550);
});
