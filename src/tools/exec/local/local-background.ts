import { closeSync, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { messageOf } from "../../../base/app-error.ts";
import { createPrivateFile } from "../../../base/private-file.ts";
import { processStartTime } from "../../../base/process-tree.ts";
import type { BackgroundHandle, BackgroundSpec, BackgroundStart } from "../backend.ts";
import { openForWriting, removeFifos } from "./fifo-pool.ts";
import type { PipeEnds } from "./fifo-pool.ts";
import { startEnvironment } from "./local-shell.ts";
import type { LocalShellDeps } from "./local-shell.ts";
import { closeAll } from "./pipe-reader.ts";
import { renderScript } from "../shell/shell-script.ts";
import { spawnBash } from "./spawn-bash.ts";
import type { ShellEnd, SpawnedBash, SpawnSpec } from "./spawn-bash.ts";
import { settlesWithin } from "../wait-within.ts";

const INSTRUCTION_MS = 5_000;

/**
 * Starts a command that outlives the call and this program: its output goes straight into a file, nothing of it depends
 * on a descriptor of ours but its input, which ends when we do. On a terminal it depends on us and is hung up then.
 */
export const startLocalBackground = async (deps: LocalShellDeps, spec: BackgroundSpec): Promise<BackgroundStart> => {
  const paths = [await deps.fifos.take(), await deps.fifos.take()] as const;
  const [scriptPath, inputPath] = paths;
  let outputFd: number;
  try {
    createPrivateFile(spec.exitPath);
    outputFd = openSync(spec.outputPath, "a", 0o600);
  } catch (thrown) {
    return { kind: "spawn_failed", reason: messageOf(thrown) };
  }
  const input = spec.terminal === undefined ? openForWriting(inputPath) : undefined;
  const result = await spawnBash(backgroundSpec(deps.bash, spec, { scriptPath, input, outputFd }));
  closeAll([input?.readFd, spec.terminal === undefined || result.kind === "spawn_failed" ? outputFd : undefined]);
  if (result.kind === "spawn_failed") {
    closeAll([input?.writeFd]);
    await removeFifos(paths);
    return result;
  }
  const { bash } = result;
  // Told to be running, it must survive us; a start-up file (BASH_ENV) that hangs is not waited for.
  await settlesWithin(deps.clock, bash.instructed, INSTRUCTION_MS);
  const pidStartedAt = (await processStartTime(bash.pid)) ?? "";
  const handle = input === undefined ? terminalHandle(bash, outputFd) : pipeHandle(bash, input.writeFd);
  if (spec.stdin !== undefined) handle.write(spec.stdin);
  const exited = bash.ended.then(async (end) => {
    handle.release();
    await removeFifos(paths);
    return toExit(end);
  });
  return { kind: "started", handle: { pid: bash.pid, pidStartedAt, exited, ...handle } };
};

const toExit = (end: ShellEnd): { readonly code: number | null; readonly signal: string | null } =>
  end.kind === "exited" ? { code: end.code, signal: null } : { code: null, signal: end.signal };

interface Ends {
  readonly scriptPath: string;
  readonly input: PipeEnds | undefined;
  readonly outputFd: number;
}

const backgroundSpec = (bash: string, spec: BackgroundSpec, { scriptPath, input, outputFd }: Ends): SpawnSpec => ({
  bash,
  scriptPath,
  script: renderScript({
    command: spec.command,
    ...(spec.state === undefined ? {} : { state: spec.state }),
    exports: spec.exports,
    atExit: { kind: "note_code", path: spec.exitPath },
  }),
  cwd: spec.cwd,
  environment: startEnvironment(spec),
  interactive: false,
  channels:
    spec.terminal === undefined
      ? { kind: "descriptors", stdin: input?.readFd, output: outputFd }
      : { kind: "terminal", size: spec.terminal, onOutput: (bytes) => void writeSync(outputFd, bytes) },
});

type Input = Pick<BackgroundHandle, "write" | "closeInput" | "release">;

const pipeHandle = (bash: SpawnedBash, writeFd: number): Input => {
  const socket = new Socket({ fd: writeFd, readable: false, writable: true });
  // The process ended, or closed its input.
  socket.on("error", () => socket.destroy());
  socket.unref();
  bash.unref();
  return {
    write: (text) => {
      if (!socket.writable) return false;
      socket.write(text);
      return true;
    },
    closeInput: () => socket.end(),
    release: () => socket.destroy(),
  };
};

const END_OF_INPUT = "\u0004";

const terminalHandle = (bash: SpawnedBash, outputFd: number): Input => {
  let open = true;
  const write = (text: string): boolean => {
    if (open) bash.terminal?.write(text);
    return open;
  };
  return {
    write,
    closeInput: () => void write(END_OF_INPUT),
    release: () => {
      if (!open) return;
      open = false;
      bash.terminal?.destroy();
      closeSync(outputFd);
    },
  };
};
