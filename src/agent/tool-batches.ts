import type { Concurrency } from "./tool.ts";

/**
 * Cuts the calls of one answer into batches that run one after the other; the calls inside a batch run at the same time.
 * Order is kept: a call never runs before one that stands earlier and may conflict with it.
 */
export const batchCalls = <Call extends { readonly concurrency: Concurrency }>(
  calls: readonly Call[],
): readonly (readonly Call[])[] => {
  const batches: Call[][] = [];
  for (const call of calls) {
    const open = batches.at(-1);
    if (open !== undefined && open.every((other) => canRunTogether(other.concurrency, call.concurrency)))
      open.push(call);
    else batches.push([call]);
  }
  return batches;
};

/** A reader may see either state of a file that is being written, so `anything` runs only beside its like. */
const canRunTogether = (left: Concurrency, right: Concurrency): boolean => {
  if (left.kind === "nothing" || right.kind === "nothing") return false;
  if (left.kind === "anything" || right.kind === "anything") return left.kind === right.kind;
  return !left.paths.some((path) => right.paths.includes(path));
};
