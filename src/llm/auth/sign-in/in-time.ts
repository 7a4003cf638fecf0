import { untilAborted } from "../../../base/until-aborted.ts";
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
  const { promise: passed, resolve } = Promise.withResolvers<undefined>();
  deadline.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return await untilAborted(Promise.race([work(), passed]), signal);
};
