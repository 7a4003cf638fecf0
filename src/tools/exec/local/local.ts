import type { Clock } from "../../../base/clock.ts";
import { isExecutable } from "../../../base/is-executable.ts";
import { killTree } from "../../../base/process-tree.ts";
import type { Environment } from "../../../config/environment.ts";
import type { BackendCheck, ExecBackend, ExecOutcome, ExecReport, RunOptions } from "../backend.ts";
import { createFifoPool } from "./fifo-pool.ts";
import { findBash } from "./find-bash.ts";
import { startLocalBackground } from "./local-background.ts";
import { startShell } from "./local-shell.ts";
import type { LocalShell } from "./local-shell.ts";
import { createPlainShells } from "./plain-shell.ts";
import { createShellFolders } from "./shell-folders.ts";
import { settlesWithin, watchAbort } from "../wait-within.ts";

export interface LocalBackendDeps {
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  /** Where bash is looked for, and what helper programs get; not the commands' environment. */
  readonly environment: Environment;
  /** For a private directory of named pipes. */
  readonly temporaryDirectory: string;
  /** Where output is collected that comes after a command has ended. */
  readonly outputDirectory: string;
  /** Whether to do without named pipes, at the price that only the directory lasts. Default: on Windows. */
  readonly plainFiles?: boolean;
}

/** How long the processes of a run may take to end by themselves when it is stopped. */
export const GRACE_MS = 1_000;
/** How long output of the shell's children (`> >(tee log)`) is waited for after the shell itself has ended. */
const DRAIN_MS = 250;
/** When even SIGKILL does not end a shell (a stuck device), the call ends without it after this. */
const STUCK_MS = 2_000;

/** Commands on this machine, each in its own bash and process group. */
export const createLocalBackend = (deps: LocalBackendDeps): ExecBackend => {
  const bash = findBash({ platform: deps.platform, environment: deps.environment, isExecutable });
  const folders = createShellFolders(deps.temporaryDirectory);
  const fifos = createFifoPool(folders);
  const close = async (): Promise<void> => {
    await fifos.close();
    await folders.close();
  };
  const check = (): BackendCheck => (bash.kind === "found" ? { kind: "available" } : bash);
  if (bash.kind !== "found") {
    const failed = { kind: "spawn_failed", reason: `${bash.reason}; ${bash.fix}` } as const;
    return {
      id: "local",
      keepsState: false,
      check,
      run: async () => ({ outcome: failed }),
      startInBackground: async () => failed,
      close,
    };
  }
  const shellDeps = { bash: bash.path, fifos, clock: deps.clock, outputDirectory: deps.outputDirectory };
  const plain = (deps.plainFiles ?? deps.platform === "win32") ? createPlainShells(shellDeps, folders) : undefined;
  const killAtExit = createExitKills();
  return {
    id: "local",
    keepsState: plain === undefined,
    check,
    run: async (run, options) => {
      if (options.signal.aborted) return { outcome: { kind: "aborted", survivors: [] } };
      const started = await (plain === undefined
        ? startShell(shellDeps, run, options.onOutput)
        : plain.start(run, options.onOutput));
      if (started.kind === "spawn_failed") return { outcome: started };
      return finish({ clock: deps.clock, killAtExit }, started.shell, options);
    },
    startInBackground: (spec) => plain?.startInBackground(spec) ?? startLocalBackground(shellDeps, spec),
    close,
  };
};

interface Ending {
  readonly clock: Clock;
  readonly killAtExit: (pid: number) => Disposable;
}

const finish = async (
  { clock, killAtExit }: Ending,
  shell: LocalShell,
  { signal, timeoutMs }: RunOptions,
): Promise<ExecReport> => {
  using deadline = clock.deadline(timeoutMs);
  using stop = watchAbort([signal, deadline.signal]);
  using _ = killAtExit(shell.pid);
  const first = await Promise.race([shell.ended, stop.aborted]);
  const outcome: ExecOutcome =
    first ??
    (await end(clock, shell, signal.aborted ? { kind: "aborted" } : { kind: "timed_out", afterMs: timeoutMs }));
  const { saved, ...settled } = await shell.settle(DRAIN_MS);
  // The signal that ended the shell also ended the helpers that were writing its state: what they left may be half a definition,
  // and would fail every later command. The former state holds on.
  return saved !== undefined && outcome.kind === "exited" ? { outcome, ...settled, saved } : { outcome, ...settled };
};

/** A program that ends in a hurry (a second Ctrl+C) takes its foreground commands with it, each until it is disposed. */
const createExitKills = (): Ending["killAtExit"] => {
  const running = new Set<number>();
  const killAll = (): void => running.forEach(killGroup);
  return (pid) => {
    if (running.size === 0) process.on("exit", killAll);
    running.add(pid);
    return {
      [Symbol.dispose]: () => {
        running.delete(pid);
        if (running.size === 0) process.off("exit", killAll);
      },
    };
  };
};

const killGroup = (pid: number): void => {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
};

type Stopped = { readonly kind: "aborted" } | { readonly kind: "timed_out"; readonly afterMs: number };

const end = async (clock: Clock, shell: LocalShell, stopped: Stopped): Promise<ExecOutcome> => {
  const { survivors } = await killTree(shell.pid, { clock, graceMs: GRACE_MS });
  await settlesWithin(clock, shell.ended, STUCK_MS);
  return { ...stopped, survivors };
};
