import type { ReasoningEffort } from "../../../config/reasoning-effort.ts";
import type { LlmRequest } from "../../request.ts";
import type { GoogleThinking, GoogleThinkingLevel, WireTarget } from "../wire.ts";

type Thinks = Exclude<ReasoningEffort, "none">;

/** Tokens to think with, where the model takes a number. */
const BUDGETS: Readonly<Record<Thinks, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
};

const LEVELS: readonly GoogleThinkingLevel[] = ["minimal", "low", "medium", "high"];

/** `thinkingConfig`; undefined for a model that is asked nothing. Thoughts are shown wherever the model is not told to keep from thinking. */
export const thinkingConfig = (
  { reasoningEffort, maxOutputTokens }: LlmRequest,
  { quirks }: WireTarget,
): Readonly<Record<string, unknown>> | undefined => {
  const thinking = quirks.googleThinking;
  if (thinking === undefined) return undefined;
  if (reasoningEffort === undefined) return { includeThoughts: true };
  const includeThoughts = reasoningEffort !== "none";
  return thinking.by === "budget"
    ? { includeThoughts, thinkingBudget: budgetOf(reasoningEffort, thinking, maxOutputTokens) }
    : { includeThoughts, thinkingLevel: levelOf(reasoningEffort, thinking.levels).toUpperCase() };
};

/** Thoughts count as answer: half of its bound stays for the answer itself, as far as the model's least budget allows. */
const budgetOf = (
  effort: ReasoningEffort,
  { least, most, canBeOff }: Extract<GoogleThinking, { by: "budget" }>,
  bound = Number.POSITIVE_INFINITY,
): number => {
  if (effort === "none") return canBeOff ? 0 : least;
  const wanted = Math.min(BUDGETS[effort], most, Math.floor(bound / 2));
  if (wanted >= least) return wanted;
  return canBeOff ? 0 : least;
};

/** The least of the model's levels that is not below the effort; its highest where all are. */
const levelOf = (effort: ReasoningEffort, levels: readonly GoogleThinkingLevel[]): GoogleThinkingLevel => {
  const place = effort === "none" ? 0 : LEVELS.indexOf(effort === "xhigh" ? "high" : effort);
  return LEVELS.slice(place).find((level) => levels.includes(level)) ?? levels.at(-1) ?? "high";
};
