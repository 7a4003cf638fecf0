import { existsSync } from "node:fs";
import type { SessionId } from "../base/ids.ts";
import { redactText } from "../base/redact/redact-text.ts";
import type { Tool } from "../agent/tool.ts";
import { createExecuteCodeTool } from "../tools/execute-code/execute-code.ts";
import type { ExecuteCodeDeps } from "../tools/execute-code/run-execute-code.ts";
import type { App } from "./app.ts";
import { findProgram } from "./find-program.ts";

/** The tool that runs scripts, for the sessions of an app. What runs them is loaded at the first call. */
export const createSessionExecuteCode = (app: App): Tool =>
  createExecuteCodeTool(async (args, context) => {
    const [{ executeCode }, environment] = await Promise.all([
      import("../tools/execute-code/run-execute-code.ts"),
      scriptEnvironment(app, context.session),
    ]);
    return await executeCode(depsOf(app, environment), args, context);
  });

const depsOf = (app: App, environment: Readonly<Record<string, string>>): ExecuteCodeDeps => {
  const settings = app.config.section("code_execution");
  return {
    clock: app.clock,
    redactor: app.redactor,
    outputDirectory: app.paths.toolResults,
    runtime: (language) => {
      if (language === "javascript") return { language, program: process.execPath };
      const program = findProgram("python3", app.environment) ?? findProgram("python", app.environment);
      return program === undefined ? undefined : { language, program };
    },
    environment: () => environment,
    mode: settings.mode,
    timeoutSeconds: settings.timeout,
    maxToolCalls: settings.max_tool_calls,
  };
};

/** That of commands, without what would make Node run other code first. */
const scriptEnvironment = async (app: App, session: SessionId): Promise<Readonly<Record<string, string>>> => {
  const { commandEnvironment } = await import("../tools/exec/shell/command-environment.ts");
  const { NODE_OPTIONS: _, ...environment } = commandEnvironment(app.environment, {
    passthrough: app.config.section("terminal").env_passthrough,
    secretNames: new Set(app.providerRows.flatMap((row) => row.keyEnv)),
    looksSecret: (value) => redactText(value) !== value,
    ...(existsSync(app.paths.subprocessHome) ? { home: app.paths.subprocessHome } : {}),
    sessionId: session,
  });
  return environment;
};
