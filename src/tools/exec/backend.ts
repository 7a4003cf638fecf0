/**
 * Where commands run. A backend starts bash for one command, hands its output over as it comes, and says how it ended.
 * The local one is `local.ts`; others (sandbox, docker, ssh) implement the same contract.
 */

/**
 * What one shell leaves to the next (decision 20): exported and other variables, functions, aliases, options, umask, as
 * bash code. Opaque, may hold secrets: it stays in memory and travels through private pipes only.
 */
export interface ShellState {
  readonly script: Uint8Array;
  /** Shell options (`set -o`) that were on. */
  readonly options: readonly string[];
}

/** What a finished shell told about itself. */
export interface SavedShell {
  /** Absolute, as the shell itself calls it (symbolic links kept). */
  readonly cwd: string;
  /** Absent when only the directory was asked for, or the state was larger than `MAX_STATE_BYTES`. */
  readonly state?: ShellState;
  /** Exported variables by name; only where `ShellRun.save` is `everything`. */
  readonly exported?: Readonly<Record<string, string>>;
}

/** One command for one shell of its own. */
export interface ShellRun {
  /** Run byte for byte as given. Must not hold a NUL character. */
  readonly command: string;
  /** An existing directory. */
  readonly cwd: string;
  /** The environment when there is no `state`; with one, the state's variables replace it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly state?: ShellState;
  /** Exported in any case, after the state. */
  readonly exports: Readonly<Record<string, string>>;
  /** What to take from the shell when it ends: `everything` adds the exported variables as data. */
  readonly save: "cwd" | "state" | "everything";
  /** An interactive shell, for start-up files that do nothing otherwise. */
  readonly interactive?: boolean;
  /** What the command reads from its standard input before it ends. Absent = nothing (`/dev/null`). */
  readonly stdin?: string;
  /** Gives the command a terminal. */
  readonly terminal?: TerminalSize;
}

/** Size of a pseudo-terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How a command ended. */
export type ExecOutcome =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed_out"; readonly afterMs: number; readonly survivors: readonly number[] }
  | { readonly kind: "aborted"; readonly survivors: readonly number[] }
  | { readonly kind: "spawn_failed"; readonly reason: string };

/** The end of a foreground run. */
export interface ExecReport {
  readonly outcome: ExecOutcome;
  /** Absent when the shell could not tell (killed, replaced by `exec`): the former state holds on. */
  readonly saved?: SavedShell;
  /** Set when a process left behind still writes to the command's output: the file that collects it from now on. */
  readonly laterOutputPath?: string;
}

/** What accompanies a foreground run. */
export interface RunOptions {
  /** Aborting ends the whole process tree. */
  readonly signal: AbortSignal;
  /** The whole tree is ended after this time, in milliseconds. */
  readonly timeoutMs: number;
  /** Standard output and error in their order. Called synchronously; must not throw. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** How a background process ended, as far as it is known. */
export interface BackgroundExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running background process that this process started. */
export interface BackgroundHandle {
  readonly pid: number;
  /** Start time of the pid, in the system's words; only good for comparing. */
  readonly pidStartedAt: string;
  /** Never rejects. */
  readonly exited: Promise<BackgroundExit>;
  /** False once the input is closed or the process gone. */
  write(text: string): boolean;
  /** Ends the process's input (on a terminal: types Ctrl+D). */
  closeInput(): void;
  /** Lets go of our ends without ending the process. */
  release(): void;
}

/** What a background process needs. Its output goes to `outputPath`, its exit code to `exitPath` (empty before) when it ends by itself. */
export interface BackgroundSpec extends Omit<ShellRun, "save" | "interactive"> {
  readonly outputPath: string;
  readonly exitPath: string;
}

export type BackgroundStart =
  | { readonly kind: "started"; readonly handle: BackgroundHandle }
  | { readonly kind: "spawn_failed"; readonly reason: string };

/** Whether commands can run at all, and what to do if not. */
export type BackendCheck =
  | { readonly kind: "available" }
  | { readonly kind: "unavailable"; readonly reason: string; readonly fix: string };

/**
 * A place where commands run. Must end every process of a run that timed out or was aborted; must return soon after the
 * shell has ended even if a process left behind holds its output open; must leave no descriptor open after a run.
 */
export interface ExecBackend {
  readonly id: string;
  /** Whether a shell's state can be taken over; otherwise only the directory can. */
  readonly keepsState: boolean;
  check(): BackendCheck;
  run(run: ShellRun, options: RunOptions): Promise<ExecReport>;
  startInBackground(spec: BackgroundSpec): Promise<BackgroundStart>;
  /** Removes what the backend keeps on disk for itself. Running background processes stay. */
  close(): Promise<void>;
}
