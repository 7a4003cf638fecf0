import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { absent } from "../../base/system-error.ts";
import { memoryErrors } from "./errors.ts";

/** Far more than any limit of a memory file; what is larger was not written by hand. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/**
 * A memory file's bytes, whatever somebody may have put in its place: never waits for a pipe, never reads a device, never more than 4 MiB.
 * Undefined = there is none. Throws `memory.no_file`; rejects with the system's error.
 */
export const readMemoryBytes = async (path: string): Promise<Buffer | undefined> => {
  // Opening a pipe or a device can have effects, so it is looked at first, and again once it is open.
  const found = await stat(path).catch(absent);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw memoryErrors.noFile({ path, why: "is no ordinary file" });
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(absent);
  if (handle === undefined) return undefined;
  await using _ = handle;
  const facts = await handle.stat();
  if (!facts.isFile()) throw memoryErrors.noFile({ path, why: "is no ordinary file" });
  if (facts.size > LARGEST_BYTES) {
    throw memoryErrors.noFile({ path, why: `is larger than ${LARGEST_BYTES / 1024 / 1024} MiB` });
  }
  return await handle.readFile();
};
