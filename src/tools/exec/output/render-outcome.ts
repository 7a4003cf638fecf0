import type { ExecOutcome } from "../backend.ts";

/** What there is to say of an end, for the model; undefined for a command that succeeded. */
export const renderOutcome = (outcome: ExecOutcome): string | undefined => {
  switch (outcome.kind) {
    case "exited":
      return outcome.code === 0 ? undefined : `exit code ${outcome.code}`;
    case "signalled":
      return `ended by ${outcome.signal}`;
    case "timed_out":
      return `timed out after ${outcome.afterMs / 1000} s; ${renderTree(outcome.survivors)}. Give a longer timeout, or use background: true`;
    case "aborted":
      return `interrupted; ${renderTree(outcome.survivors)}`;
    case "spawn_failed":
      return `could not be started: ${outcome.reason}`;
  }
};

const renderTree = (survivors: readonly number[]): string =>
  survivors.length === 0 ? "its processes were ended" : `these processes could not be ended: ${survivors.join(", ")}`;
