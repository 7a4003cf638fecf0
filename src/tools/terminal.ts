import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import { toolOutputPath } from "../agent/tool-output.ts";
import type { Clock } from "../base/clock.ts";
import { MASKS } from "../base/redact/mask.ts";
import type { Redactor } from "../base/redact/redact-text.ts";
import { sliceCharacters } from "../base/slice-characters.ts";
import type { ExecBackend, TerminalSize } from "./exec/backend.ts";
import type { OutputLimits } from "./exec/output/cut-output.ts";
import { createLiteralMask } from "./exec/output/mask-literal.ts";
import { createOutputCapture } from "./exec/output/output-capture.ts";
import type { CapturedOutput } from "./exec/output/output-capture.ts";
import type { ProcessRegistry } from "./exec/process/process-registry.ts";
import { renderOutcome } from "./exec/output/render-outcome.ts";
import { isDirectory } from "./exec/shell/session-shell.ts";
import type { SessionShell, ShellReport, ShellRequest } from "./exec/shell/session-shell.ts";
import type { SessionShells } from "./exec/shell/session-shells.ts";
import { createThinOutput } from "./exec/output/thin-output.ts";
import { absolutePath, hostFlavour } from "./resolve-path.ts";
import { answer, denial, fault } from "./tool-answer.ts";

/** `sudo` words in command position, rewritten to read the password from standard input, and how many there are. */
export interface RewrittenSudo {
  readonly command: string;
  readonly count: number;
}

export interface TerminalToolDeps {
  readonly backend: Pick<ExecBackend, "check">;
  readonly shells: SessionShells;
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  readonly limits: OutputLimits;
  /** `terminal.timeout`. */
  readonly timeoutSeconds: number;
  /** For whole outputs of which the model gets a part; they are masked. */
  readonly outputDirectory: string;
  readonly redactor: Redactor;
  /** The user's, for `~` in `workdir`. */
  readonly home: string;
  readonly rewriteSudo?: (command: string) => RewrittenSudo | Promise<RewrittenSudo>;
  /** The owner's password for `sudo`, if there is one; asked for only when a command needs it. */
  readonly sudoPassword?: () => string | undefined;
}

type TerminalArgs = {
  command: string;
  background: boolean;
  timeout?: number | undefined;
  workdir?: string | undefined;
  pty: boolean;
  notify_on_complete: boolean;
  watch_patterns?: string[] | undefined;
};

/** A call in the foreground may not take longer than this, or than `terminal.timeout` if that is more. */
const LONGEST_SECONDS = 600;
const TERMINAL_SIZE: TerminalSize = { columns: 120, rows: 40 };

/** `terminal`: runs a command in the session's shell, or starts one in the background. */
export const createTerminalTool = (deps: TerminalToolDeps): Tool =>
  defineTool<TerminalArgs>({
    name: "terminal",
    toolset: "terminal",
    description:
      "Run a bash command. Directory, variables and functions last from call to call; standard input is empty. Start servers and long jobs with background: true and follow them with process.",
    parameters: z.object({
      command: z.string(),
      background: z.boolean().default(false),
      timeout: z.number().int().min(1).optional().describe(`seconds, default ${deps.timeoutSeconds}`),
      workdir: z.string().optional().describe("for this call only"),
      pty: z.boolean().default(false).describe("for programs that need a terminal"),
      notify_on_complete: z.boolean().default(false),
      watch_patterns: z.array(z.string()).optional().describe("background: report lines matching these"),
    }),
    effects: "exec",
    concurrency: () => ({ kind: "nothing" }),
    summarise: ({ command, background }) => `${background ? "start" : "run"} ${oneLine(command)}`,
    maxResultChars: deps.limits.maxBytes + 4_000,
    run: (args, context) => runTerminal(deps, args, context),
  });

const oneLine = (command: string): string => {
  const [first = "", ...rest] = command.trim().split("\n");
  return rest.length === 0 && first.length <= 120 ? first : `${sliceCharacters(first, 0, 120)} …`;
};

const runTerminal = async (deps: TerminalToolDeps, args: TerminalArgs, context: ToolContext): Promise<ToolResult> => {
  const check = deps.backend.check();
  if (check.kind === "unavailable") return fault(`No commands can be run: ${check.reason}. To fix it, ${check.fix}.`);
  const shell = deps.shells.of(context.session);
  const place = resolveWorkdir(deps, shell, args.workdir);
  const problem = place.kind === "problem" ? place.why : findProblem(deps, args);
  if (problem !== undefined) return fault(problem);
  const workdir = place.kind === "ok" ? place.path : undefined;
  const approval = await context.approve({ kind: "command", command: args.command, cwd: workdir ?? shell.cwd() });
  if (approval.kind === "refused") return denial(approval.because);
  const prepared = await prepareSudo(deps, args.command);
  const request: PreparedRequest = {
    command: prepared.command,
    password: prepared.password,
    ...(prepared.stdin === undefined ? {} : { stdin: prepared.stdin }),
    ...(workdir === undefined ? {} : { workdir }),
    ...(args.pty ? { terminal: TERMINAL_SIZE } : {}),
  };
  return args.background
    ? startBackground(deps, { args, request, shell }, context)
    : runForeground(deps, { args, request, shell }, context);
};

type Place =
  | { readonly kind: "ok"; readonly path: string | undefined }
  | { readonly kind: "problem"; readonly why: string };

const resolveWorkdir = (deps: TerminalToolDeps, shell: SessionShell, workdir: string | undefined): Place => {
  if (workdir === undefined) return { kind: "ok", path: undefined };
  const absolute = absolutePath(workdir, { cwd: shell.cwd(), home: deps.home, flavour: hostFlavour() });
  if (absolute.kind !== "ok") return { kind: "problem", why: absolute.why };
  return isDirectory(absolute.path)
    ? { kind: "ok", path: absolute.path }
    : { kind: "problem", why: `workdir ${absolute.path} is no directory.` };
};

const findProblem = (deps: TerminalToolDeps, args: TerminalArgs): string | undefined => {
  if (args.command.trim() === "") return "The command is empty.";
  if (args.command.includes("\0")) return "A command cannot hold a NUL character.";
  const mask = args.command.match(MASKS)?.[0];
  if (mask !== undefined) {
    return `The command holds ${mask}, which only stands for a secret. Let the command read the secret from where it is kept.`;
  }
  const longest = Math.max(LONGEST_SECONDS, deps.timeoutSeconds);
  if (!args.background && (args.timeout ?? 0) > longest) {
    return `timeout may be at most ${longest} s. For more, use background: true.`;
  }
  if (args.background && args.timeout !== undefined) {
    return "timeout is for the foreground. Without it, a background process runs until it ends or process kill ends it.";
  }
  if (!args.background && (args.notify_on_complete || args.watch_patterns !== undefined)) {
    return "notify_on_complete and watch_patterns need background: true.";
  }
  return undefined;
};

interface PreparedRequest extends ShellRequest {
  /** Not to be seen in any output. */
  readonly password: string;
}

const prepareSudo = async (
  deps: TerminalToolDeps,
  command: string,
): Promise<{ readonly command: string; readonly password: string; readonly stdin?: string }> => {
  const rewritten = await deps.rewriteSudo?.(command);
  const password = rewritten === undefined || rewritten.count === 0 ? undefined : deps.sudoPassword?.();
  if (rewritten === undefined || password === undefined) return { command, password: "" };
  return { command: rewritten.command, password, stdin: `${password}\n`.repeat(rewritten.count) };
};

interface Prepared {
  readonly args: TerminalArgs;
  readonly request: PreparedRequest;
  readonly shell: SessionShell;
}

const runForeground = async (
  deps: TerminalToolDeps,
  { args, request, shell }: Prepared,
  context: ToolContext,
): Promise<ToolResult> => {
  const before = shell.cwd();
  const spoolPath = toolOutputPath(deps.outputDirectory, context.session, context.callId);
  const capture = createOutputCapture({ limits: deps.limits, spoolPath, redactor: deps.redactor });
  const live = createThinOutput(deps.clock, context.emit);
  const mask = createLiteralMask(request.password);
  const pass = (bytes: Uint8Array): void => {
    capture.push(bytes);
    live.push(bytes);
  };
  const report = await shell.run(request, {
    signal: context.signal,
    timeoutMs: (args.timeout ?? deps.timeoutSeconds) * 1000,
    onOutput: (bytes) => pass(mask.push(bytes)),
  });
  pass(mask.end());
  live.end();
  return toResult({ report, output: capture.finish(), movedTo: shell.cwd() === before ? undefined : shell.cwd() });
};

interface Finished {
  readonly report: ShellReport;
  readonly output: CapturedOutput;
  readonly movedTo: string | undefined;
}

/** The output, and then only what there is to say. */
const toResult = ({ report, output, movedTo }: Finished): ToolResult => {
  const words = renderOutcome(report.outcome);
  const lines = [
    ...report.notes,
    ...(words === undefined ? [] : [words]),
    ...(report.laterOutputPath === undefined
      ? []
      : [`still running: a process of this command; it writes on into ${report.laterOutputPath} (at most 16 MiB)`]),
    ...(movedTo === undefined ? [] : [`now in ${movedTo}`]),
  ];
  const text = [output.text, ...lines.map((line) => `[${line}]`)].filter((part) => part !== "").join("\n");
  return {
    outcome: words === undefined ? "ok" : "error",
    text: text === "" ? "(no output)" : text,
    ...(output.fullTextPath === undefined ? {} : { fullTextPath: output.fullTextPath }),
  };
};

const startBackground = async (
  deps: TerminalToolDeps,
  { args, request, shell }: Prepared,
  context: ToolContext,
): Promise<ToolResult> => {
  const launch = await shell.launchPoint(request, context.signal);
  context.signal.throwIfAborted();
  const started = await deps.processes.start({
    session: context.session,
    command: args.command,
    rewritten: request.command,
    launch,
    ...(request.stdin === undefined ? {} : { stdin: request.stdin, secret: request.password }),
    ...(request.terminal === undefined ? {} : { terminal: request.terminal }),
    notifyOnComplete: args.notify_on_complete,
    watchPatterns: args.watch_patterns ?? [],
  });
  if (started.kind === "refused") return fault(`Not started: ${started.because}`);
  const { id, pid, outputPath } = started.process;
  return answer(`Started ${id} (pid ${pid}). Output: ${outputPath}`);
};
