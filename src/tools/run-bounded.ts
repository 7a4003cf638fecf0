import { createContext, Script, type Context } from "node:vm";

/** How a bounded run ended. */
export type BoundedOutcome<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "too_slow" };

/** Runs synchronous code, and ends it by force after `ms`. */
export type BoundedRunner = <T>(run: () => T, ms: number) => BoundedOutcome<T>;

/**
 * Makes a runner: the one way to stop a regular expression that backtracks without end. The event loop stands still while
 * something runs, so `ms` is small. The first run takes milliseconds more than the others: use one runner for many runs.
 */
export const createBoundedRunner = (): BoundedRunner => {
  const sandbox: { run: () => void } = { run: () => undefined };
  let started: { readonly context: Context; readonly script: Script } | undefined;
  return <T>(run: () => T, ms: number): BoundedOutcome<T> => {
    let outcome: BoundedOutcome<T> = { kind: "too_slow" };
    sandbox.run = () => {
      outcome = { kind: "done", value: run() };
    };
    try {
      started ??= { context: createContext(sandbox), script: new Script("run()") };
      started.script.runInContext(started.context, { timeout: ms });
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
