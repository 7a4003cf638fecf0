import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory of its own (0700) for one test; disposing removes it with everything inside. */
export interface TempDirectory extends AsyncDisposable {
  /** Absolute, with symbolic links resolved. */
  readonly path: string;
}

/** Makes a temporary directory: `await using temp = createTempDirectory();`. */
export const createTempDirectory = (): TempDirectory => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "hermes-test-")));
  return {
    path,
    // Retries cover a child process that is still closing its files.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
};
