import * as z from "zod";
import { sliceCharacters } from "../base/slice-characters.ts";
import { matchName } from "./match-name.ts";
import { defineTool, type Tool } from "./tool.ts";
import { toToolSchema } from "./tool-schema.ts";
import type { Toolset } from "./toolset.ts";

/** The resident tool that answers with the schemas of a toolset. */
const OPENER_TOOL = "open_toolset";
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
      const tools = toolsMeant(toolsets, name);
      if (tools.length > 0) return { outcome: "ok", text: describeTools(tools) };
      const names = [...new Set(toolsets.map((one) => one.name))].join(", ");
      return { outcome: "error", text: `There is no toolset "${name}". Toolsets: ${names}.` };
    },
  });

/** The tools of a toolset; where there is none of that name, the tool that bears it. */
const toolsMeant = (toolsets: readonly Toolset[], name: string): readonly Tool[] => {
  const groups = [...Map.groupBy(toolsets, (toolset) => toolset.name)].map(([name, group]) => ({
    name,
    tools: group.flatMap((toolset) => toolset.tools),
  }));
  const group = matchName(name, groups);
  if (group !== undefined) return group.tools;
  const tool = matchName(
    name,
    groups.flatMap(({ tools }) => tools),
  );
  return tool === undefined ? [] : [tool];
};

/** Schemas beyond this many characters would take more of the window than the task that one of them is for. */
const MOST_SCHEMA_CHARS = 24_000;

const describeTools = (tools: readonly Tool[]): string => {
  const schemas = JSON.stringify(tools.map(toToolSchema));
  if (tools.length === 1 || schemas.length <= MOST_SCHEMA_CHARS) return schemas;
  const lines = tools.map(({ name, description }) => `${name}: ${firstLine(description)}`);
  return `${tools.length} tools. Open one by its name to see its parameters.\n${lines.join("\n")}`;
};

const LINE_CHARS = 120;

const firstLine = (text: string): string => {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length <= LINE_CHARS ? line : `${sliceCharacters(line, 0, LINE_CHARS)}…`;
};

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
