import { execFileSync } from "node:child_process";

const MAKE_PIPE = "mkfifo";

/** Makes a named pipe, from which a plain read never returns. */
export const makePipe = (path: string): void => {
  execFileSync(MAKE_PIPE, [path]);
};
