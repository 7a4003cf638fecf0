/** Where a command's text goes. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Width of the terminal, 80 where there is none. */
  readonly columns: () => number;
}

/** The process's own streams. A reader that went away (`hermes … | head`) ends the program quietly. */
export const createOutput = (): Output => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endQuietly);
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    isTerminal: {
      stdin: process.stdin.isTTY === true,
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true,
    },
    columns: () => process.stdout.columns ?? 80,
  };
};

/** Nobody reads any more: there is nobody to tell, and what was saved is saved. */
const endQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
};
