import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The checkout. */
export const ROOT = join(import.meta.dirname, "../..");
/** What a checkout or an installation starts. */
export const LAUNCHER = join(ROOT, "bin", "hermes.mjs");

/** How a run of the program ended. */
export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** A directory of the test's own: `HOME`, with the agent's home in it. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Piped into standard input; absent = /dev/null. */
  readonly stdin?: string;
  readonly cwd?: string;
}

/** The variables of a run: nothing of the machine but what programs need. */
export const cliEnvironment = (options: CliOptions): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: options.home,
  HERMES_HOME: join(options.home, ".hermes"),
  LANG: "C.UTF-8",
  TERM: "xterm-256color",
  ...options.environment,
});

/** Starts the built program. */
export const startCli = (args: readonly string[], options: CliOptions): ChildProcess =>
  spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: options.cwd ?? options.home,
    env: cliEnvironment(options),
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });

/** Runs the built program to its end. */
export const runCli = async (args: readonly string[], options: CliOptions): Promise<CliResult> => {
  const child = startCli(args, options);
  const collect = (stream: NodeJS.ReadableStream | null): (() => string) => {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString("utf8");
  };
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  if (options.stdin !== undefined) child.stdin?.end(options.stdin);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: stdout(), stderr: stderr() };
};
