import { stat } from "node:fs/promises";
import { hashOf } from "../file-state.ts";
import type { FileStateLedger } from "../file-state.ts";

/** Notes in the session's ledger what was just written, so that the agent's own change is not taken for somebody else's. */
export const rememberWritten = async (
  files: FileStateLedger,
  real: string,
  bytes: Buffer | undefined,
): Promise<void> => {
  if (bytes === undefined) return files.forget(real);
  const stats = await stat(real).catch(() => undefined); // gone again already: then there is nothing to remember
  if (stats === undefined) return files.forget(real);
  return files.remember(real, { size: stats.size, modified: stats.mtimeMs, hash: hashOf(bytes) });
};
