import type { CompressionSettings, CompressionWindow } from "./compression.ts";

/** Below this many tokens a conversation in a large window is not worth a compression. */
const LEAST_THRESHOLD = 64_000;
/** Of what a request may take, estimates being estimates. */
const SAFE_PART = 0.85;
/** The smallest window in which the fixed part of a prompt, a summary and a few messages fit. */
const LEAST_WINDOW = 8_000;
/** Below this the usual tools take too much of a window. */
const ROOMY_WINDOW = 32_000;

/** The most that a request may take, in tokens, with a margin for estimates. */
export const largestRequest = ({ contextWindow, outputReserve }: CompressionWindow): number =>
  Math.max(0, Math.floor(SAFE_PART * (contextWindow - outputReserve)));

/** The size of a request, in tokens, from which on a conversation is compressed (issue: min(max(threshold × window, 64,000), 0.85 × (window − reserve))). */
export const thresholdOf = (settings: Pick<CompressionSettings, "threshold">, window: CompressionWindow): number =>
  Math.min(Math.max(Math.floor(settings.threshold * window.contextWindow), LEAST_THRESHOLD), largestRequest(window));

/** Most tokens that a summary may be asked for: 20 % of what it replaces, at least 2,000, at most 5 % of the window or 12,000; in small windows an eighth. */
export const summaryBudget = (replaced: number, contextWindow: number): number => {
  const least = Math.min(2_000, Math.floor(contextWindow / 8));
  const most = Math.max(least, Math.min(12_000, Math.floor(contextWindow * 0.05)));
  return Math.min(most, Math.max(least, Math.floor(replaced * 0.2)));
};

/** Whether a window can be worked in. `small` = with the lean toolset; `refused` = not at all. `message` is for the owner. */
export type WindowAdvice =
  | { readonly kind: "roomy" }
  | { readonly kind: "small" | "refused"; readonly message: string };

/** What to tell an owner of a model with this window, in tokens. */
export const windowAdvice = (contextWindow: number): WindowAdvice => {
  // Asked at every start: what only the advice needs is not made before there is one.
  if (contextWindow >= ROOMY_WINDOW) return { kind: "roomy" };
  const size = contextWindow.toLocaleString("en-US");
  if (contextWindow < LEAST_WINDOW) {
    const least = LEAST_WINDOW.toLocaleString("en-US");
    return {
      kind: "refused",
      message: `a window of ${size} tokens is too small to work in; it takes ${least} or more`,
    };
  }
  return {
    kind: "small",
    message: `a window of ${size} tokens is soon full: \`-t lean\` leaves more of it to the conversation`,
  };
};
