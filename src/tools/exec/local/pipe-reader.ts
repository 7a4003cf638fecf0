import { closeSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { systemErrorCode } from "../../../base/system-error.ts";

/** Reads a pipe's reading end as data comes. */
export interface PipeReader {
  readonly fd: number;
  /** Resolves when every writer has closed its end. Never rejects. */
  readonly ended: Promise<void>;
  /** Takes what is in the pipe now, then stops. `held` = some writer still has it open; the descriptor is then still ours. */
  finish(): { readonly held: boolean };
  /** Closes the descriptor. */
  close(): void;
}

// What a shell wrote before it ended fits into the pipe; more can only come from a process that still writes.
const LARGEST_PIPE_BYTES = 1024 * 1024;

/** Starts reading `fd`, which must not block. The reader owns it from now on. */
export const createPipeReader = (fd: number, onData: (bytes: Uint8Array) => void): PipeReader => {
  const socket = new Socket({ fd, readable: true, writable: false });
  let open = true;
  const ended = new Promise<void>((resolve) => {
    const done = (): void => resolve();
    socket.once("end", done).once("error", done).once("close", done);
  });
  socket.on("data", onData);
  const close = (): void => {
    if (!open) return;
    open = false;
    socket.off("data", onData);
    socket.destroy();
  };
  return {
    fd,
    ended,
    finish: () => {
      if (!open || socket.readableEnded || socket.destroyed) {
        close();
        return { held: false };
      }
      socket.off("data", onData);
      socket.pause();
      const held = drain(fd, onData);
      if (!held) close();
      return { held };
    },
    close,
  };
};

/** Reads until the pipe is empty; false when all writers are gone. */
const drain = (fd: number, onData: (bytes: Uint8Array) => void): boolean => {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (let total = 0; total < LARGEST_PIPE_BYTES;) {
    const count = readNow(fd, buffer);
    if (count === undefined) return true;
    if (count === 0) return false;
    total += count;
    onData(Buffer.from(buffer.subarray(0, count)));
  }
  return true;
};

const readNow = (fd: number, buffer: Buffer): number | undefined => {
  try {
    return readSync(fd, buffer);
  } catch (thrown) {
    if (systemErrorCode(thrown) === "EAGAIN") return undefined;
    throw thrown;
  }
};

/** A pipe that is being written to. */
export interface PipeFeed {
  /** Closes our end, whatever has been read by then. */
  close(): void;
}

/** Writes `text` into a pipe's non-blocking end as far as readers take it, then closes it. Readers may leave early. */
export const feedPipe = (fd: number, text: string): PipeFeed => {
  const socket = new Socket({ fd, readable: false, writable: true });
  // A reader that left is no failure.
  socket.on("error", () => socket.destroy());
  socket.end(text);
  return { close: () => socket.destroy() };
};

/** Closes descriptors that were handed to a child. */
export const closeAll = (fds: readonly (number | undefined)[]): void => {
  for (const fd of fds) if (fd !== undefined) closeSync(fd);
};
