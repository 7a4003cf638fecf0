import { defineCommand, textResult } from "./command.ts";

/** `/tools`: what the agent can do in this session. */
export const tools = defineCommand({
  name: "tools",
  description: "List the tools of this session",
  during: "any",
  run: async ({ ports }) => {
    const list = ports.settings.tools();
    if (list.length === 0) return textResult("This session has no tools.");
    return {
      kind: "table",
      columns: ["tool", "toolset", "", "does"],
      rows: list.map((tool) => [tool.name, tool.toolset, tool.resident ? "" : "on demand", tool.description]),
    };
  },
});
