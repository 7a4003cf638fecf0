import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { constants as osConstants } from "node:os";
import { messageOf } from "../../../base/app-error.ts";
import { systemErrorCode } from "../../../base/system-error.ts";
import type { TerminalSize } from "../backend.ts";
import { bashArguments } from "../shell/shell-script.ts";

/** How a shell ended. */
export type ShellEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string };

/** A started bash, leader of its own session and process group. */
export interface SpawnedBash {
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<ShellEnd>;
  /** Resolves when the shell has its whole script, or has ended: from then on it does not need this program any more. */
  readonly instructed: Promise<void>;
  /** Only on a terminal. */
  readonly terminal?: TerminalEnd;
  /** Lets the program end while the shell runs. */
  unref(): void;
}

/** Our end of a shell's pseudo-terminal. */
export interface TerminalEnd {
  write(text: string): void;
  /** Hangs up. */
  destroy(): void;
}

export type SpawnResult =
  | { readonly kind: "started"; readonly bash: SpawnedBash }
  | { readonly kind: "spawn_failed"; readonly reason: string };

type Attempt =
  | { readonly kind: "started"; readonly bash: Omit<SpawnedBash, "instructed"> }
  | { readonly kind: "spawn_failed"; readonly reason: string };

/** What `spawnBash` starts. */
export interface SpawnSpec {
  readonly bash: string;
  /** A named pipe; the shell reads its whole script from it. */
  readonly scriptPath: string;
  readonly script: Uint8Array;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly interactive: boolean;
  readonly channels:
    /** Descriptors that the shell gets; they stay the caller's. `stdin` absent = `/dev/null`. */
    | { readonly kind: "descriptors"; readonly stdin: number | undefined; readonly output: number }
    | { readonly kind: "terminal"; readonly size: TerminalSize; readonly onOutput: (bytes: Uint8Array) => void };
}

/** Starts bash and hands it its script. */
export const spawnBash = async (spec: SpawnSpec): Promise<SpawnResult> => {
  const script = sendScript(spec.scriptPath, spec.script);
  const result =
    spec.channels.kind === "terminal" ? await onTerminal(spec, spec.channels) : await onPipes(spec, spec.channels);
  if (result.kind === "spawn_failed") {
    await script.giveUp();
    return result;
  }
  // A shell that ends before it has read everything must not keep the sender waiting.
  const ended = result.bash.ended.then(async (end) => {
    await script.giveUp();
    return end;
  });
  return { kind: "started", bash: { ...result.bash, ended, instructed: script.done } };
};

type PipeChannels = Extract<SpawnSpec["channels"], { kind: "descriptors" }>;
type TerminalChannels = Extract<SpawnSpec["channels"], { kind: "terminal" }>;

const onPipes = (spec: SpawnSpec, { stdin, output }: PipeChannels): Promise<Attempt> =>
  new Promise((resolve) => {
    const child = spawn(spec.bash, [...bashArguments(spec.scriptPath, spec.interactive)], {
      argv0: "bash",
      cwd: spec.cwd,
      env: spec.environment,
      detached: true,
      stdio: [stdin ?? "ignore", output, output],
      windowsHide: true,
    });
    const ended = new Promise<ShellEnd>((done) => {
      child.once("exit", (code, signal) =>
        done(signal === null ? { kind: "exited", code: code ?? 1 } : { kind: "signalled", signal }),
      );
    });
    child.once("error", (error) => resolve({ kind: "spawn_failed", reason: error.message }));
    child.once("spawn", () => {
      // Set whenever `spawn` is emitted.
      const pid = child.pid ?? 0;
      resolve({ kind: "started", bash: { pid, ended, unref: () => child.unref() } });
    });
  });

const onTerminal = async (spec: SpawnSpec, { size, onOutput }: TerminalChannels): Promise<Attempt> => {
  try {
    const { spawn: spawnOnTerminal } = await import("@lydell/node-pty");
    const pty = spawnOnTerminal(spec.bash, [...bashArguments(spec.scriptPath, spec.interactive)], {
      name: "xterm-256color",
      cols: size.columns,
      rows: size.rows,
      cwd: spec.cwd,
      env: spec.environment,
      encoding: null,
    });
    // With no encoding the library hands over buffers, whatever its types say.
    pty.onData((data: string | Uint8Array) => onOutput(typeof data === "string" ? Buffer.from(data) : data));
    const ended = new Promise<ShellEnd>((done) => {
      pty.onExit(({ exitCode, signal }) =>
        done(
          signal === undefined || signal === 0
            ? { kind: "exited", code: exitCode }
            : { kind: "signalled", signal: signalName(signal) },
        ),
      );
    });
    const terminal: TerminalEnd = { write: (text) => pty.write(text), destroy: () => pty.kill("SIGHUP") };
    return { kind: "started", bash: { pid: pty.pid, ended, terminal, unref: () => undefined } };
  } catch (thrown) {
    return { kind: "spawn_failed", reason: `no terminal: ${messageOf(thrown)}` };
  }
};

const signalName = (number: number): string => {
  const name = Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0];
  return name ?? `signal ${number}`;
};

/** A script on its way into a named pipe. */
interface SentScript {
  /** Never rejects. */
  readonly done: Promise<void>;
  /** Ends the sending if nobody reads (any more). */
  giveUp(): Promise<void>;
}

const sendScript = (path: string, bytes: Uint8Array): SentScript => {
  let sent = false;
  // Waits until the shell opens its end.
  const opened = open(path, "w");
  const done = opened
    .then((file) => writeAll(file, bytes))
    // The pipe could not be opened: the shell could not either, and has said so.
    .catch(() => undefined)
    .finally(() => {
      sent = true;
    });
  return {
    done,
    giveUp: async () => {
      if (!sent) await releaseWriter(path, opened);
      await done;
    },
  };
};

/** A reader for a moment lets a waiting `open` go on; with the reader gone again, writing fails instead of waiting. */
const releaseWriter = async (path: string, opened: Promise<FileHandle>): Promise<void> => {
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  await opened.catch(() => undefined);
  await reader?.close();
};

const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  try {
    await file.writeFile(bytes);
  } catch (thrown) {
    // The shell ended before it had read all.
    if (systemErrorCode(thrown) !== "EPIPE") throw thrown;
  } finally {
    await file.close();
  }
};
