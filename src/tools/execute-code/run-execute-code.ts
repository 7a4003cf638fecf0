import type { ToolContext, ToolResult } from "../../agent/tool.ts";
import { toolOutputPath } from "../../agent/tool-output.ts";
import type { Clock } from "../../base/clock.ts";
import { MASKS } from "../../base/redact/mask.ts";
import type { Redactor } from "../../base/redact/redact-text.ts";
import { createOutputCapture, type CapturedOutput } from "../exec/output/output-capture.ts";
import { createThinOutput } from "../exec/output/thin-output.ts";
import { answer, denial, fault } from "../tool-answer.ts";
import type { ExecuteCodeArgs } from "./execute-code.ts";
import { asCommand, looksHarmless } from "./judge-script.ts";
import { runScript, type ScriptEnd, type ScriptReport, type ScriptRuntime } from "./run-script.ts";

export interface ExecuteCodeDeps {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** For whole outputs of which the model gets a part; they are masked. */
  readonly outputDirectory: string;
  /** What runs a language; undefined = nothing here does. */
  readonly runtime: (language: ExecuteCodeArgs["language"]) => ScriptRuntime | undefined;
  /** Without secrets. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** `code_execution.mode`. */
  readonly mode: "project" | "strict";
  readonly timeoutSeconds: number;
  readonly maxToolCalls: number;
}

/** Compat §4.12. */
const STDOUT_BYTES = 50 * 1024;
const STDERR_BYTES = 10 * 1024;
const LINES = { maxLines: 5_000, maxLineLength: 10_000 };

/** Runs a script for the model: judged, held where it was not allowed, cut where it prints much. */
export const executeCode = async (
  deps: ExecuteCodeDeps,
  args: ExecuteCodeArgs,
  context: ToolContext,
): Promise<ToolResult> => {
  const runtime = deps.runtime(args.language);
  if (runtime === undefined) return fault("There is no Python on this machine. Write the script in JavaScript.");
  const { callTool } = context;
  if (callTool === undefined) return fault("execute_code cannot be called from a script.");
  const problem = findProblem(args);
  if (problem !== undefined) return fault(problem);
  const held = looksHarmless(args);
  if (!held) {
    const command = asCommand(args);
    const approval = await context.approve({ kind: "command", command, cwd: context.cwd() });
    if (approval.kind === "refused") return denial(approval.because);
  }
  const capture = (maxBytes: number) =>
    createOutputCapture({
      limits: { maxBytes, ...LINES },
      spoolPath: toolOutputPath(deps.outputDirectory, context.session, context.callId),
      redactor: deps.redactor,
    });
  const stdout = capture(STDOUT_BYTES);
  const stderr = capture(STDERR_BYTES);
  const live = createThinOutput(deps.clock, context.emit);
  const report = await runScript({
    runtime,
    code: args.code,
    cwd: deps.mode === "project" ? context.cwd() : undefined,
    environment: deps.environment(),
    held,
    timeoutMs: deps.timeoutSeconds * 1000,
    maxCalls: deps.maxToolCalls,
    call: callTool,
    onStdout: (bytes) => {
      stdout.push(bytes);
      live.push(bytes);
    },
    onStderr: (bytes) => stderr.push(bytes),
    signal: context.signal,
    clock: deps.clock,
  });
  live.end();
  return toResult(deps, report, { stdout: stdout.finish(), stderr: stderr.finish() });
};

const findProblem = ({ code }: ExecuteCodeArgs): string | undefined => {
  if (code.trim() === "") return "The script is empty.";
  if (code.includes("\0")) return "A script cannot hold a NUL character.";
  const mask = code.match(MASKS)?.[0];
  if (mask === undefined) return undefined;
  return `The script holds ${mask}, which only stands for a secret. Let it read the secret from where it is kept.`;
};

const toResult = (
  deps: ExecuteCodeDeps,
  { end, calls }: ScriptReport,
  output: { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput },
): ToolResult => {
  const { stdout, stderr } = output;
  const ending = describeEnd(deps, end);
  const text = [
    stdout.text === "" ? "(no output)" : stdout.text,
    ...(stderr.text === "" ? [] : [`[stderr]\n${stderr.text}`]),
    ...(ending === undefined ? [] : [`[${ending}${calls === 0 ? "" : `; ${calls} tool calls`}]`]),
  ].join("\n");
  const result = ending === undefined ? answer(text) : fault(text);
  const fullTextPath = stdout.fullTextPath ?? stderr.fullTextPath;
  return fullTextPath === undefined ? result : { ...result, fullTextPath };
};

/** Undefined = it ended well. */
const describeEnd = (deps: ExecuteCodeDeps, end: ScriptEnd): string | undefined => {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : `exit code ${end.code}`;
    case "signalled":
      return `ended by ${end.signal}`;
    case "timed_out":
      return `ended after ${deps.timeoutSeconds} s`;
    case "aborted":
      return "interrupted";
    case "abused":
      return `ended because ${end.why}`;
    case "spawn_failed":
      return `could not be started: ${end.why}`;
  }
};
