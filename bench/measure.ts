import { spawn } from "node:child_process";
import { once } from "node:events";

/** One finished run of a command. */
export interface Run {
  readonly wallMs: number;
  /** User and system time of the process, milliseconds. */
  readonly cpuMs: number;
  /** Peak resident memory, MiB. */
  readonly peakMiB: number;
  readonly code: number | null;
}

/** Loaded into the measured process: writes what it used to descriptor 3 when it exits. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  `import{writeSync}from"node:fs";process.on("exit",()=>{const u=process.resourceUsage();writeSync(3,JSON.stringify({cpu:(u.userCPUTime+u.systemCPUTime)/1000,peak:u.maxRSS/1024}))})`,
)}`;

/** Runs Node with the given arguments and reads the kernel's own accounting of it. */
export const runNode = async (
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<Run> => {
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, ["--import", REPORT, ...args], {
    env: options.env,
    cwd: options.cwd,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const report: Buffer[] = [];
  child.stdio[3]?.on("data", (chunk: Buffer) => report.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
  const { cpu, peak } = JSON.parse(Buffer.concat(report).toString()) as { cpu: number; peak: number };
  return { wallMs, cpuMs: cpu, peakMiB: peak, code };
};

/** The middle value. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Runs two things in turn, so that a machine that slows down slows both. */
export const alternate = async <T>(
  rounds: number,
  left: () => Promise<T>,
  right: () => Promise<T>,
): Promise<{ readonly left: readonly T[]; readonly right: readonly T[] }> => {
  const lefts: T[] = [];
  const rights: T[] = [];
  await left();
  await right();
  for (let round = 0; round < rounds; round += 1) {
    lefts.push(await left());
    rights.push(await right());
  }
  return { left: lefts, right: rights };
};

/** Prints a figure in the one form that all benchmarks use. */
export const printFigure = (
  name: string,
  value: number,
  { unit, target }: { readonly unit: string; readonly target?: string },
): void => {
  const shown = value >= 100 ? value.toFixed(0) : value.toFixed(2);
  process.stdout.write(`${name}: ${shown} ${unit}${target === undefined ? "" : ` (target ${target})`}\n`);
};
