import type { AskDeps } from "./ask-endpoint.ts";

/**
 * The result of work that hears its answer out, or undefined once `--timeout` has passed; the work itself is not ended. Throws the
 * signal's reason as soon as it aborts, and what the work throws before that.
 */
export const inTime = async <T>(
  { clock, timeoutMs }: AskDeps,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> => {
  signal.throwIfAborted();
  using deadline = clock.deadline(timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  deadline.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};
