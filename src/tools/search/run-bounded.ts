import { createContext, Script } from "node:vm";

/** How a bounded run ended. */
export type BoundedOutcome<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "too_slow" };

/** Runs synchronous code, and ends it by force after `ms`. */
export type BoundedRunner = <T>(run: () => T, ms: number) => BoundedOutcome<T>;

/**
 * Makes a runner: the one way to stop a regular expression that backtracks without end. The event loop stands still while
 * something runs, so `ms` is small. Making one takes milliseconds: make it once for many runs.
 */
export const createBoundedRunner = (): BoundedRunner => {
  const sandbox: { run: () => void } = { run: () => undefined };
  const context = createContext(sandbox);
  const script = new Script("run()");
  return <T>(run: () => T, ms: number): BoundedOutcome<T> => {
    let outcome: BoundedOutcome<T> = { kind: "too_slow" };
    sandbox.run = () => {
      outcome = { kind: "done", value: run() };
    };
    try {
      script.runInContext(context, { timeout: ms });
    } catch (error) {
      if (isTimeout(error)) return { kind: "too_slow" };
      throw error;
    }
    return outcome;
  };
};

/** The error was made in the sandbox, so it is no instance of this realm's `Error`. */
const isTimeout = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
