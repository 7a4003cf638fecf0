import { fstatSync } from "node:fs";
import type { ExitCode } from "../base/app-error.ts";

/** Where a command's text goes. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Width of the terminal, 80 where there is none. */
  readonly columns: () => number;
  /**
   * Calls `end` when standard output cannot be written any more; whoever asks for that ends its work itself and soon. While nobody
   * asks, the program ends at once.
   */
  readonly whenLost: (end: () => void) => Disposable;
  /** The exit code of the program, when a command ended with `code`: what was not written was not delivered. */
  readonly settle: (code: ExitCode) => ExitCode;
}

/**
 * The process's own streams. A reader that went away (`hermes … | head`) ends the program quietly and well; what cannot be written for
 * another reason (a full disk) is said, and is a failure. Nothing can be said where standard error alone is lost: the work goes on.
 */
export const createOutput = (): Output => {
  const ends = new Set<() => void>();
  let lost: ExitCode | undefined;
  const lose = (error: NodeJS.ErrnoException): void => {
    if (lost !== undefined) return;
    lost = error.code === "EPIPE" ? 0 : 1;
    if (lost === 1) process.stderr.write(`✗ Standard output cannot be written: ${error.message}\n`);
    if (ends.size === 0) process.exit(lost);
    for (const end of ends) end();
  };
  process.stdout.on("error", lose);
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (isOnePipe()) lose(error);
  });
  return {
    stdout: (text) => {
      if (lost === undefined) process.stdout.write(text);
    },
    stderr: (text) => {
      if (lost === undefined) process.stderr.write(text);
    },
    isTerminal: {
      stdin: process.stdin.isTTY === true,
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true,
    },
    columns: () => process.stdout.columns ?? 80,
    whenLost: (end) => {
      ends.add(end);
      return { [Symbol.dispose]: () => void ends.delete(end) };
    },
    settle: (code) => lost ?? code,
  };
};

/** Whether standard output and standard error lead to the same place (`2>&1`). */
const isOnePipe = (): boolean => {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    // One of them is closed.
    return false;
  }
};
