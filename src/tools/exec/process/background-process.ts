import { readFile } from "node:fs/promises";
import type { ProcessId, SessionId } from "../../../base/ids.ts";
import { isAlive } from "../../../base/process-tree.ts";
import type { ProcessRecord } from "../../../store/store.ts";
import type { BackgroundHandle } from "../backend.ts";

export type ProcessState = ProcessRecord["state"];

/** A background process as everybody sees it. */
export interface ProcessView {
  readonly id: ProcessId;
  readonly session: SessionId;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  /** Wall time, ms UTC. */
  readonly startedAt: number;
  readonly outputPath: string;
  readonly state: ProcessState;
  /** Whether it can be written to: not after a restart of this program. */
  readonly acceptsInput: boolean;
  /** Whether it has a terminal. */
  readonly terminal: boolean;
}

/** A process that the registry follows. Mutable: it belongs to the registry alone. */
export interface TrackedProcess {
  record: ProcessRecord;
  /** Unmasked where this program started it. */
  readonly command: string;
  /** Absent for one that an earlier run of this program started. `ended` resolves when `record` says so. */
  readonly own:
    | { readonly handle: BackgroundHandle; readonly ended: Promise<void>; readonly terminal: boolean }
    | undefined;
  /** The password that it was given, kept out of everything that is read of its output. */
  readonly secret: string | undefined;
  /** How far `poll` has read, in bytes. */
  readOffset: number;
  /** An unfinished line that was written to it. */
  pendingInput: string;
}

/** Pure: what is shown of it. */
export const viewOf = ({ record, command, own }: TrackedProcess): ProcessView => ({
  id: record.id,
  session: record.session,
  command,
  cwd: record.cwd,
  pid: record.pid,
  startedAt: record.startedAt,
  outputPath: record.outputPath,
  state: record.state,
  terminal: own?.terminal === true,
  acceptsInput: own !== undefined && record.state.kind === "running",
});

/** The file that takes a process's exit code, so that it is known even if nobody was there. */
export const exitPathOf = (outputPath: string): string => outputPath.replace(/\.log$/, ".exit");

/** What has become of a process that this program did not start itself, or has lost sight of. */
export const currentState = async (record: ProcessRecord, now: number): Promise<ProcessState> => {
  if (record.state.kind !== "running") return record.state;
  if (await isAlive(record.pid, record.pidStartedAt)) return record.state;
  const code = await readExitCode(exitPathOf(record.outputPath));
  return code === undefined ? { kind: "lost", at: now } : { kind: "exited", code, signal: null, at: now };
};

const readExitCode = async (path: string): Promise<number | undefined> => {
  const text = await readFile(path, "utf8").catch(() => "");
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
};

/** Its output as it may be shown. */
export const withoutSecret = ({ secret }: TrackedProcess, text: string): string =>
  secret === undefined || secret === "" ? text : text.replaceAll(secret, "***");
