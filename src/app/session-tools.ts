import type { SessionId } from "../base/ids.ts";
import type { Toolset } from "../agent/toolset.ts";
import { userDirectory } from "../config/home.ts";
import { createClarifyTool } from "../tools/clarify.ts";
import type { ProcessRegistry } from "../tools/exec/process-registry.ts";
import type { SessionShell } from "../tools/exec/session-shell.ts";
import { createTodoList } from "../tools/todo-list.ts";
import { createTodoTool } from "../tools/todo.ts";
import type { App } from "./create-app.ts";
import { createFileTools } from "./file-tools.ts";
import { createTerminalTools } from "./terminal-tools.ts";
import { createWrittenScripts, type WrittenScripts } from "./written-scripts.ts";

/** The hands of one session. */
export interface SessionTools extends AsyncDisposable {
  readonly toolsets: readonly Toolset[];
  readonly shell: SessionShell;
  readonly processes: ProcessRegistry;
  readonly writtenScripts: WrittenScripts;
}

/** Makes every tool of this version for a session that works in `cwd` (absolute). Nothing runs and no file is read yet. */
export const createSessionTools = async (
  app: App,
  { session, cwd }: { readonly session: SessionId; readonly cwd: string },
): Promise<SessionTools> => {
  const home = userDirectory(app.environment);
  const writtenScripts = createWrittenScripts();
  const terminal = createTerminalTools(app, { session, cwd, home, processStore: (await app.store()).processes });
  const toolsets: readonly Toolset[] = [
    {
      name: "file",
      residency: "resident",
      line: "read, write, change and search files",
      tools: createFileTools(app, { home, cwd: terminal.shell.cwd, writtenScripts }),
    },
    { name: "terminal", residency: "resident", line: "run commands", tools: terminal.tools },
    { name: "todo", residency: "resident", line: "keep a plan", tools: [createTodoTool({ todos: createTodoList() })] },
    { name: "clarify", residency: "resident", line: "ask the owner", tools: [createClarifyTool()] },
  ];
  return { ...terminal, toolsets, writtenScripts, [Symbol.asyncDispose]: terminal.close };
};
