/**
 * The clock port: the only way this program reads time or waits.
 * Tests pass a fake one (`testing/fake-clock`) and drive time themselves.
 */
export interface Clock {
  /** Wall time, integer milliseconds since the Unix epoch (UTC). May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back, does not jump with the wall clock. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * A signal that aborts after `ms` milliseconds with a `DeadlineError`. It does not keep the process alive.
   * Dispose it when the work is done, or its timer stays until it fires.
   */
  deadline(ms: number): Deadline;
}

/** A running deadline. `signal` aborts when it passes; disposing cancels it. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** The reason with which a passed deadline aborts. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  readonly ms: number;

  constructor(ms: number) {
    super(`deadline of ${ms} ms passed`);
    this.ms = ms;
  }
}

// Node fires a timer at once when its delay does not fit 31 bits; longer waits are cut to this.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const timerDelay = (ms: number): number => Math.min(Math.max(0, ms), LONGEST_TIMER_MS);

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),

  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, timerDelay(ms));
      signal?.addEventListener("abort", onAbort, { once: true });
    }),

  deadline: (ms) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new DeadlineError(ms)), timerDelay(ms));
    timer.unref();
    return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
