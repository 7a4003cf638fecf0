import type { Clock } from "../../base/clock.ts";

/** Waits for `promise`, but no longer than `ms`; tells whether it settled in time. Leaves no timer behind. */
export const settlesWithin = async (clock: Clock, promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const cancel = new AbortController();
  const timer = clock.sleep(ms, cancel.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([promise.then(() => true), timer]);
  } finally {
    cancel.abort();
  }
};

/** A promise for the first of some signals to abort; disposing takes its listeners off again. */
export interface AbortWatch extends Disposable {
  readonly aborted: Promise<void>;
}

/** Watches signals without joining them: a long-lived one keeps nothing of it afterwards. */
export const watchAbort = (signals: readonly AbortSignal[]): AbortWatch => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  for (const signal of signals) {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", onAbort, { once: true });
  }
  return {
    aborted: promise,
    [Symbol.dispose]: () => {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
};
