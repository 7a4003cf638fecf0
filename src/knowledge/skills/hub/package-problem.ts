import type { AppError } from "../../../base/app-error.ts";
import { hubErrors } from "./errors.ts";

/** Why something is not read: it means harm, it is damaged, or it is larger than a skill may be. */
export interface PackageProblem {
  readonly kind: "hostile" | "broken" | "large";
  /** In words, without the name of the source. */
  readonly why: string;
}

/** The problem of a source as an error for people. */
export const refusal = (source: string, { kind, why }: PackageProblem): AppError => {
  switch (kind) {
    case "hostile":
      return hubErrors.hostile({ source, why });
    case "broken":
      return hubErrors.broken({ source, why });
    case "large":
      return hubErrors.tooLarge({ source, what: why });
  }
};
