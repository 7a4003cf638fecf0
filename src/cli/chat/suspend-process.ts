import type { Clock } from "../../base/clock.ts";

// Any time; the sleep only keeps the process alive until it is told to go on.
const LONG_MS = 2 ** 31 - 1;

/**
 * Stops this process and its group as Ctrl+Z does on a terminal that is not in raw mode; resolves when it is continued.
 * Not for Windows, which has no job control.
 */
export const suspendProcess = async (clock: Clock): Promise<void> => {
  const continued = new AbortController();
  process.once("SIGCONT", () => continued.abort());
  process.kill(0, "SIGTSTP");
  // Ended by SIGCONT, which is what is waited for.
  await clock.sleep(LONG_MS, continued.signal).catch(() => undefined);
};
