import type { Output } from "./output.ts";

/** Ctrl+C and a polite kill end the turn; a second one ends the program. */
export interface Interrupts extends Disposable {
  readonly signal: AbortSignal;
}

const INTERRUPTED_EXIT = 130;

/** Listens for SIGINT, SIGTERM and SIGHUP until disposed, and for the end of the given output: what nobody can read need not go on. */
export const listenForInterrupts = (output?: Pick<Output, "whenLost">): Interrupts =>
  listen(["SIGINT", "SIGTERM", "SIGHUP"], output);

/** Listens for SIGTERM and SIGHUP until disposed; Ctrl+C is somebody else's. */
export const listenForEnd = (): Interrupts => listen(["SIGTERM", "SIGHUP"]);

const listen = (signals: readonly NodeJS.Signals[], output?: Pick<Output, "whenLost">): Interrupts => {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED_EXIT);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  const lost = output?.whenLost(() => controller.abort());
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal);
      lost?.[Symbol.dispose]();
    },
  };
};
