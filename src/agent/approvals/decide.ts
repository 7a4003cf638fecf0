import type { CommandVerdict, Reason } from "./analyse-command.ts";
import { shapeCovers } from "./command-shape.ts";
import type { CommandShape } from "./command-shape.ts";

/** What the owner has said beforehand, and whether anybody can be asked now. */
export interface ApprovalPolicy {
  /** `approvals.mode`. */
  readonly mode: "manual" | "smart" | "off";
  /** `--yolo` or the session's `/yolo`. */
  readonly yolo: boolean;
  /** Whether a person can be asked. */
  readonly asker: boolean;
  /** `approvals.cron_mode`; present only in a scheduled job. */
  readonly cron?: "deny" | "approve";
  readonly sessionAllowed: readonly CommandShape[];
  readonly alwaysAllowed: readonly CommandShape[];
  /** Whether commands run in a container, which protects the machine by itself. */
  readonly container: boolean;
}

/** What needs a word, and what "always" would cover (empty = it cannot be remembered). */
export interface OpenQuestion {
  readonly reasons: readonly Reason[];
  readonly remember: readonly CommandShape[];
}

/** What happens to an action. `judge` = a model looks first, a person after it. */
export type Decision =
  | { readonly kind: "run"; readonly because: "container" | "harmless" | "yolo" | "allowed-before" | "cron" }
  | { readonly kind: "refuse"; readonly why: "blocked" | "nobody-to-ask" | "cron"; readonly reasons: readonly Reason[] }
  | { readonly kind: "ask"; readonly question: OpenQuestion }
  | { readonly kind: "judge"; readonly question: OpenQuestion };

/**
 * Decides by the owner's prior answers. Pure. What is blocked stays blocked under every mode, except in a container;
 * what is dangerous is refused where nobody can be asked.
 */
export const decideApproval = (verdict: CommandVerdict, policy: ApprovalPolicy): Decision => {
  if (policy.container) return { kind: "run", because: "container" };
  switch (verdict.kind) {
    case "block":
      return { kind: "refuse", why: "blocked", reasons: [verdict.reason] };
    case "safe":
      return { kind: "run", because: "harmless" };
    case "ask":
      return decideDangerous(verdict.reasons, policy);
  }
};

/** Decides about something dangerous: a command, or a write to a protected path. */
export const decideDangerous = (reasons: readonly Reason[], policy: ApprovalPolicy): Decision => {
  if (policy.container) return { kind: "run", because: "container" };
  if (policy.yolo || policy.mode === "off") return { kind: "run", because: "yolo" };
  if (reasons.every((reason) => isAllowed(reason, policy))) return { kind: "run", because: "allowed-before" };
  if (policy.cron === "approve") return { kind: "run", because: "cron" };
  if (policy.cron === "deny") return { kind: "refuse", why: "cron", reasons };
  if (!policy.asker) return { kind: "refuse", why: "nobody-to-ask", reasons };
  const question = { reasons, remember: coverable(reasons) };
  return { kind: policy.mode === "smart" ? "judge" : "ask", question };
};

const isAllowed = ({ shape }: Reason, { sessionAllowed, alwaysAllowed }: ApprovalPolicy): boolean =>
  shape !== undefined && [...sessionAllowed, ...alwaysAllowed].some((allowed) => shapeCovers(allowed, shape));

/** The shapes that would have to be allowed; none where a reason cannot be covered, for then the answer could not hold. */
const coverable = (reasons: readonly Reason[]): readonly CommandShape[] => {
  const shapes = reasons.map((reason) => reason.shape).filter((shape) => shape !== undefined);
  return shapes.length === reasons.length ? shapes : [];
};
