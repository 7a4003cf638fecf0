import type { ApprovalGate } from "./approval-gate.ts";

/** A gate that is loaded when the first action comes to it: the rules for commands are a large part of the program, and many turns have none. */
export const createLazyGate = (load: () => Promise<ApprovalGate>): ApprovalGate => {
  let gate: ApprovalGate | undefined;
  let loading: Promise<ApprovalGate> | undefined;
  const loaded = (): Promise<ApprovalGate> => {
    loading ??= load().then((made) => {
      gate = made;
      return made;
    });
    return loading;
  };
  return {
    check: async (request, options) => (await loaded()).check(request, options),
    touchedBy: async (request) => (await loaded()).touchedBy(request),
    // Before it is loaded nothing was asked.
    pending: () => gate?.pending() ?? [],
    answerAll: (answer) => gate?.answerAll(answer) ?? 0,
  };
};
