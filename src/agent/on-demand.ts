import * as z from "zod";
import { defineTool, type Tool } from "./tool.ts";
import { toToolSchema } from "./tool-schema.ts";
import type { Toolset } from "./toolset.ts";

/** The resident tool that answers with the schemas of a toolset. */
export const OPENER_TOOL = "open_toolset";
/** The one fixed tool through which opened tools are called, so that `tools` never changes within a session. */
export const USE_TOOL = "use";

/**
 * The two resident tools that stand for all on-demand ones; none when there is nothing to open.
 * `use` is resolved by `planCall` to the tool that it names, so its own `run` is never reached.
 */
export const onDemandTools = (toolsets: readonly Toolset[]): readonly Tool[] => {
  if (toolsets.length === 0) return [];
  const lines = toolsets.map((toolset) => `${toolset.name}: ${toolset.line}`);
  return [createOpener(toolsets, lines), useTool];
};

const createOpener = (toolsets: readonly Toolset[], lines: readonly string[]): Tool =>
  defineTool({
    name: OPENER_TOOL,
    toolset: "on_demand",
    description: `Shows more tools, called through "${USE_TOOL}" then. Toolsets:\n${lines.join("\n")}`,
    parameters: z.object({ toolset: z.string() }),
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ toolset }) => `open ${toolset}`,
    run: async ({ toolset: name }) => {
      const toolset = toolsets.find((candidate) => candidate.name === name);
      if (toolset === undefined)
        return {
          outcome: "error",
          text: `There is no toolset "${name}". Toolsets: ${toolsets.map((one) => one.name).join(", ")}.`,
        };
      return { outcome: "ok", text: JSON.stringify(toolset.tools.map(toToolSchema)) };
    },
  });

const useTool: Tool = defineTool({
  name: USE_TOOL,
  toolset: "on_demand",
  description: "Calls an opened tool.",
  parameters: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }),
  effects: "state",
  concurrency: () => ({ kind: "nothing" }),
  summarise: ({ tool }) => tool,
  run: async ({ tool }) => ({ outcome: "error", text: `There is no tool "${tool}".` }),
});
