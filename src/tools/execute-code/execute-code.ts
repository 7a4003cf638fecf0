import * as z from "zod";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../agent/tool.ts";

/** What a call of `execute_code` takes. */
export interface ExecuteCodeArgs {
  code: string;
  language: "javascript" | "python";
}

/** The tools that a script may call, as far as they are granted (compat §4.12). */
export const SCRIPT_TOOLS: readonly string[] = [
  "read_file",
  "write_file",
  "search_files",
  "patch",
  "terminal",
  "web_search",
  "web_extract",
];

const LONGEST_SUMMARY = 80;

/** `execute_code`: runs a script that calls tools. `execute` does it; its code is loaded when it is first needed. */
export const createExecuteCodeTool = (
  execute: (args: ExecuteCodeArgs, context: ToolContext) => Promise<ToolResult>,
): Tool =>
  defineTool<ExecuteCodeArgs>({
    name: "execute_code",
    toolset: "code_execution",
    description: `Run a script that calls tools and prints what you need; only its output comes back. JavaScript: await tools.read_file({path: "a"}); Python: tools.read_file(path="a"). Each returns the tool's text or throws. Tools: ${SCRIPT_TOOLS.join(", ")}.`,
    parameters: z.object({
      code: z.string(),
      language: z.enum(["javascript", "python"]).default("javascript"),
    }),
    effects: "exec",
    concurrency: () => ({ kind: "nothing" }),
    summarise: ({ code, language }) => `run ${language}: ${firstLine(code)}`,
    maxResultChars: 70_000,
    run: execute,
  });

const firstLine = (code: string): string => {
  const line = code.trim().split("\n", 1)[0] ?? "";
  return line.length > LONGEST_SUMMARY || line !== code.trim() ? `${line.slice(0, LONGEST_SUMMARY)} …` : line;
};
