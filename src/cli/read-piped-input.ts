import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Clock } from "../base/clock.ts";
import { cliErrors } from "./errors.ts";

/** More than this does not fit a prompt anyway. */
const LIMIT_BYTES = 4 * 1024 * 1024;
/** An inherited pipe that nobody writes to (ssh, a script's open stdin) must not hang the program. */
const FIRST_BYTE_MS = 5_000;

/** What was piped in. `silent` = the pipe stayed open without a byte, so it was not waited for. */
export type PipedInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none" }
  | { readonly kind: "silent" };

/** Reads standard input to its end where it is a file, pipe or socket; a terminal and /dev/null give none. */
export const readPipedInput = async (
  stdin: Readable & { readonly isTTY?: boolean },
  clock: Clock,
): Promise<PipedInput> => {
  if (stdin.isTTY === true || !isReadableInput()) return { kind: "none" };
  const chunks = stdin[Symbol.asyncIterator]();
  const first = await firstChunk(chunks, clock);
  if (first === undefined) {
    stdin.destroy();
    return { kind: "silent" };
  }
  const parts: Buffer[] = [];
  let size = 0;
  for (let next = first; next.done !== true; next = await chunks.next()) {
    const bytes = Buffer.from(next.value);
    size += bytes.length;
    if (size > LIMIT_BYTES) throw cliErrors.pipedTooLong({ limit: LIMIT_BYTES });
    parts.push(bytes);
  }
  return size === 0 ? { kind: "none" } : { kind: "text", text: Buffer.concat(parts).toString("utf8") };
};

const firstChunk = async (chunks: AsyncIterator<Buffer>, clock: Clock): Promise<IteratorResult<Buffer> | undefined> => {
  const arrived = new AbortController();
  const waited = clock.sleep(FIRST_BYTE_MS, arrived.signal).then(
    () => undefined,
    () => undefined,
  );
  const first = await Promise.race([chunks.next(), waited]);
  arrived.abort();
  return first;
};

const isReadableInput = (): boolean => {
  try {
    const found = fstatSync(0);
    return found.isFile() || found.isFIFO() || found.isSocket();
  } catch {
    // Standard input is closed.
    return false;
  }
};
