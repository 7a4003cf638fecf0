import { DeadlineError, systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";

/** A clock whose time moves only when the test says so. */
export interface FakeClock extends Clock {
  /**
   * Moves wall and monotonic time forward, firing sleepers and deadlines in the order of their times and letting
   * what they wake run up to its next wait. Work that waits for real input (files, sockets) is not waited for.
   */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, as a laptop's sleep or a corrected clock does. */
  jumpWall(ms: number): void;
  /** Lets everything that is ready run, without moving time. */
  settle(): Promise<void>;
  /** How many sleepers and deadlines are waiting. */
  readonly pending: number;
}

interface Waiter {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A fake clock. `now` is the wall time at the start (ms UTC); monotonic time starts at 0. */
export const createFakeClock = (options: { readonly now?: number } = {}): FakeClock => {
  const waiters = new Set<Waiter>();
  let wallOffset = options.now ?? Date.UTC(2026, 0, 1);
  let elapsed = 0;
  let made = 0;

  const wait = (ms: number, fire: () => void): (() => void) => {
    made += 1;
    const waiter: Waiter = { at: elapsed + Math.max(0, ms), order: made, fire };
    waiters.add(waiter);
    return () => {
      waiters.delete(waiter);
    };
  };

  const nextDue = (until: number): Waiter | undefined => {
    const due = [...waiters].filter((waiter) => waiter.at <= until);
    return due.sort((a, b) => a.at - b.at || a.order - b.order)[0];
  };

  // One turn of the real event loop runs every microtask that is ready, however long their chain is.
  const settle = (): Promise<void> => systemClock.sleep(0);

  return {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = wait(ms, () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    deadline: (ms) => {
      const controller = new AbortController();
      const cancel = wait(ms, () => controller.abort(new DeadlineError(ms)));
      return { signal: controller.signal, [Symbol.dispose]: cancel };
    },
    advance: async (ms) => {
      const until = elapsed + ms;
      await settle();
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        elapsed = Math.max(elapsed, due.at);
        waiters.delete(due);
        due.fire();
        await settle();
      }
      elapsed = Math.max(elapsed, until);
    },
    jumpWall: (ms) => {
      wallOffset += ms;
    },
    settle,
    get pending() {
      return waiters.size;
    },
  };
};
