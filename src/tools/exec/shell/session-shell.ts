import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { quoteForBash } from "../../../base/shell-quote.ts";
import type { ExecBackend, ExecReport, RunOptions, ShellRun, ShellState, TerminalSize } from "../backend.ts";
import { withoutVariables } from "./shell-script.ts";

/** What a session's shell is made of. */
export interface SessionShellDeps {
  readonly backend: ExecBackend;
  /** Of commands, without secrets. `HOME` in it says where `~` is. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether a variable that a start-up file exports may stay. */
  readonly mayPass: (name: string, value: string) => boolean;
  /** Where the shell begins: an absolute path. */
  readonly directory: string;
  /** `terminal.persistent_shell`; without it only the directory lasts from one command to the next. */
  readonly persistent: boolean;
  /** `terminal.auto_source_bashrc`: `~/.bashrc` is read once, before the first command. */
  readonly sourceBashrc: boolean;
  /** `terminal.shell_init_files`: read after it. `~/` at the beginning is the home. */
  readonly initFiles: readonly string[];
}

/** One command for a session's shell. */
export interface ShellRequest {
  readonly command: string;
  /** For this command only; relative to the shell's directory. Must exist. */
  readonly workdir?: string;
  readonly stdin?: string;
  readonly terminal?: TerminalSize;
}

/** How a command of a session ended. `notes` are for whoever asked, e.g. that the directory had gone. */
export interface ShellReport extends ExecReport {
  readonly notes: readonly string[];
}

/** Where and with what a background process starts. */
export type LaunchPoint = Pick<ShellRun, "cwd" | "environment" | "state" | "exports">;

/**
 * The shell of one session: what one command leaves (directory, variables, functions, aliases, options, umask), the next
 * one finds, though each has a process of its own. Commands that run at the same time begin with the same state; what
 * the last one to end leaves, stays.
 */
export interface SessionShell {
  /** The current directory, absolute. */
  cwd(): string;
  /** What it holds from earlier commands, as a script that sets it; empty where that is nothing. */
  stateScript(): string;
  run(request: ShellRequest, options: RunOptions): Promise<ShellReport>;
  /** Reads start-up files if that is still to be done. */
  launchPoint(request: Pick<ShellRequest, "workdir" | "terminal">, signal: AbortSignal): Promise<LaunchPoint>;
  /** From now on `HERMES_SESSION_ID` is this one's: the conversation has gone on under another id. */
  renameSession(environment: Readonly<Record<string, string>>): void;
}

/** Makes a session's shell; nothing runs before the first command. */
export const createSessionShell = (deps: SessionShellDeps): SessionShell => {
  let environment = deps.environment;
  let cwd = deps.directory;
  let state: ShellState | undefined;
  let ready: Promise<readonly string[]> | undefined;

  const prepare = async (signal: AbortSignal): Promise<readonly string[]> => {
    if (ready !== undefined) {
      await ready;
      return [];
    }
    ready = readInitFiles(deps, { cwd: existingDirectory(cwd), signal }).then((result) => {
      state = result.state;
      return result.notes;
    });
    const notes = await ready;
    // An interrupted start is done again next time.
    if (signal.aborted) ready = undefined;
    return notes;
  };
  const start = ({ workdir, terminal }: Pick<ShellRequest, "workdir" | "terminal">): LaunchPoint => ({
    cwd: workdir === undefined ? existingDirectory(cwd) : resolve(cwd, workdir),
    environment,
    exports: {
      ...pick(environment, ["HERMES_SESSION_ID"]),
      ...(terminal === undefined ? {} : { TERM: "xterm-256color" }),
    },
    ...(state === undefined ? {} : { state }),
  });

  return {
    cwd: () => cwd,
    stateScript: () => (state === undefined ? "" : Buffer.from(state.script).toString("utf8")),
    renameSession: (next) => {
      environment = next;
    },
    launchPoint: async (request, signal) => {
      await prepare(signal);
      return start(request);
    },
    run: async (request, options) => {
      const initNotes = await prepare(options.signal);
      const former = cwd;
      const point = start(request);
      const report = await deps.backend.run(
        {
          ...point,
          command: request.command,
          save: deps.persistent ? "state" : "cwd",
          ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
          ...(request.terminal === undefined ? {} : { terminal: request.terminal }),
        },
        options,
      );
      if (report.saved !== undefined) {
        if (request.workdir === undefined) cwd = report.saved.cwd;
        state = report.saved.state ?? state;
      }
      const moved = request.workdir === undefined && point.cwd !== former;
      return {
        ...report,
        notes: [...initNotes, ...(moved ? [`${former} no longer exists; ran in ${point.cwd}`] : [])],
      };
    },
  };
};

/** The directory itself, or the nearest one above it that still exists. */
const existingDirectory = (path: string): string => {
  let directory = path;
  while (!isDirectory(directory) && dirname(directory) !== directory) directory = dirname(directory);
  return directory;
};

/** Whether a directory stands there. */
export const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const pick = (from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** A start-up file that takes longer is not waited for. */
const INIT_LIMIT_MS = 10_000;

interface InitResult {
  readonly state: ShellState | undefined;
  readonly notes: readonly string[];
}

const readInitFiles = async (
  deps: SessionShellDeps,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<InitResult> => {
  if (!deps.backend.keepsState) {
    const notes = deps.initFiles.length === 0 ? [] : ["shell_init_files are not read on this system"];
    return { state: undefined, notes };
  }
  const home = deps.environment["HOME"] ?? "/";
  const listed = deps.initFiles.map((file) => (file.startsWith("~/") ? join(home, file.slice(2)) : file));
  const missing = listed.filter((file) => !isFile(file)).map((file) => `shell_init_files: ${file} does not exist`);
  const bashrc = join(home, ".bashrc");
  const files = [...(deps.sourceBashrc ? [bashrc] : []), ...listed].filter(isFile);
  if (files.length === 0) return { state: undefined, notes: missing };
  const { outcome, saved } = await deps.backend.run(
    {
      command: files.map((file) => `\\builtin source ${quoteForBash(file)}`).join("\n"),
      cwd,
      environment: deps.environment,
      exports: {},
      save: "everything",
      // Many a .bashrc returns at once in any other shell.
      interactive: true,
    },
    { signal, timeoutMs: INIT_LIMIT_MS, onOutput: () => undefined },
  );
  if (saved?.state === undefined || outcome.kind !== "exited") {
    const why =
      outcome.kind === "timed_out" ? `took longer than ${INIT_LIMIT_MS / 1000} s` : `ended the shell (${outcome.kind})`;
    return { state: undefined, notes: [...missing, `not loaded: ${files.join(", ")} ${why}`] };
  }
  const unwanted = Object.entries(saved.exported ?? {})
    .filter(([name, value]) => deps.environment[name] !== value && !deps.mayPass(name, value))
    .map(([name]) => name);
  return { state: withoutVariables(saved.state, unwanted), notes: missing };
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
