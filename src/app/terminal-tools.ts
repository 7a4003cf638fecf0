import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "../base/ids.ts";
import { rewriteSudo } from "../agent/approvals/sudo-words.ts";
import type { Tool } from "../agent/tool.ts";
import type { ProcessStore } from "../store/store.ts";
import { commandEnvironment, mayPass } from "../tools/exec/command-environment.ts";
import { createLocalBackend } from "../tools/exec/local.ts";
import { createProcessRegistry, type ProcessRegistry } from "../tools/exec/process-registry.ts";
import { createSessionShells } from "../tools/exec/session-shells.ts";
import type { SessionShell } from "../tools/exec/session-shell.ts";
import { createProcessTool } from "../tools/process.ts";
import { createTerminalTool } from "../tools/terminal.ts";
import { PROVIDER_ROWS } from "../llm/providers/rows.ts";
import type { App } from "./create-app.ts";
import { outputLimits } from "./limits.ts";

/** The tools that run commands, and what is behind them. */
export interface TerminalTools {
  readonly tools: readonly Tool[];
  readonly shell: SessionShell;
  readonly processes: ProcessRegistry;
  readonly close: () => Promise<void>;
}

export interface TerminalToolsOptions {
  readonly session: SessionId;
  /** Where the session's shell begins. */
  readonly cwd: string;
  readonly home: string;
  readonly processStore: ProcessStore;
}

export const createTerminalTools = (app: App, options: TerminalToolsOptions): TerminalTools => {
  const settings = app.config.section("terminal");
  const outputDirectory = app.paths.toolResults;
  const passing = {
    passthrough: settings.env_passthrough,
    secretNames: new Set(PROVIDER_ROWS.flatMap((row) => row.keyEnv)),
    looksSecret: (value: string) => app.redactor.find(value).length > 0,
  };
  const backend = createLocalBackend({
    clock: app.clock,
    platform: process.platform,
    environment: app.environment,
    temporaryDirectory: tmpdir(),
    outputDirectory,
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
    log: app.log.child({ component: "tools", session: options.session }),
    redact: app.redactor.text,
    directory: join(app.paths.cache, "processes"),
  });
  const shared = { processes, clock: app.clock, limits: outputLimits(app), timeoutSeconds: settings.timeout };
  const terminal = createTerminalTool({
    ...shared,
    backend,
    shells,
    outputDirectory,
    home: options.home,
    rewriteSudo,
    sudoPassword: () => app.config.secret("SUDO_PASSWORD"),
  });
  return {
    tools: [terminal, createProcessTool(shared)],
    shell: shells.of(options.session, options.cwd),
    processes,
    close: async () => {
      await processes.close();
      await backend.close();
    },
  };
};
