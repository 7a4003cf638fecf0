import { failure, success, type Result } from "../../../base/result.ts";
import type { Candidate } from "../pool/candidate.ts";

/** A credential and its place in the list, from 1. */
export interface FoundTarget {
  readonly candidate: Candidate;
  readonly index: number;
}

/** The credential that a person means: by its place in the list, its id, or its label; else why there is none (compat 3.4). */
export const findTarget = (candidates: readonly Candidate[], written: string): Result<FoundTarget, string> => {
  const target = written.trim();
  if (target === "") return failure("No credential target provided.");
  const found = (index: number): Result<FoundTarget, string> => {
    const candidate = candidates[index];
    return candidate === undefined ? failure(`No credential #${index + 1}.`) : success({ candidate, index: index + 1 });
  };
  const byId = candidates.findIndex(({ id }) => id === target);
  if (byId !== -1) return found(byId);
  const labelled = candidates.flatMap(({ label }, index) =>
    label.toLowerCase() === target.toLowerCase() ? [index] : [],
  );
  if (labelled.length > 1) {
    return failure(`Ambiguous credential label "${target}". Use the numeric index or entry id instead.`);
  }
  const [only] = labelled;
  if (only !== undefined) return found(only);
  // An id may be all digits, so it was looked for first.
  return /^\d{1,9}$/.test(target) ? found(Number(target) - 1) : failure(`No credential matching "${target}".`);
};
