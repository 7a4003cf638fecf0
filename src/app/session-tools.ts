import type { SessionId } from "../base/ids.ts";
import type { Tool } from "../agent/tool.ts";
import type { Toolset } from "../agent/toolset.ts";
import { userDirectory } from "../config/environment.ts";
import { createClarifyTool } from "../tools/clarify.ts";
import { createSessionSearchTool } from "../tools/session-search.ts";
import { createFileLocks, type FileLocks } from "../tools/editing/file-locks.ts";
import { createFileStateLedger, type FileStateLedger } from "../tools/file-state.ts";
import type { ProcessRegistry } from "../tools/exec/process/process-registry.ts";
import type { SessionShell } from "../tools/exec/shell/session-shell.ts";
import { createTodoList } from "../tools/todo-list.ts";
import { createTodoTool } from "../tools/todo.ts";
import type { App } from "./app.ts";
import { createSessionExecuteCode } from "./execute-code.ts";
import { createFileTools } from "./file-tools.ts";
import { createMemoryTools } from "./memory.ts";
import { createSkillTools } from "./skills.ts";
import { createCommandHost, createTerminalTools, type CommandHost } from "./terminal-tools.ts";
import { createWrittenScripts, type WrittenScripts } from "./written-scripts.ts";

/** The hands of one session. */
export interface SessionTools extends AsyncDisposable {
  readonly toolsets: readonly Toolset[];
  readonly shell: SessionShell;
  readonly processes: ProcessRegistry;
  readonly writtenScripts: WrittenScripts;
  readonly host: CommandHost;
  /** What the session knows of files. */
  readonly files: FileStateLedger;
  readonly locks: FileLocks;
  /** The conversation goes on in another session: its shell goes with it. */
  readonly continueAs: (from: SessionId, to: SessionId) => void;
}

export interface SessionToolsOptions {
  readonly session: SessionId;
  /** Where the session works, absolute. */
  readonly cwd: string;
  /** Where commands run; absent = the session makes its own and closes it. Given, the caller closes it. */
  readonly host?: CommandHost | undefined;
  /** Absent = nothing was written yet. */
  readonly writtenScripts?: WrittenScripts | undefined;
  /** Absent = nobody else writes files beside the session. */
  readonly locks?: FileLocks | undefined;
  readonly delegateTask: Tool;
}

/** Makes every tool of this version for a session. Nothing runs and no file is read yet. */
export const createSessionTools = async (app: App, options: SessionToolsOptions): Promise<SessionTools> => {
  const { session, cwd } = options;
  const home = userDirectory(app.environment);
  const writtenScripts = options.writtenScripts ?? createWrittenScripts();
  const host = options.host ?? createCommandHost(app, { cwd, processStore: (await app.store()).processes });
  const terminal = createTerminalTools(app, host, { session, cwd, home });
  const files = createFileStateLedger();
  const locks = options.locks ?? createFileLocks();
  const skills = createSkillTools(app);
  const toolsets: readonly Toolset[] = [
    {
      name: "file",
      residency: "resident",
      line: "read, write, change and search files",
      tools: createFileTools(app, { home, cwd: () => terminal.shell.cwd(), writtenScripts, files, locks }),
    },
    { name: "terminal", residency: "resident", line: "run commands", tools: terminal.tools },
    { name: "todo", residency: "resident", line: "keep a plan", tools: [createTodoTool({ todos: createTodoList() })] },
    { name: "clarify", residency: "resident", line: "ask the owner", tools: [createClarifyTool()] },
    {
      name: "code_execution",
      residency: "on_demand",
      line: "run a script that calls tools many times",
      tools: [createSessionExecuteCode(app)],
    },
    { name: "memory", residency: "resident", line: "remember facts over sessions", tools: createMemoryTools(app) },
    {
      name: "session_search",
      residency: "resident",
      line: "search past conversations",
      tools: [
        createSessionSearchTool({
          store: await app.store(),
          now: () => app.clock.now(),
          timeZone: app.config.section("timezone"),
        }),
      ],
    },
    { name: "skills", residency: "resident", line: "instructions for kinds of tasks", tools: skills.resident },
    { name: "skills", residency: "on_demand", line: "make and change skills", tools: skills.onDemand },
    { name: "delegation", residency: "resident", line: "hand work to sub-agents", tools: [options.delegateTask] },
  ];
  return {
    toolsets,
    shell: terminal.shell,
    processes: host.processes,
    writtenScripts,
    host,
    files,
    locks,
    continueAs: (from, to) => host.shells.continueAs(from, to),
    [Symbol.asyncDispose]: async () => {
      await skills[Symbol.asyncDispose]();
      if (options.host === undefined) await host.close();
    },
  };
};
