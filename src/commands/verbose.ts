import { TOOL_PROGRESS } from "../config/schema/display.ts";
import { defineCommand } from "./command.ts";

const MEANING = {
  off: "tool calls are not shown",
  new: "a line where the tool changes",
  all: "a line for each tool call",
  verbose: "tool calls with their output",
} as const;

/** `/verbose`: the next of off, new, all, verbose. */
export const verbose = defineCommand({
  name: "verbose",
  description: "Show more or less of tool calls: off, new, all, verbose",
  during: "any",
  run: async ({ ports }) => {
    const at = TOOL_PROGRESS.indexOf(ports.settings.display().toolProgress);
    const toolProgress = TOOL_PROGRESS[(at + 1) % TOOL_PROGRESS.length] ?? "all";
    ports.settings.changeDisplay({ toolProgress });
    return {
      kind: "display",
      change: { toolProgress },
      text: `Tool progress: ${toolProgress} (${MEANING[toolProgress]})`,
    };
  },
});
