import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { promisify } from "node:util";

/** One process as the system lists it. Zombies are left out: they run no more. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Process group; on Windows, which has none, the pid itself. */
  readonly group: number;
  /** Session (`setsid`); where the system does not tell it, the group. */
  readonly session: number;
  /** When it started, in the system's own words: only good for comparing. */
  readonly startTime: string;
}

/** Reads one `/proc/<pid>/stat`; undefined for a zombie or something that is none. `bootId` tells boots apart. */
export const parseLinuxStat = (text: string, bootId: string): ProcessRow | undefined => {
  // The name stands in parentheses and may hold spaces and parentheses itself.
  const pid = Number.parseInt(text, 10);
  const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = rest[15];
  if (ticks === undefined || state === "Z" || state === "X") return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: `${bootId.slice(0, 8)}-${ticks}`,
  };
};

/** Arguments that make `ps` print what `parsePsTable` reads, on macOS and the BSDs. */
export const PS_ARGUMENTS = ["-axo", "pid=,ppid=,pgid=,stat=,lstart="] as const;

/** Reads the output of `ps` with `PS_ARGUMENTS` under `LC_ALL=C`. */
export const parsePsTable = (text: string): readonly ProcessRow[] =>
  text.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, startTime] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line) ?? [];
    if (startTime === undefined || state?.startsWith("Z") === true) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), startTime }];
  });

/** A PowerShell command that prints what `parseWindowsTable` reads: pid, parent, start in 100 ns since 1601. */
const WINDOWS_TABLE_COMMAND =
  "Get-CimInstance Win32_Process | Where-Object CreationDate | " +
  "ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc() }";

/** Reads the output of `WINDOWS_TABLE_COMMAND`. A parent that started after its child is a reused pid: no parent then. */
export const parseWindowsTable = (text: string): readonly ProcessRow[] => {
  const rows = text.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, startTime] = /^(\d+) (\d+) (\d+)$/.exec(line.trim()) ?? [];
    if (startTime === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(pid), session: Number(pid), startTime }];
  });
  const started = new Map(rows.map((row) => [row.pid, BigInt(row.startTime)]));
  return rows.map((row) => {
    const parentStarted = started.get(row.parent);
    return parentStarted !== undefined && parentStarted > BigInt(row.startTime) ? { ...row, parent: 0 } : row;
  });
};

/** Every process that this account may see. */
export const readProcessTable = async (
  platform: NodeJS.Platform = process.platform,
): Promise<readonly ProcessRow[]> => {
  if (platform === "linux") return readLinuxTable();
  if (platform === "win32") return parseWindowsTable(await outputOf("powershell.exe", WINDOWS_ARGUMENTS));
  return parsePsTable(await outputOf("ps", PS_ARGUMENTS));
};

/** One process; undefined when it does not run (any more). */
export const readProcess = async (
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessRow | undefined> => {
  if (platform === "linux") return readLinuxProcess(pid, await readBootId());
  return (await readProcessTable(platform)).find((row) => row.pid === pid);
};

const WINDOWS_ARGUMENTS = ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_TABLE_COMMAND] as const;

const outputOf = async (program: string, args: readonly string[]): Promise<string> => {
  // Any other locale would translate the dates, and the same process would seem to be another one.
  const env = program === "ps" ? { env: { LC_ALL: "C", PATH: "/bin:/usr/bin" } } : {};
  const { stdout } = await promisify(execFile)(program, [...args], { ...env, windowsHide: true, maxBuffer: 1 << 26 });
  return stdout;
};

/** Empty where it is hidden: start times are then only good within one boot. */
const readBootId = (): Promise<string> => readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");

const readLinuxProcess = async (pid: number, bootId: string): Promise<ProcessRow | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""); // gone between listing and reading
  return parseLinuxStat(text, bootId);
};

const readLinuxTable = async (): Promise<readonly ProcessRow[]> => {
  const bootId = await readBootId();
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows = await Promise.all(pids.map((pid) => readLinuxProcess(pid, bootId)));
  return rows.filter((row) => row !== undefined);
};
