import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { ProcessId, SessionId } from "../base/ids.ts";
import { redactText } from "../base/redact/redact-text.ts";
import { readEnvironment } from "../config/environment.ts";
import type { ProcessRecord, ProcessStore } from "../store/store.ts";
import { commandEnvironment } from "../tools/exec/shell/command-environment.ts";
import { createLocalBackend } from "../tools/exec/local/local.ts";
import { createProcessRegistry } from "../tools/exec/process/process-registry.ts";
import type { ProcessRegistry } from "../tools/exec/process/process-registry.ts";
import type { ExecBackend } from "../tools/exec/backend.ts";
import { createSessionShells } from "../tools/exec/shell/session-shells.ts";
import type { SessionShells, SessionShellsDeps } from "../tools/exec/shell/session-shells.ts";

/** Real shells and processes below one directory. */
export interface ExecRig extends AsyncDisposable {
  readonly backend: ExecBackend;
  readonly shells: SessionShells;
  readonly processes: ProcessRegistry;
  readonly store: ProcessStore;
  readonly outputDirectory: string;
}

export interface ExecRigOptions {
  /** Holds everything, and is the shells' first directory and home. */
  readonly directory: string;
  readonly shell?: Partial<Pick<SessionShellsDeps, "persistent" | "sourceBashrc" | "initFiles">>;
  /** Further variables of the program itself. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly store?: ProcessStore;
  /** As on systems without named pipes. */
  readonly plainFiles?: boolean;
}

/** Makes a rig on the machine's clock; disposing ends its background processes. */
export const createExecRig = ({
  directory,
  shell,
  environment,
  plainFiles,
  store = createMemoryProcessStore(),
}: ExecRigOptions): ExecRig => {
  const own = join(directory, ".rig");
  mkdirSync(own, { recursive: true });
  const outputDirectory = join(own, "output");
  const variables = { ...readEnvironment(), HOME: directory, ...environment };
  const looksSecret = (value: string): boolean => redactText(value) !== value;
  const backend = createLocalBackend({
    clock: systemClock,
    platform: process.platform,
    environment: readEnvironment(),
    temporaryDirectory: own,
    outputDirectory,
    ...(plainFiles === undefined ? {} : { plainFiles }),
  });
  const shells = createSessionShells({
    backend,
    environment: (session) => commandEnvironment(variables, { passthrough: [], sessionId: session, looksSecret }),
    mayPass: (name, value) => !/KEY|TOKEN/.test(name) && !looksSecret(value),
    directory,
    persistent: shell?.persistent ?? true,
    sourceBashrc: shell?.sourceBashrc ?? false,
    initFiles: shell?.initFiles ?? [],
  });
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const log = { ...silent, child: () => log };
  const processes = createProcessRegistry({
    backend,
    store,
    clock: systemClock,
    log,
    redact: redactText,
    directory: join(own, "processes"),
  });
  return {
    backend,
    shells,
    processes,
    store,
    outputDirectory,
    [Symbol.asyncDispose]: async () => {
      await processes.killAll();
      await processes.close();
      await backend.close();
    },
  };
};

/** A process store in memory. */
export const createMemoryProcessStore = (): ProcessStore => {
  const records = new Map<ProcessId, ProcessRecord>();
  return {
    put: async (record) => {
      records.set(record.id, record);
    },
    setState: async (id, state) => {
      const record = records.get(id);
      if (record !== undefined) records.set(id, { ...record, state });
    },
    get: async (id) => records.get(id),
    list: async ({ session, limit }) =>
      [...records.values()]
        .filter((record) => session === undefined || record.session === session)
        .toReversed()
        .slice(0, limit),
  };
};

/** The session that tests work in. */
export const TEST_SESSION = "20261201_120000_abcdef" as SessionId;

/** What one command printed, unbounded, and how it ended. */
export interface RigRun {
  readonly output: string;
  readonly report: Awaited<ReturnType<ReturnType<SessionShells["of"]>["run"]>>;
}

/** Runs a command in a session's shell of the rig. */
export const runInShell = async (
  rig: ExecRig,
  command: string,
  options: {
    readonly session?: SessionId;
    readonly workdir?: string;
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    readonly terminal?: boolean;
  } = {},
): Promise<RigRun> => {
  const pieces: Uint8Array[] = [];
  const report = await rig.shells.of(options.session ?? TEST_SESSION).run(
    {
      command,
      ...(options.workdir === undefined ? {} : { workdir: options.workdir }),
      ...(options.terminal === true ? { terminal: { columns: 80, rows: 24 } } : {}),
    },
    {
      signal: options.signal ?? new AbortController().signal,
      timeoutMs: options.timeoutMs ?? 60_000,
      onOutput: (bytes) => pieces.push(Buffer.from(bytes)),
    },
  );
  return { output: Buffer.concat(pieces).toString("utf8"), report };
};

/** A `sleep` that no other process has: its argument is how it is found again. */
export const uniqueSleep = (): { readonly command: string; readonly seconds: string } => {
  const seconds = `3600.${Number.parseInt(randomBytes(5).toString("hex"), 16)}`;
  return { command: `sleep ${seconds}`, seconds };
};

/** The pids of processes that have exactly this argument (Linux). Zombies have none. */
export const pidsWithArgument = (argument: string): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => argumentsOf(pid).includes(argument))
    .map(Number);

const argumentsOf = (pid: string): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
};

/** The open descriptors of this process (Linux), without the one that lists them. */
export const openDescriptors = (): number => readdirSync("/proc/self/fd").length - 1;

const WAIT_LIMIT_MS = 15_000;

/** Looks until something has happened; rejects with `what` after 15 s. */
export const eventually = async (what: string, look: () => boolean | Promise<boolean>): Promise<void> => {
  const end = systemClock.monotonic() + WAIT_LIMIT_MS;
  while (!(await look())) {
    if (systemClock.monotonic() > end) throw new Error(`not within ${WAIT_LIMIT_MS} ms: ${what}`);
    await systemClock.sleep(15);
  }
};
