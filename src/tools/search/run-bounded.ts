import { createContext, runInContext } from "node:vm";

/** How a bounded run ended. */
export type BoundedOutcome<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "too_slow" };

/**
 * Runs synchronous code, and ends it by force after `ms`: the one way to stop a regular expression that backtracks without
 * end. The event loop stands still meanwhile, so `ms` is small.
 */
export const runBounded = <T>(run: () => T, ms: number): BoundedOutcome<T> => {
  let outcome: BoundedOutcome<T> = { kind: "too_slow" };
  const sandbox = createContext({
    run: () => {
      outcome = { kind: "done", value: run() };
    },
  });
  try {
    runInContext("run()", sandbox, { timeout: ms });
  } catch (error) {
    if (isTimeout(error)) return { kind: "too_slow" };
    throw error;
  }
  return outcome;
};

/** The error was made in the sandbox, so it is no instance of this realm's `Error`. */
const isTimeout = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
