import { closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import { logLine } from "./log-line.ts";
import type { LogFields, LogLevel, LogScope, LineMasking } from "./log-line.ts";
import { makeFolderSync } from "./make-folder.ts";
import { tryProcessLock } from "./process-lock.ts";

export type { LogFields, LogLevel, LogScope, LineMasking } from "./log-line.ts";

/** Where and how much is logged. `level`, `maxBytes` and `backups` come from the config section `logging`. */
export interface LogOptions {
  /** The home's `logs/`; made (0700) with the first line. */
  readonly directory: string;
  /** The home's `locks/`, for the rotation. */
  readonly locksDirectory: string;
  readonly clock: Clock;
  readonly masking: LineMasking;
  /** Lines below it are not written. Default `info`. */
  readonly level?: LogLevel;
  /** A file that a line makes this many bytes or more is rotated. Default 5 MiB. */
  readonly maxBytes?: number;
  /** How many rotated files (`agent.log.1` …) are kept. Default 3. */
  readonly backups?: number;
  /** The file for everything; errors stand in `errors.log` too. Default `agent.log`. */
  readonly file?: string;
}

/**
 * Writes one JSON object a line (decision 31), each with one synchronous append, so lines of several processes never mix
 * and none is lost when the process dies. Never throws: a log that cannot be written must not end the work.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with a component or session of its own in each line. */
  child(scope: LogScope): Logger;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
const DEFAULT_BACKUPS = 3;

/** Makes the log. Touches no file before the first line that is to be written. */
export const createLogger = (options: LogOptions): Logger => scopedLogger(options, { component: "main" });

const scopedLogger = (options: LogOptions, scope: LogScope): Logger => {
  const write =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (RANK[level] < RANK[options.level ?? "info"]) return;
      try {
        const line = logLine({ at: options.clock.now(), level, scope, message, fields }, options.masking);
        append(options, options.file ?? "agent.log", line);
        if (level === "error") append(options, "errors.log", line);
      } catch {
        // Nowhere to say it: the log itself is what fails.
      }
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (inner) => scopedLogger(options, { ...scope, ...inner }),
  };
};

/** The file is opened for each line: another process may have rotated it since the last one. */
const append = (options: LogOptions, name: string, line: string): void => {
  const path = join(options.directory, name);
  makeFolderSync(options.directory);
  const grown = appendLine(path, line);
  if (grown >= (options.maxBytes ?? DEFAULT_MAX_BYTES)) rotate(options, path);
};

/** Returns the size of the file after the line. */
const appendLine = (path: string, line: string): number => {
  const file = openSync(path, "a", 0o600);
  try {
    writeSync(file, line);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
};

/** Shifts `x.log` → `.1` → `.2` …, dropping the oldest. While another process does it, this one leaves it alone. */
const rotate = (options: LogOptions, path: string): void => {
  using lock = tryProcessLock({ directory: options.locksDirectory, name: "log-rotation" });
  if (lock === undefined) return;
  // Another process may have rotated between our line and the lock.
  if (sizeOf(path) < (options.maxBytes ?? DEFAULT_MAX_BYTES)) return;
  const backups = options.backups ?? DEFAULT_BACKUPS;
  const nth = (n: number): string => (n === 0 ? path : `${path}.${n}`);
  rmSync(nth(backups), { force: true });
  for (let n = backups - 1; n >= 0; n -= 1) {
    if (sizeOf(nth(n)) >= 0) renameSync(nth(n), nth(n + 1));
  }
};

/** -1 = no such file. */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? -1;
