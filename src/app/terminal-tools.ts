import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "../base/ids.ts";
import { redactText } from "../base/redact/redact-text.ts";
import type { Tool } from "../agent/tool.ts";
import type { ProcessStore } from "../store/store.ts";
import { commandEnvironment, mayPass } from "../tools/exec/shell/command-environment.ts";
import { createLocalBackend } from "../tools/exec/local/local.ts";
import { createProcessRegistry, type ProcessRegistry } from "../tools/exec/process/process-registry.ts";
import type { ExecBackend } from "../tools/exec/backend.ts";
import { createSessionShells, type SessionShells } from "../tools/exec/shell/session-shells.ts";
import type { SessionShell } from "../tools/exec/shell/session-shell.ts";
import { createProcessTool } from "../tools/process.ts";
import { createTerminalTool } from "../tools/terminal.ts";
import type { App } from "./app.ts";
import { outputLimits } from "./limits.ts";

/** Where commands run: the shells of all sessions, and the background processes. It may outlive a session. */
export interface CommandHost {
  readonly backend: ExecBackend;
  readonly shells: SessionShells;
  readonly processes: ProcessRegistry;
  /** Lets go of the background processes: they run on. */
  readonly close: () => Promise<void>;
}

/** Makes the host; nothing runs before the first command. */
export const createCommandHost = (
  app: App,
  options: {
    /** Where a shell begins. */
    readonly cwd: string;
    readonly processStore: ProcessStore;
  },
): CommandHost => {
  const settings = app.config.section("terminal");
  const passing = {
    passthrough: settings.env_passthrough,
    secretNames: new Set(app.providerRows.flatMap((row) => row.keyEnv)),
    looksSecret: (value: string) => redactText(value) !== value,
  };
  const backend = createLocalBackend({
    clock: app.clock,
    platform: process.platform,
    environment: app.environment,
    temporaryDirectory: tmpdir(),
    outputDirectory: app.paths.toolResults,
  });
  const ownHome = existsSync(app.paths.subprocessHome) ? { home: app.paths.subprocessHome } : {};
  const shells = createSessionShells({
    backend,
    environment: (session) => commandEnvironment(app.environment, { ...passing, ...ownHome, sessionId: session }),
    mayPass: (name, value) => mayPass(name, value, passing),
    directory: options.cwd,
    persistent: settings.persistent_shell,
    sourceBashrc: settings.auto_source_bashrc,
    initFiles: settings.shell_init_files,
  });
  const processes = createProcessRegistry({
    backend,
    store: options.processStore,
    clock: app.clock,
    log: app.log.child({ component: "tools" }),
    redact: (text) => app.redactor.text(text),
    directory: join(app.paths.cache, "processes"),
  });
  return {
    backend,
    shells,
    processes,
    close: async () => {
      await processes.close();
      await backend.close();
    },
  };
};

/** The tools that run commands, and the session's shell. */
export interface TerminalTools {
  readonly tools: readonly Tool[];
  readonly shell: SessionShell;
}

export interface TerminalToolsOptions {
  readonly session: SessionId;
  /** Where the session's shell begins. */
  readonly cwd: string;
  readonly home: string;
}

/** The tools of one session, whose commands run in `host`. */
export const createTerminalTools = (app: App, host: CommandHost, options: TerminalToolsOptions): TerminalTools => {
  const settings = app.config.section("terminal");
  const { backend, shells, processes } = host;
  const shared = { processes, clock: app.clock, limits: outputLimits(app), timeoutSeconds: settings.timeout };
  const terminal = createTerminalTool({
    ...shared,
    backend,
    shells,
    outputDirectory: app.paths.toolResults,
    redactor: app.redactor,
    home: options.home,
    rewriteSudo: async (command) => (await import("../agent/approvals/sudo-words.ts")).rewriteSudo(command),
    sudoPassword: () => app.config.secret("SUDO_PASSWORD"),
  });
  return {
    tools: [terminal, createProcessTool(shared)],
    shell: shells.of(options.session, options.cwd),
  };
};
