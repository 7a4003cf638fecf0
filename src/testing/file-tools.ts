import { realpath } from "node:fs/promises";
import { createRedactor } from "../base/redact/redact-text.ts";
import { restoreMasks } from "../base/redact/restore-masks.ts";
import type { Tool, ToolResult } from "../agent/tool.ts";
import type { FileReadDeps, FileWriteDeps } from "../tools/files/file-tool-deps.ts";
import { DEFAULT_FILE_LIMITS } from "../tools/files/file-tool-deps.ts";
import { createFileStateLedger } from "../tools/file-state.ts";
import { createToolContext } from "./tool-context.ts";
import type { ToolContextOptions } from "./tool-context.ts";

/** Dependencies of the file tools for tests: real masks, nothing protected, no other profiles, one fresh ledger. */
export const createFileToolDeps = (home: string): FileReadDeps & FileWriteDeps => {
  const redactor = createRedactor({ enabled: true });
  return {
    home,
    limits: DEFAULT_FILE_LIMITS,
    redact: (text) => redactor.text(text),
    guard: async (path) => ({ kind: "ok", real: await realpath(path).catch(() => path) }),
    restoreMasks: (text, current) => restoreMasks(text, current, redactor),
    otherProfileOf: () => undefined,
    files: createFileStateLedger(),
  };
};

/** Runs a tool with unchecked arguments, as a model's call would. */
export const callTool = (tool: Tool, args: Record<string, unknown>, options: ToolContextOptions): Promise<ToolResult> =>
  tool.run(tool.parameters.parse(args), createToolContext(options).context);
