import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import type { SavedShell, ShellRun } from "../backend.ts";
import { openForReading, openForWriting, removeFifos } from "./fifo-pool.ts";
import type { FifoPool, PipeEnds } from "./fifo-pool.ts";
import { closeAll, createPipeReader, feedPipe } from "./pipe-reader.ts";
import type { PipeFeed, PipeReader } from "./pipe-reader.ts";
import { MAX_STATE_BYTES, parseSaved, renderScript } from "../shell/shell-script.ts";
import { spawnBash } from "./spawn-bash.ts";
import type { ShellEnd, SpawnedBash, SpawnSpec } from "./spawn-bash.ts";
import { settlesWithin } from "../wait-within.ts";

/** What starting a shell needs. */
export interface LocalShellDeps {
  readonly bash: string;
  readonly fifos: FifoPool;
  readonly clock: Clock;
  readonly outputDirectory: string;
}

/** A foreground shell at work. */
export interface LocalShell {
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<ShellEnd>;
  /**
   * After the end: waits up to `drainMs` for output of children that hold the pipe, takes what is there, reads the saved
   * state, and closes everything.
   */
  settle(drainMs: number): Promise<{ readonly saved?: SavedShell; readonly laterOutputPath?: string }>;
}

export type ShellStart =
  | { readonly kind: "started"; readonly shell: LocalShell }
  | { readonly kind: "spawn_failed"; readonly reason: string };

/** Starts a shell for one command; its output goes to `onOutput`. */
export const startShell = async (
  deps: LocalShellDeps,
  run: ShellRun,
  onOutput: (bytes: Uint8Array) => void,
): Promise<ShellStart> => {
  let pipes: Pipes;
  try {
    pipes = await openPipes(deps.fifos, run);
  } catch (thrown) {
    return { kind: "spawn_failed", reason: `no pipes: ${messageOf(thrown)}` };
  }
  const saving = collectSaved(pipes.save);
  const output = pipes.output === undefined ? undefined : createPipeReader(pipes.output.readFd, onOutput);
  const result = await spawnBash(spawnSpec(deps.bash, { run, pipes, onOutput }));
  closeAll([pipes.output?.writeFd, pipes.input?.readFd]);
  if (result.kind === "spawn_failed") {
    output?.close();
    saving.close();
    closeAll([pipes.input?.writeFd]);
    await removeFifos(pipes.paths);
    return result;
  }
  const feed = feedInput(run, pipes, result.bash);
  const settle: LocalShell["settle"] = async (drainMs) => {
    const laterOutputPath = await settleOutput(deps, { output, path: pipes.outputPath, pid: result.bash.pid, drainMs });
    const bytes = await saving.finish();
    feed?.close();
    await removeFifos(pipes.paths.filter((path) => laterOutputPath === undefined || path !== pipes.outputPath));
    const saved = bytes === undefined ? undefined : parseSaved(bytes, run.save);
    return { ...(saved === undefined ? {} : { saved }), ...(laterOutputPath === undefined ? {} : { laterOutputPath }) };
  };
  return { kind: "started", shell: { pid: result.bash.pid, ended: result.bash.ended, settle } };
};

/** The named pipes of one run. On a terminal there is no `output`; `input` only where the command has some. */
interface Pipes {
  readonly paths: readonly string[];
  readonly scriptPath: string;
  readonly savePath: string;
  readonly save: PipeEnds;
  readonly outputPath: string;
  readonly output: PipeEnds | undefined;
  readonly input: PipeEnds | undefined;
}

const openPipes = async (fifos: FifoPool, run: ShellRun): Promise<Pipes> => {
  const [scriptPath, savePath, outputPath, inputPath] = [
    await fifos.take(),
    await fifos.take(),
    await fifos.take(),
    await fifos.take(),
  ];
  const onTerminal = run.terminal !== undefined;
  const output = onTerminal ? undefined : openForReading(outputPath);
  const input = onTerminal || run.stdin === undefined ? undefined : openForWriting(inputPath);
  return {
    paths: [scriptPath, savePath, outputPath, inputPath],
    scriptPath,
    savePath,
    save: openForReading(savePath),
    outputPath,
    output,
    input,
  };
};

const spawnSpec = (
  bash: string,
  {
    run,
    pipes,
    onOutput,
  }: { readonly run: ShellRun; readonly pipes: Pipes; readonly onOutput: (bytes: Uint8Array) => void },
): SpawnSpec => ({
  bash,
  scriptPath: pipes.scriptPath,
  script: renderScript({
    command: run.command,
    ...(run.state === undefined ? {} : { state: run.state }),
    exports: run.exports,
    atExit: { kind: "save", what: run.save, path: pipes.savePath },
  }),
  cwd: run.cwd,
  environment: startEnvironment(run),
  interactive: run.interactive === true,
  channels:
    pipes.output === undefined
      ? { kind: "terminal", size: run.terminal ?? { columns: 80, rows: 24 }, onOutput }
      : { kind: "descriptors", stdin: pipes.input?.readFd, output: pipes.output.writeFd },
});

/** With a state to restore nothing else may be there, or what the shell had unset would come back. */
export const startEnvironment = (
  run: Pick<ShellRun, "state" | "environment" | "cwd">,
): Readonly<Record<string, string>> => ({
  ...(run.state === undefined ? run.environment : {}),
  // Bash takes the name it is given for its directory, if it is the same one: symbolic links stay as they were written.
  PWD: run.cwd,
});

const feedInput = (run: ShellRun, pipes: Pipes, bash: SpawnedBash): PipeFeed | undefined => {
  if (run.stdin === undefined) return undefined;
  if (pipes.input !== undefined) return feedPipe(pipes.input.writeFd, run.stdin);
  bash.terminal?.write(run.stdin);
  return undefined;
};

/** What the shell writes about itself, in memory. */
interface Saving {
  /** To be called after the shell's end; undefined when it wrote more than is kept. */
  finish(): Promise<Buffer | undefined>;
  close(): void;
}

const collectSaved = ({ readFd, writeFd }: PipeEnds): Saving => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = createPipeReader(readFd, (bytes) => {
    size += bytes.length;
    if (size <= MAX_STATE_BYTES) chunks.push(Buffer.from(bytes));
  });
  return {
    finish: async () => {
      // Ours was the end that kept the reader from seeing the end before the shell had begun to write.
      closeAll([writeFd]);
      reader.finish();
      reader.close();
      return size <= MAX_STATE_BYTES ? Buffer.concat(chunks) : undefined;
    },
    close: () => {
      closeAll([writeFd]);
      reader.close();
    },
  };
};

interface Leftover {
  readonly output: PipeReader | undefined;
  readonly path: string;
  readonly pid: number;
  readonly drainMs: number;
}

/** Reads the rest of the output and lets go of it. Returns the file that takes what a process left behind writes later. */
const settleOutput = async (
  deps: LocalShellDeps,
  { output, path, pid, drainMs }: Leftover,
): Promise<string | undefined> => {
  if (output === undefined) return undefined;
  await settlesWithin(deps.clock, output.ended, drainMs);
  if (!output.finish().held) return undefined;
  const later = join(deps.outputDirectory, `left-${deps.clock.now().toString(36)}-${pid}.txt`);
  await mkdir(deps.outputDirectory, { recursive: true, mode: 0o700 });
  handOver(deps.bash, { fd: output.fd, path, later });
  output.close();
  return later;
};

// Opening for both ends never waits, and the reading end alone is kept. The reader stays as long as a writer does;
// `dd` passes on at once what it reads, and ends after 16 MiB at most.
const HAND_OVER = `umask 077; exec 3<>"$1" 4<"$1" 3>&- </dev/null; rm -f "$1"
{ dd bs=4096 count=4096 <&4 >"$2" 2>/dev/null; exec cat <&4 >/dev/null; } &`;

/**
 * Gives a pipe that a process left behind still writes to (`server &`) to a reader outside of this program. Without a
 * reader its next line of output would end that process.
 */
const handOver = (
  bash: string,
  { fd, path, later }: { readonly fd: number; readonly path: string; readonly later: string },
): void => {
  const child = spawn(bash, ["--noprofile", "--norc", "-c", HAND_OVER, "bash", path, later], {
    detached: true,
    stdio: [fd, "ignore", "ignore"],
  });
  // Then the pipe has no reader, as after any program that ends.
  child.once("error", () => undefined);
  child.unref();
};
