import type { ReasoningEffort } from "../../config/reasoning-effort.ts";
import type { LlmRequest } from "../request.ts";
import type { WireTarget } from "./wire.ts";

/** What is sent to ask for thinking, and whether a temperature may stand beside it. */
export interface ThinkingParameters {
  readonly members: Readonly<Record<string, unknown>>;
  /** Features that the request switches on beside them. */
  readonly betas: readonly string[];
  readonly takesTemperature: boolean;
}

type Thinks = Exclude<ReasoningEffort, "none">;

/** Tokens to think with, where the model takes a number. */
const BUDGETS: Readonly<Record<Thinks, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_000,
};
const SMALLEST_BUDGET = 1_024;

/** What the model takes where it takes a word; the older ones have no `xhigh`. */
const EFFORTS: Readonly<Record<Thinks, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
};

/** Lets a model with a budget think again between its calls; the later ones do so unasked. */
const THINK_BETWEEN_CALLS = "interleaved-thinking-2025-05-14";

const NOTHING: ThinkingParameters = { members: {}, betas: [], takesTemperature: true };

interface ThinkingFacts {
  readonly quirks: WireTarget["quirks"];
  readonly maxTokens: number;
  /** The request goes on with calls whose thinking is not there, which the API refuses while thinking is asked for. */
  readonly lostThinking: boolean;
}

/**
 * The members that ask for an effort. A budget leaves at least half of the answer's bound to the answer; where that is less
 * than the smallest budget, or nothing is known of the model, nothing is asked.
 */
export const thinkingParameters = (
  { reasoningEffort, tools }: LlmRequest,
  { quirks, maxTokens, lostThinking }: ThinkingFacts,
): ThinkingParameters => {
  const takesTemperature = quirks.thinking !== "effort_xhigh";
  if (reasoningEffort === undefined || quirks.thinking === undefined) return { ...NOTHING, takesTemperature };
  if (quirks.thinking === "budget") {
    if (reasoningEffort === "none" || lostThinking) return NOTHING;
    const budget = Math.min(BUDGETS[reasoningEffort], Math.floor(maxTokens / 2));
    if (budget < SMALLEST_BUDGET) return NOTHING;
    const betas = tools.length === 0 ? [] : [THINK_BETWEEN_CALLS];
    return { members: { thinking: { type: "enabled", budget_tokens: budget } }, betas, takesTemperature: false };
  }
  if (reasoningEffort === "none") return { members: { thinking: { type: "disabled" } }, betas: [], takesTemperature };
  const effort = quirks.thinking === "effort" && reasoningEffort === "xhigh" ? "high" : EFFORTS[reasoningEffort];
  return {
    members: { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } },
    betas: [],
    takesTemperature: false,
  };
};
