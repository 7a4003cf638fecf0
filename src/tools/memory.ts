import * as z from "zod";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../agent/tool.ts";
import { shorten } from "../knowledge/memory/memory-format.ts";

/** What the tool needs. */
export interface MemoryToolDeps {
  /** Does what a call asks for; its code is loaded at the first call. */
  readonly run: (args: MemoryArgs, context: ToolContext) => Promise<ToolResult>;
}

const parameters = z.object({
  action: z.enum(["add", "replace", "remove", "search"]),
  target: z.enum(["memory", "user"]).optional(),
  content: z.string().optional().describe("Entry, or words to search"),
  old_text: z.string().optional().describe("Unique part of the entry to replace or remove"),
});
/** The arguments of one call. */
export type MemoryArgs = z.output<typeof parameters>;

/** `memory`: what the agent keeps over sessions (compat §3.8). `search` also finds what was moved out. */
export const createMemoryTool = (deps: MemoryToolDeps): Tool =>
  defineTool<MemoryArgs>({
    name: "memory",
    toolset: "memory",
    description:
      "Keep short facts over sessions. user: who the owner is; memory: your notes. search also finds archived entries, in both files without target.",
    parameters,
    effects: "state",
    concurrency: () => ({ kind: "nothing" }),
    summarise: ({ action, target, content, old_text: oldText }) =>
      `${action}${target === undefined ? "" : ` ${target}`}: ${shorten(action === "remove" ? (oldText ?? "") : (content ?? ""), 60)}`,
    run: deps.run,
  });
